import { pokeSchema } from "@tidemark/protocol/wire";
import { createParser } from "eventsource-parser";
import { pause, type Timers } from "../ports.ts";
import { syncLimits } from "../sync-limits.ts";
import type { PokeEvent } from "../transport.ts";
import { chunksOf } from "./body.ts";
import type { Caller } from "./caller.ts";
import { parseJson, unreachable } from "./failures.ts";
import { createWatchdog, type Watchdog } from "./watchdog.ts";

/**
 * Opens the poke stream and yields what it says until it closes (EN14). The server pings every
 * 20 s, so 45 s of silence mean a dead connection, whatever the sockets say. A poke that cannot be
 * read is passed over: losing one costs only latency.
 */
export async function* streamPokes(
  deps: { readonly caller: Caller; readonly timers: Timers },
  signal: AbortSignal,
): AsyncGenerator<PokeEvent> {
  const silenceMs = syncLimits.streamSilenceMsMax;
  const watchdog = createWatchdog(deps.timers, signal, { silenceMs });
  try {
    const call = { method: "GET", path: "/v1/pokes", accept: "text/event-stream" } as const;
    const response = await deps.caller.open(call, watchdog);
    if (!response.ok) {
      yield { kind: "closed", failure: response.error };
      return;
    }
    yield { kind: "open" };
    if (response.value.body !== null) yield* pokesIn(response.value.body, watchdog, deps.timers);
    yield { kind: "closed", failure: unreachable };
  } finally {
    watchdog.release();
  }
}

async function* pokesIn(
  body: ReadableStream<Uint8Array>,
  watchdog: Watchdog,
  timers: Timers,
): AsyncGenerator<PokeEvent> {
  const decoder = new TextDecoder();
  let heard: PokeEvent[] = [];
  let pending = 0;
  let unrested = 0;
  const parser = createParser({
    onEvent: ({ event, data }) => {
      pending = 0;
      const poke = event === "poke" ? pokeSchema.safeParse(parseJson(data)) : undefined;
      if (poke?.success === true) heard.push({ kind: "poke", poke: poke.data });
    },
    onComment: () => {
      pending = 0;
    },
  });
  try {
    for await (const chunk of chunksOf(body, watchdog.signal)) {
      watchdog.touch();
      pending += chunk.byteLength;
      if (pending > syncLimits.pokeBytesMax) return;
      parser.feed(decoder.decode(chunk, { stream: true }));
      const events = heard;
      heard = [];
      yield* events;
      unrested += chunk.byteLength;
      if (unrested < syncLimits.pokeBytesAtOnce) continue;
      // A flood is read at this side's pace; what waits meanwhile slows its sender down.
      unrested = 0;
      await pause(timers, syncLimits.pokeRestMs, watchdog.signal);
    }
  } catch {
    // A cut stream says no more than a closed one.
  }
}
