import { fail, ok } from "@tidemark/protocol";
import { linesOfBody } from "@tidemark/protocol/wire";
import { untilAborted } from "../ports.ts";
import { syncLimits } from "../sync-limits.ts";
import type { Answer } from "../transport.ts";
import { garbled, oversized } from "./failures.ts";
import type { NetworkResponse } from "./network.ts";
import type { Watchdog } from "./watchdog.ts";

/** Who watches over a request while its body is read. */
export type BodyWatch = Pick<Watchdog, "signal" | "touch">;

/** Reads a body as text, at most `bytesMax` bytes of it; cut or ill-formed bytes are a failure. */
export async function readText(
  response: NetworkResponse,
  bytesMax: number,
  watchdog: BodyWatch,
): Promise<Answer<string>> {
  const bytes = await readBytes(response, bytesMax, watchdog);
  if (!bytes.ok) return bytes;
  try {
    return ok(new TextDecoder("utf-8", { fatal: true }).decode(bytes.value));
  } catch {
    return fail(garbled);
  }
}

/** Reads a body of lines; one whose last has no line feed was cut. */
export async function readLines(
  response: NetworkResponse,
  bytesMax: number,
  watchdog: BodyWatch,
): Promise<Answer<readonly string[]>> {
  const bytes = await readBytes(response, bytesMax, watchdog);
  if (!bytes.ok) return bytes;
  const lines = bytes.value.at(-1) === lineFeed ? linesOfBody(bytes.value, syncLimits) : undefined;
  return lines === undefined ? fail(garbled) : ok(lines);
}

const lineFeed = 0x0a;

async function readBytes(
  response: NetworkResponse,
  bytesMax: number,
  watchdog: BodyWatch,
): Promise<Answer<Uint8Array>> {
  if (response.body === null) return ok(new Uint8Array());
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of chunksOf(response.body, watchdog.signal)) {
      watchdog.touch();
      bytes += chunk.byteLength;
      if (bytes > bytesMax) return fail(oversized);
      chunks.push(chunk);
    }
    return ok(Buffer.concat(chunks));
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
