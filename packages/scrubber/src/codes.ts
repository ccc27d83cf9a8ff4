/** As browsers and Node have it; this package is written against the types of neither. */
declare const TextEncoder: new () => {
  encodeInto(text: string, into: Uint8Array): { readonly read: number; readonly written: number };
};

/** Stretches that hold a character beyond ASCII are read in pieces of this length. */
const pieceChars = 512;

let encoder: InstanceType<typeof TextEncoder> | undefined;

/** Gives the code of each UTF-16 unit beyond ASCII; asked for only where a text holds one. */
type ForeignCodes = () => Uint8Array;

/**
 * Writes the codes of a stretch of a text into an array: its own for a character of ASCII, beyond it
 * what is given, or 0. An encoder of UTF-8 copies at once what a loop would ask for one by one; it writes a
 * byte for each character only where all of them are ASCII.
 */
export function readCodes(
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
  into: Uint8Array,
  foreign: ForeignCodes,
): void {
  if (end - start < pieceChars) {
    readOneByOne(text, { start, end }, { into, at: 0 }, foreign);
    return;
  }
  if (copyAscii(text, start, end, into)) return;
  for (let from = start; from < end; from += pieceChars) {
    const to = Math.min(end, from + pieceChars);
    const at = from - start;
    if (!copyAscii(text, from, to, into.subarray(at, to - start))) {
      readOneByOne(text, { start: from, end: to }, { into, at }, foreign);
    }
  }
}

/** Whether all of the stretch was ASCII. What is written is of no use otherwise. */
function copyAscii(text: string, start: number, end: number, into: Uint8Array): boolean {
  encoder ??= new TextEncoder();
  const { read, written } = encoder.encodeInto(text.slice(start, end), into);
  return read === end - start && written === read;
}

function readOneByOne(
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
  { into, at }: { readonly into: Uint8Array; readonly at: number },
  foreign: ForeignCodes,
): void {
  let codes: Uint8Array | undefined;
  for (let place = start; place < end; place++) {
    const code = text.charCodeAt(place);
    if (code >= 128) codes ??= foreign();
    into[at + place - start] = code < 128 ? code : ((codes as Uint8Array)[code] as number);
  }
}
