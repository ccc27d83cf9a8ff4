/** Merges pokes that follow one another closely: whoever hears one per namespace has heard all. */
import type { NamespaceId } from "@tidemark/protocol";
import type { Poke } from "@tidemark/protocol/wire";
import { pause, type Timers } from "./ports.ts";
import { syncLimits } from "./sync-limits.ts";

/** What merging needs. */
export interface PokeMergeDeps {
  readonly timers: Timers;
  readonly nowMs: () => number;
  readonly spawn: (work: () => Promise<void>) => void;
  /** Told the first poke of a namespace at once, and the highest of those that came soon after. */
  readonly tell: (poke: Poke) => void;
}

/** See {@link createPokeMerge}. */
export interface PokeMerge {
  /** Takes a poke; one that is `held` waits a moment, though it be the first. */
  hear(poke: Poke, isHeld: boolean, signal: AbortSignal): void;
}

interface Span {
  readonly untilMs: number;
  /** The highest that was not told yet. */
  last: Poke | undefined;
}

/** Starts with silence. However many pokes come, one timer waits for all of them (EN27). */
export function createPokeMerge({ timers, nowMs, spawn, tell }: PokeMergeDeps): PokeMerge {
  // In the order in which they end, for each is as long as every other.
  const spans = new Map<NamespaceId, Span>();
  let isWaiting = false;
  const tellEnded = (): void => {
    for (const [namespace, { untilMs, last }] of spans) {
      if (untilMs > nowMs()) return;
      spans.delete(namespace);
      if (last !== undefined) tell(last);
    }
  };
  const waitForAll = async (signal: AbortSignal): Promise<void> => {
    try {
      for (let [next] = spans.values(); next !== undefined; [next] = spans.values()) {
        await pause(timers, Math.max(0, next.untilMs - nowMs()), signal);
        if (signal.aborted) spans.clear();
        tellEnded();
      }
    } finally {
      isWaiting = false;
    }
  };
  return {
    hear: (poke, isHeld, signal) => {
      const span = spans.get(poke.namespace);
      if (span !== undefined) {
        if (poke.head > (span.last?.head ?? 0)) span.last = poke;
        return;
      }
      const untilMs = nowMs() + syncLimits.ownPokeMs;
      spans.set(poke.namespace, { untilMs, last: isHeld ? poke : undefined });
      if (!isWaiting) {
        isWaiting = true;
        spawn(() => waitForAll(signal));
      }
      if (!isHeld) tell(poke);
    },
  };
}
