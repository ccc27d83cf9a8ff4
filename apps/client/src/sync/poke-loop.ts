import { ok } from "@tidemark/protocol";
import type { Poke } from "@tidemark/protocol/wire";
import { aroundMs, backoffMs } from "./machine/backoff.ts";
import type { Moment } from "./machine/event.ts";
import { pause, type Timers } from "./ports.ts";
import { syncLimits } from "./sync-limits.ts";
import type { Answer, Failure, Transport } from "./transport.ts";

/** What following pokes needs. */
export interface PokeLoopDeps {
  readonly transport: Pick<Transport, "pokes">;
  readonly timers: Timers;
  readonly moment: () => Moment;
  /** Told when the stream opens and when it closes. */
  readonly onHealth: (isHealthy: boolean) => void;
  readonly onPoke: (poke: Poke) => void;
  /** Runs work; what it throws becomes a failure. */
  readonly guarded: (work: () => Promise<Answer<undefined>>) => Promise<Answer<undefined>>;
}

interface Stretch {
  /** How long the stream was open; undefined: it never was. */
  readonly openMs: number | undefined;
  readonly failure: Failure | undefined;
}

/**
 * Keeps a poke stream open until the signal aborts (EN13). Streams that close quickly time after
 * time are left alone for a while: some proxies buffer, and polling goes on anyway.
 */
export async function followPokes(deps: PokeLoopDeps, signal: AbortSignal): Promise<void> {
  let failures = 0;
  let quickCloses = 0;
  while (!signal.aborted) {
    const { openMs, failure } = await followOnce(deps, signal);
    if (signal.aborted) return;
    const isQuick = openMs !== undefined && openMs < syncLimits.streamQuickMs;
    quickCloses = isQuick ? quickCloses + 1 : 0;
    failures = openMs !== undefined && !isQuick ? 1 : failures + 1;
    const isResting = quickCloses >= syncLimits.streamQuickClosesMax;
    if (isResting) quickCloses = 0;
    const { jitter } = deps.moment();
    const waitMs = isResting
      ? aroundMs(syncLimits.streamRestMs, jitter)
      : reopenMs({ failure, failures, wasOpen: openMs !== undefined }, jitter);
    await pause(deps.timers, waitMs, signal);
  }
}

async function followOnce(deps: PokeLoopDeps, signal: AbortSignal): Promise<Stretch> {
  const heard: Heard = { openedAtMs: undefined, failure: undefined };
  // A disk that is full for a moment, or a store that cannot be asked, ends one stream, not all (EN29).
  const followed = await deps.guarded(() => hearAll(deps, heard, signal));
  const failure = followed.ok ? heard.failure : followed.error;
  if (heard.openedAtMs === undefined) return { openMs: undefined, failure };
  if (!signal.aborted) deps.onHealth(false);
  return { openMs: deps.moment().nowMs - heard.openedAtMs, failure };
}

/** What a stream has told so far. */
interface Heard {
  openedAtMs: number | undefined;
  failure: Failure | undefined;
}

async function hearAll(
  { transport, moment, onHealth, onPoke }: PokeLoopDeps,
  heard: Heard,
  signal: AbortSignal,
): Promise<Answer<undefined>> {
  for await (const event of transport.pokes(signal)) {
    if (signal.aborted) break;
    switch (event.kind) {
      case "open":
        heard.openedAtMs = moment().nowMs;
        onHealth(true);
        break;
      case "poke":
        onPoke(event.poke);
        break;
      case "closed":
        heard.failure = event.failure;
        break;
    }
  }
  return ok(undefined);
}

function reopenMs(
  last: {
    readonly failure: Failure | undefined;
    readonly failures: number;
    readonly wasOpen: boolean;
  },
  jitter: number,
): number {
  const { failure, failures, wasOpen } = last;
  const minimumMs = Math.min(failure?.retryAfterMs ?? 0, syncLimits.retryAfterMsMax);
  if (failure !== undefined && failure.family !== "retry") {
    return Math.max(aroundMs(syncLimits.longDelayMs, jitter), minimumMs);
  }
  const spreadMs = wasOpen ? jitter * syncLimits.reconnectSpreadMs : 0;
  return backoffMs(failures, jitter, minimumMs) + spreadMs;
}
