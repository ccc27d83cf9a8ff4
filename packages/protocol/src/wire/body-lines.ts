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

/**
 * The lines of a body, split at `\n` alone, without the empty text after a last one; undefined where
 * it is not well-formed UTF-8, or has more or longer lines than it may.
 */
export function linesOfBody(
  bytes: Uint8Array,
  { linesMax, lineBytesMax }: LineBounds = unbounded,
): readonly string[] | undefined {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const lines: string[] = [];
  try {
    for (let from = 0; from < bytes.length;) {
      const feed = bytes.indexOf(lineFeed, from);
      const to = feed < 0 ? bytes.length : feed;
      if (to - from > lineBytesMax || lines.length >= linesMax) return undefined;
      lines.push(decoder.decode(bytes.subarray(from, to)));
      from = to + 1;
    }
  } catch {
    return undefined;
  }
  return lines;
}

/** Lines as a body in UTF-8; each ends with a line feed, the last one too. */
export function bodyOfLines(lines: readonly string[]): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  // Most bodies are ASCII, with a byte a character.
  let body = new Uint8Array(lines.reduce((sum, line) => sum + line.length + 1, 0));
  let end = 0;
  for (let from = 0; from < lines.length; from += linesAtOnce) {
    const text = `${lines.slice(from, from + linesAtOnce).join("\n")}\n`;
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
