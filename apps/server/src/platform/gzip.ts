import { promisify } from "node:util";
import { constants, gunzip, gzip } from "node:zlib";
import { isErrno } from "./files.ts";

const pack = promisify(gzip);
const unpack = promisify<Uint8Array, ExpandOptions, Buffer>(gunzip);

interface ExpandOptions {
  readonly maxOutputLength: number;
  readonly chunkSize: number;
}

/** Each piece goes to another thread and back; Node's own size makes 64 of a full push. */
const pieceBytes = 131_072;

/** Content as gzip at the fastest level: JSON shrinks to a quarter and the server stays responsive. */
export async function compressContent(content: string | Uint8Array): Promise<Uint8Array> {
  return await pack(content, { level: constants.Z_BEST_SPEED, chunkSize: pieceBytes });
}

/** The bytes in a gzip; never makes more than `bytesMax`, whatever the input claims (WR12). */
export async function expandBytes(
  bytes: Uint8Array,
  bytesMax: number,
): Promise<Uint8Array | "too-large" | "malformed"> {
  try {
    return await unpack(bytes, { maxOutputLength: bytesMax, chunkSize: pieceBytes });
  } catch (cause) {
    return isErrno(cause, "ERR_BUFFER_TOO_LARGE") ? "too-large" : "malformed";
  }
}
