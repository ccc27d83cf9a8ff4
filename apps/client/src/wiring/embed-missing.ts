import { join } from "node:path";
import { fail, ok, type Result } from "@tidemark/protocol";
import { embeddingLimits } from "../memory/embedding/limits.ts";
import { embedTrouble, type EmbedTrouble } from "../memory/embedding/trouble.ts";
import { systemClock } from "../platform/clock.ts";
import { systemRandom } from "../platform/random.ts";
import { takeSyncLock } from "../platform/sync-lock.ts";
import { systemTimers } from "../platform/timers.ts";
import { embed, embeddingOf } from "./embedder.ts";
import type { Embedding } from "../store/vectors/vectors.ts";
import type { Home } from "./home.ts";
import type { Memory } from "./memory.ts";
import { isInSummariser } from "./summariser.ts";

const lockDeps = { clock: systemClock, random: systemRandom, timers: systemTimers };

/** What came of embedding all that has no vector. */
export interface EmbeddedAll {
  readonly embedded: number;
  readonly ms: number;
}

/** How far it is. */
export type OnEmbedded = (done: number, of: number) => void;

/** How to go about it. */
export interface EmbedMissing {
  readonly signal: AbortSignal;
  /** Makes those anew that are there. */
  readonly isAnew?: boolean;
  readonly onEmbedded?: OnEmbedded;
}

/**
 * Has the embedder make the vectors that are missing, some texts a run (RC30). What was made stays
 * where a later run fails.
 */
export async function embedMissing(
  home: Home,
  memory: Memory,
  { signal, isAnew = false, onEmbedded }: EmbedMissing,
): Promise<Result<EmbeddedAll, EmbedTrouble>> {
  const embedding = embedderNow(home);
  if (embedding === undefined || isInSummariser(home.env)) return fail(unset);
  const lock = takeSyncLock(lockDeps, join(home.paths.stateHome, "embedder.lock"));
  if (!lock.ok) return fail(busy);
  const { vectors } = memory.store;
  const startMs = systemClock.nowMs();
  const { embedderSeconds: seconds } = home.config;
  let done = 0;
  try {
    if (isAnew) {
      // One that does not work now would cost all vectors, and search would go by words alone.
      const tried = await embed(home, memory, {
        role: "document",
        texts: [triedText],
        msMax: seconds * 1_000,
        signal,
      });
      if (!tried.ok) return fail(embedTrouble(tried.error, seconds));
      vectors.clear();
    }
    const all = vectors.counts(embedding).wanted;
    for (;;) {
      // Asked for each time: one that is taken out meanwhile is given nothing more (MC14).
      const now = embedderNow(home);
      if (now === undefined) return fail(unset);
      const texts = vectors.wanted(now, embeddingLimits.textsAtOnce);
      if (texts.length === 0) return ok({ embedded: done, ms: systemClock.nowMs() - startMs });
      onEmbedded?.(done, Math.max(all, done + texts.length));
      const read = await embed(home, memory, {
        role: "document",
        texts: texts.map(({ text }) => text),
        msMax: seconds * 1_000,
        signal,
      });
      if (!read.ok) return fail(embedTrouble(read.error, seconds));
      const made = texts.map((each, index) => ({ ...each, vector: read.value[index] }));
      done += vectors.keep(now.model, made);
    }
  } finally {
    lock.value.release();
  }
}

function embedderNow(home: Home): Embedding | undefined {
  home.followSettings();
  return embeddingOf(home);
}

/** Nobody's words, for a first try. */
const triedText = "a test";

const unset: EmbedTrouble = {
  code: "no-embedder",
  message: "no embedder is set, so search goes by words",
  hint: 'set `embedder` in config.json, such as "node /home/you/embed.mjs", then tidemark embed',
};

const busy: EmbedTrouble = {
  code: "embedder-busy",
  message: "the embedder runs already on this device",
  hint: "wait until it has ended; tidemark status tells how far it is",
};
