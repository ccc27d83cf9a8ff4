import type { DeviceId } from "@tidemark/protocol";
import { streamSSE, type SSEStreamingApi } from "hono/streaming";
import type { DeviceCall } from "../app-env.ts";
import type { Parts } from "../parts.ts";
import type { PokeStream } from "../pokes/poke-hub.ts";
import { problem } from "../problem.ts";

/** `GET /v1/pokes`: hints that heads moved, as server-sent events (WR18). */
export function createPokesHandler(parts: Parts): (call: DeviceCall) => Promise<Response> {
  return async ({ c, device }) => {
    const opened = parts.pokes.open(device);
    if (!opened.ok) return problem(c, opened.error);
    const pokes = opened.value;
    try {
      pokes.follow(await parts.accounts.namespaces(device.id));
    } catch (cause) {
      pokes.end();
      throw cause;
    }
    c.header("X-Accel-Buffering", "no");
    return streamSSE(c, async (stream) => {
      stream.onAbort(() => {
        pokes.end();
      });
      try {
        await writePokes(parts, { stream, pokes, device: device.id });
      } catch (cause) {
        // Thrown on, the text of an exception would go to the client; a cut stream says enough.
        parts.log.warn("pokes-cut", { name: cause instanceof Error ? cause.name : "unknown" });
      } finally {
        pokes.end();
      }
    });
  };
}

interface Outlet {
  readonly stream: SSEStreamingApi;
  readonly pokes: PokeStream;
  readonly device: DeviceId;
}

async function writePokes(parts: Parts, { stream, pokes, device }: Outlet): Promise<void> {
  await stream.write(": pokes\n\n");
  for (;;) {
    const event = await pokes.next();
    if (event === "end") return;
    if (event === "ping") {
      await stream.write(": ping\n\n");
      if (!(await refresh(parts, pokes, device))) return;
    } else await stream.writeSSE({ event: "poke", data: JSON.stringify(event) });
  }
}

/** Reads rights again, so that a stream does not outlive them; false when the device was revoked. */
async function refresh(parts: Parts, pokes: PokeStream, device: DeviceId): Promise<boolean> {
  const row = await parts.accounts.device(device);
  if (row?.status !== "active") return false;
  pokes.follow(await parts.accounts.namespaces(device));
  return true;
}
