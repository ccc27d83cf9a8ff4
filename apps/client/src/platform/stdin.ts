import { readSync } from "node:fs";
import { errnoOf } from "./errno.ts";

/** Standard input, or how many bytes of it were seen when it passed the limit. */
export type StdinText =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "too-large"; readonly bytes: number };

/** Most that is read of standard input, in bytes. */
export const stdinBytesMax = 50 * 1024 * 1024;

const chunkBytes = 65_536;

/**
 * Reads standard input to its end without an event loop. What is larger than `bytesMax` is read to
 * the end all the same and thrown away, so that the writer does not die of a closed pipe.
 */
export function readStdin(bytesMax: number = stdinBytesMax): StdinText {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(chunkBytes);
    const count = readChunk(chunk);
    if (count === 0) break;
    bytes += count;
    if (bytes <= bytesMax) chunks.push(chunk.subarray(0, count));
  }
  if (bytes > bytesMax) return { kind: "too-large", bytes };
  return { kind: "text", text: Buffer.concat(chunks).toString("utf8") };
}

/** The same with an event loop, for programs that answer signals while they wait. */
export async function readStdinText(bytesMax: number = stdinBytesMax): Promise<StdinText> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    const part = Buffer.from(chunk);
    bytes += part.length;
    if (bytes <= bytesMax) chunks.push(part);
  }
  if (bytes > bytesMax) return { kind: "too-large", bytes };
  return { kind: "text", text: Buffer.concat(chunks).toString("utf8") };
}

function readChunk(into: Buffer): number {
  for (;;) {
    try {
      return readSync(0, into);
    } catch (cause) {
      const code = errnoOf(cause);
      if (code === "EOF") return 0;
      if (code !== "EAGAIN") throw cause;
      // A terminal or a non-blocking pipe: wait a little and ask again.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
