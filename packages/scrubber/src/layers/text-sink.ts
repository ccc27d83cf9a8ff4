import { isTextCode } from "./first-bytes.ts";

/**
 * Takes bytes and gives the text they spell, or refuses them at the first that no text holds, so
 * that an image or a hash costs a few bytes. Knows UTF-8, and UTF-16 as Windows shells write it.
 */
export interface TextSink {
  units: Uint16Array;
  /** Code units of whole characters so far. */
  length: number;
  /** The character whose bytes are coming in, how many are missing, and the least it may be. */
  code: number;
  missing: number;
  least: number;
  /** Bytes taken so far. */
  taken: number;
  isWide: boolean;
}

/** A place in a sink to which it can be taken back. */
export type SinkMark = Pick<TextSink, "length" | "code" | "missing" | "least" | "taken">;

const noUnits = new Uint16Array(0);

/** Opens a sink, without room as yet. */
export function openSink(): TextSink {
  return { units: noUnits, length: 0, code: 0, missing: 0, least: 0, taken: 0, isWide: false };
}

/** Makes room for as many bytes more; a text in many lines is copied a few times, not for each. */
export function makeRoom(sink: TextSink, bytes: number): void {
  const least = sink.length + bytes + 1;
  if (least <= sink.units.length) return;
  const units = new Uint16Array(sink.length === 0 ? least : 2 * least);
  units.set(sink.units.subarray(0, sink.length));
  sink.units = units;
}

/** Takes a byte; says no if it is not of a text. */
export function takeByte(sink: TextSink, byte: number): boolean {
  const index = sink.taken++;
  if (sink.isWide) return takeWide(sink, byte, index);
  if (index < 2 && isWideStart(sink, byte, index)) return true;
  if (index === 1 && sink.length + sink.missing === 0) return false;
  if (sink.missing > 0) return takeTail(sink, byte);
  return byte < 0x80 ? isTextCode(byte) && put(sink, byte) : takeHead(sink, byte);
}

/** Remembers the place that the sink is at. */
export function markSink({ length, code, missing, least, taken }: TextSink): SinkMark {
  return { length, code, missing, least, taken };
}

const sliceUnits = 4096;

/** Gives the text taken so far; a character that was cut off at the end is left out. */
export function textOfSink({ units, length }: Pick<TextSink, "units" | "length">): string {
  let text = "";
  for (let at = 0; at < length; at += sliceUnits) {
    text += String.fromCharCode(...units.subarray(at, Math.min(length, at + sliceUnits)));
  }
  return text;
}

function put(sink: TextSink, unit: number): boolean {
  sink.units[sink.length++] = unit;
  return true;
}

/** The first byte of a character of several: how many follow, and the least it may be. */
function takeHead(sink: TextSink, byte: number): boolean {
  if (byte < 0xc2 || byte > 0xf4) return false;
  const missing = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
  sink.code = byte & (0x3f >> missing);
  sink.missing = missing;
  sink.least = missing === 1 ? 0x80 : missing === 2 ? 0x800 : 0x1_0000;
  return true;
}

function takeTail(sink: TextSink, byte: number): boolean {
  if ((byte & 0xc0) !== 0x80) return false;
  sink.code = (sink.code << 6) | (byte & 0x3f);
  if (--sink.missing > 0) return true;
  const { code, least } = sink;
  if (code < least || code > 0x10_ffff || (code >= 0xd800 && code < 0xe000) || code < 0xa0)
    return false;
  if (code < 0x1_0000) return put(sink, code);
  put(sink, 0xd800 + ((code - 0x1_0000) >> 10));
  return put(sink, 0xdc00 + ((code - 0x1_0000) & 0x3ff));
}

/** A byte order mark, or an ASCII character and a zero, begin UTF-16. */
function isWideStart(sink: TextSink, byte: number, index: number): boolean {
  if (index === 0) {
    sink.code = byte;
    return byte === 0xff;
  }
  const first = sink.code;
  const isMark = first === 0xff && byte === 0xfe;
  if (!isMark && !(byte === 0 && sink.length === 1)) return false;
  sink.isWide = true;
  return true;
}

/** Units that have to be ASCII before others are believed to be text. */
const plainUnits = 4;

function takeWide(sink: TextSink, byte: number, index: number): boolean {
  if (index % 2 === 0) {
    sink.code = byte;
    return true;
  }
  const unit = sink.code | (byte << 8);
  if (unit < 0x80 ? !isTextCode(unit) : unit < 0xa0) return false;
  return (byte === 0 || sink.length > plainUnits) && put(sink, unit);
}
