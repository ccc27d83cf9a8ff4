/**
 * Newline-delimited bodies, read and written a few lines at a time. One text of a whole body is
 * memory that the system has to clear first, takes twice as much of it where a single letter is
 * wide, and stays as long as the last of its lines: for a megabyte that costs ten times the reading.
 */

declare const TextDecoder: new (
  label: "utf-8",
  options: { readonly fatal: boolean; readonly ignoreBOM: boolean },
) => { decode(bytes: Uint8Array): string };
declare const TextEncoder: new () => {
  encodeInto(text: string, into: Uint8Array): { readonly read: number; readonly written: number };
};

const lineFeed = 0x0a;
/** So many lines of a push or a page become a text that is never large. */
const linesAtOnce = 64;
const bytesMaxOfUnit = 3;
const unbounded: LineBounds = { linesMax: Infinity, lineBytesMax: Infinity };

/** How many lines a body may have, and bytes each of them. */
export interface LineBounds {
  readonly linesMax: number;
  readonly lineBytesMax: number;
}

/** Reads a body's lines while it comes. */
export interface LineReader {
  /** The lines that end with these bytes; undefined from the first ill one on. */
  add(bytes: Uint8Array): readonly string[] | undefined;
  /** What stands after the last line feed, where there is anything. */
  end(): readonly string[] | undefined;
}

/**
 * Makes a reader of lines, which are split at `\n` alone and may be cut anywhere where they come; a
 * line that is not well-formed UTF-8, or one more or longer than there may be, ends it.
 */
export function createLineReader({ linesMax, lineBytesMax }: LineBounds = unbounded): LineReader {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let begun: Uint8Array[] = [];
  let begunBytes = 0;
  let count = 0;
  let isIll = false;
  const keep = (bytes: Uint8Array): void => {
    if (bytes.length > 0) begun.push(bytes);
    begunBytes += bytes.length;
  };
  /** The line that ends with these bytes. */
  const lineTo = (bytes: Uint8Array): string | undefined => {
    let whole = bytes;
    if (begunBytes > 0) {
      keep(bytes);
      whole = joined(begun, begunBytes);
      begun = [];
      begunBytes = 0;
    }
    count += 1;
    if (whole.length > lineBytesMax || count > linesMax) return undefined;
    if (whole.length === 0) return "";
    try {
      return decoder.decode(whole);
    } catch {
      return undefined;
    }
  };
  const linesIn = (bytes: Uint8Array): readonly string[] | undefined => {
    const lines: string[] = [];
    let from = 0;
    for (let feed = bytes.indexOf(lineFeed); feed >= 0; feed = bytes.indexOf(lineFeed, from)) {
      const line = lineTo(bytes.subarray(from, feed));
      if (line === undefined) return undefined;
      lines.push(line);
      from = feed + 1;
    }
    keep(bytes.subarray(from));
    return begunBytes > lineBytesMax ? undefined : lines;
  };
  const judged = (lines: readonly string[] | undefined): readonly string[] | undefined => {
    isIll ||= lines === undefined;
    return isIll ? undefined : lines;
  };
  return {
    add: (bytes) => (isIll ? undefined : judged(linesIn(bytes))),
    end: () => {
      if (isIll || begunBytes === 0) return judged([]);
      const line = lineTo(new Uint8Array());
      return judged(line === undefined ? undefined : [line]);
    },
  };
}

/** All in one piece; a piece that is alone is not copied. */
function joined(pieces: readonly Uint8Array[], size: number): Uint8Array {
  const [only] = pieces;
  if (only !== undefined && pieces.length === 1) return only;
  const whole = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/**
 * The lines of a body that is there as a whole, without the empty text after a last one; undefined
 * where {@link createLineReader} ends at an ill one.
 */
export function linesOfBody(bytes: Uint8Array, bounds?: LineBounds): readonly string[] | undefined {
  const reader = createLineReader(bounds);
  const lines = reader.add(bytes);
  const last = lines && reader.end();
  return lines && last && (last.length === 0 ? lines : [...lines, ...last]);
}

/** Lines as a body in UTF-8; each ends with a line feed, the last one too. */
export function bodyOfLines(lines: readonly string[]): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  // Most bodies are ASCII, with a byte a character.
  let body = new Uint8Array(lines.reduce((sum, line) => sum + line.length + 1, 0));
  let end = 0;
  for (let from = 0; from < lines.length; from += linesAtOnce) {
    const some = lines.slice(from, from + linesAtOnce);
    // Behind the last line as well; put there afterwards, it would have all of the text copied again.
    some.push("");
    const text = some.join("\n");
    const { read, written } = encoder.encodeInto(text, body.subarray(end));
    end += written;
    if (read === text.length) continue;
    const rest = text.slice(read);
    body = enlarged(body, end + rest.length * bytesMaxOfUnit);
    end += encoder.encodeInto(rest, body.subarray(end)).written;
  }
  return body.subarray(0, end);
}

/** The same bytes with room for so many, and for as many again as there are. */
function enlarged(body: Uint8Array<ArrayBuffer>, bytesMin: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.max(bytesMin, body.length * 2));
  larger.set(body);
  return larger;
}
