/** Merges pokes that follow one another closely: whoever hears one per namespace has heard all. */
import type { NamespaceId } from "@tidemark/protocol";
import type { Poke } from "@tidemark/protocol/wire";
import { pause, type Timers } from "./ports.ts";
import { syncLimits } from "./sync-limits.ts";

/** What merging needs. */
export interface PokeMergeDeps {
  readonly timers: Timers;
  readonly spawn: (work: () => Promise<void>) => void;
  /** Told the first poke of a namespace at once, and the highest of those that came soon after. */
  readonly tell: (poke: Poke) => void;
}

/** See {@link createPokeMerge}. */
export interface PokeMerge {
  /** Takes a poke; one that is `held` waits a moment, though it be the first. */
  hear(poke: Poke, isHeld: boolean, signal: AbortSignal): void;
}

/**
 * Starts with silence. However many pokes come, one timer waits for all of them (EN27); it asks no
 * clock, for one that stands still must not keep a poke from being heard.
 */
export function createPokeMerge({ timers, spawn, tell }: PokeMergeDeps): PokeMerge {
  /** Namespaces that were heard of just now, with the highest poke that was not told yet. */
  const recent = new Map<NamespaceId, Poke | undefined>();
  let isWaiting = false;
  const tellLast = (namespace: NamespaceId): void => {
    const last = recent.get(namespace);
    recent.delete(namespace);
    if (last !== undefined) tell(last);
  };
  const waitForAll = async (signal: AbortSignal): Promise<void> => {
    try {
      while (recent.size > 0) {
        // What comes meanwhile waits for the next turn: nothing waits for less than a moment.
        const waited = [...recent.keys()];
        await pause(timers, syncLimits.ownPokeMs, signal);
        if (signal.aborted) return;
        for (const namespace of waited) tellLast(namespace);
      }
    } finally {
      recent.clear();
      isWaiting = false;
    }
  };
  return {
    hear: (poke, isHeld, signal) => {
      const { namespace, head } = poke;
      if (recent.has(namespace)) {
        if (head > (recent.get(namespace)?.head ?? -1)) recent.set(namespace, poke);
        return;
      }
      recent.set(namespace, isHeld ? poke : undefined);
      if (!isWaiting) {
        isWaiting = true;
        spawn(() => waitForAll(signal));
      }
      if (!isHeld) tell(poke);
    },
  };
}
