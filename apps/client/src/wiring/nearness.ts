import { embeddingLimits } from "../memory/embedding/limits.ts";
import { embedTrouble, type EmbedTrouble } from "../memory/embedding/trouble.ts";
import { systemTimers } from "../platform/timers.ts";
import type { Nearness } from "../recall/near.ts";
import { handedText } from "../store/vectors/handed-text.ts";
import type { Embedding } from "../store/vectors/vectors.ts";
import { embed, embeddingOf } from "./embedder.ts";
import type { Home } from "./home.ts";
import type { Memory } from "./memory.ts";
import { isInSummariser } from "./summariser.ts";
import { UserError } from "./user-error.ts";

/** How often it is told that the embedder is waited for, in milliseconds. */
const waitTellMs = 500;

/** What a search is given beside its words; nothing where no embedder is set. */
export interface Nearby {
  readonly nearness?: Nearness;
  /** Why there is none though an embedder is set: the search goes by words alone (RC32). */
  readonly trouble?: EmbedTrouble;
}

/** Has the embedder turn what is searched for into a vector. */
export async function nearbyOf(
  home: Home,
  memory: Memory,
  query: string,
  { signal, onWait }: { readonly signal: AbortSignal; readonly onWait?: () => void },
): Promise<Nearby> {
  if (query.trim() === "" || isInSummariser(home.env)) return {};
  const stopTelling = systemTimers.every(waitTellMs, () => onWait?.());
  try {
    home.followSettings();
    const embedding = embeddingOf(home);
    if (embedding === undefined) return {};
    const msMax = Math.min(embeddingLimits.queryMsMax, home.config.embedderSeconds * 1_000);
    const read = await embed(home, memory, {
      role: "query",
      // Before it is cut: half a secret is one that nothing recognises.
      texts: [handedText(home.scrub.text(query))],
      msMax,
      signal,
    });
    if (!read.ok) return { trouble: embedTrouble(read.error, Math.ceil(msMax / 1_000)) };
    const [vector] = read.value;
    return vector === undefined ? {} : { nearness: nearnessOf(home, memory, embedding, vector) };
  } catch (cause) {
    // Settings of scrubbing that are broken keep everything from a program of somebody else's.
    if (!(cause instanceof UserError)) throw cause;
    const { code, message, hint } = cause;
    return { trouble: { code, message, hint } };
  } finally {
    stopTelling();
  }
}

function nearnessOf(
  home: Home,
  { store }: Memory,
  { model }: Embedding,
  vector: Int8Array,
): Nearness {
  return {
    weight: home.config.embedderWeight / 100,
    nearest: (filter, limit) => store.vectors.nearest(model, vector, filter, limit),
  };
}
