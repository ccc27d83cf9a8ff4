const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

let table: Uint32Array | undefined;

/** CRC-32 (IEEE) of the ASCII text between two places. */
export function crc32(text: string, start: number, end: number): number {
  table ??= buildTable();
  let crc = 0xffff_ffff;
  for (let index = start; index < end; index++) {
    crc = (table[(crc ^ text.charCodeAt(index)) & 0xff] as number) ^ (crc >>> 8);
  }
  return (crc ^ 0xffff_ffff) >>> 0;
}

/** Writes a number in base 62, padded with zeros to six places. */
export function toBase62(value: number): string {
  let rest = value;
  let out = "";
  for (let place = 0; place < 6; place++) {
    out = (base62[rest % 62] as string) + out;
    rest = Math.floor(rest / 62);
  }
  return out;
}

/**
 * Whether the last six characters of a token are the base-62 CRC-32 of the thirty before them,
 * as GitHub and npm write their tokens.
 */
export function hasCrcTail(text: string, _start: number, end: number): boolean {
  return text.slice(end - 6, end) === toBase62(crc32(text, end - 36, end - 6));
}

function buildTable(): Uint32Array {
  const built = new Uint32Array(256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb8_8320 : crc >>> 1;
    built[byte] = crc >>> 0;
  }
  return built;
}
