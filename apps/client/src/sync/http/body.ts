import { fail, ok } from "@tidemark/protocol";
import { untilAborted } from "../ports.ts";
import type { Answer } from "../transport.ts";
import { garbled, oversized } from "./failures.ts";
import type { NetworkResponse } from "./network.ts";
import type { Watchdog } from "./watchdog.ts";

/** Reads a body as text, at most `bytesMax` bytes of it; cut or ill-formed bytes are a failure. */
export async function readText(
  response: NetworkResponse,
  bytesMax: number,
  watchdog: Watchdog,
): Promise<Answer<string>> {
  if (response.body === null) return ok("");
  // Decoded at once: Node has a fast way for that, and none for pieces.
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of chunksOf(response.body, watchdog.signal)) {
      watchdog.touch();
      bytes += chunk.byteLength;
      if (bytes > bytesMax) return fail(oversized);
      chunks.push(chunk);
    }
    return ok(new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks)));
  } catch {
    return fail(garbled);
  }
}

/** The chunks of a body until it ends; stops waiting when the signal aborts, and lets go of it. */
export async function* chunksOf(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const next = await untilAborted(reader.read(), signal);
      if (next === undefined) throw new Error("the body was given up");
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // The body may have failed already; there is nobody left to tell.
    reader.cancel().catch(() => undefined);
  }
}
