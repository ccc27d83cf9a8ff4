import { byteOf, sextetOf } from "./first-bytes.ts";
import {
  makeRoom,
  markSink,
  openSink,
  type SinkMark,
  takeByte,
  type TextSink,
} from "./text-sink.ts";

/** How the characters of a run stand for bytes. */
export type Code = "base64" | "hex";

/** A run that is being decoded, piece by piece. */
export interface Decoding {
  readonly code: Code;
  readonly sink: TextSink;
  /** Bits that are no byte yet. */
  buffer: number;
  bits: number;
}

const backslash = 92;

/** Starts to decode a run. */
export function startDecoding(code: Code): Decoding {
  return { code, sink: openSink(), buffer: 0, bits: 0 };
}

/** Decodes a piece; says no, and forgets the piece, if the bytes are not of a text. */
export function decodePiece(of: Decoding, text: string, start: number, end: number): boolean {
  makeRoom(of.sink, Math.ceil((end - start) * (of.code === "hex" ? 0.5 : 0.75)));
  const mark = { ...markSink(of.sink), buffer: of.buffer, bits: of.bits };
  if (
    of.code === "hex" ? decodeHex(of, text, { start, end }) : decodeBase64(of, text, { start, end })
  )
    return true;
  takeBack(of, mark);
  return false;
}

function takeBack(
  of: Decoding,
  { buffer, bits, ...mark }: SinkMark & { buffer: number; bits: number },
): void {
  Object.assign(of.sink, mark);
  of.buffer = buffer;
  of.bits = bits;
}

interface Piece {
  readonly start: number;
  readonly end: number;
}

function decodeBase64(of: Decoding, text: string, { start, end }: Piece): boolean {
  let { buffer, bits } = of;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === backslash) continue;
    buffer = ((buffer << 6) | sextetOf(code)) & 0x3fff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    if (!takeByte(of.sink, (buffer >> bits) & 0xff)) return false;
  }
  of.buffer = buffer;
  of.bits = bits;
  return true;
}

function decodeHex(of: Decoding, text: string, { start, end }: Piece): boolean {
  for (let at = start; at + 1 < end; at += 2) {
    if (!takeByte(of.sink, byteOf(text, at))) return false;
  }
  return true;
}
