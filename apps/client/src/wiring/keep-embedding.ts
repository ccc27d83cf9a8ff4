import { systemTimers } from "../platform/timers.ts";
import { pause } from "../sync/ports.ts";
import { embedMissing } from "./embed-missing.ts";
import { embeddingOf } from "./embedder.ts";
import type { Home } from "./home.ts";
import type { Memory } from "./memory.ts";
import { isInSummariser } from "./summariser.ts";

/** How often it is looked whether something was saved, in milliseconds. */
const lookMs = 30_000;
/** How long an embedder that failed is left alone, in milliseconds. */
const afterFailureMs = 600_000;

/**
 * Has what is saved and pulled embedded as it comes, where an embedder is set. Resolves once the
 * signal has aborted and no program runs; never rejects.
 */
export async function keepEmbedding(
  home: Home,
  memory: Memory,
  signal: AbortSignal,
): Promise<void> {
  if (embeddingOf(home) === undefined || isInSummariser(home.env)) return;
  const { upkeep } = memory.store;
  let seen: string | undefined;
  while (!signal.aborted) {
    let waitMs = lookMs;
    try {
      const version = upkeep.version();
      const told = version === seen ? "as-before" : await embedNow(home, memory, signal);
      if (told === "done") seen = version;
      if (told === "failed") waitMs = afterFailureMs;
    } catch (cause) {
      // Memory goes on by words; the log says why, without words that quote anything.
      home.log.error("embedding-failed", { name: cause instanceof Error ? cause.name : "unknown" });
      waitMs = afterFailureMs;
    }
    await pause(systemTimers, waitMs, signal);
  }
}

async function embedNow(
  home: Home,
  memory: Memory,
  signal: AbortSignal,
): Promise<"done" | "busy" | "failed"> {
  const told = await embedMissing(home, memory, { signal });
  if (told.ok) return "done";
  return told.error.code === "embedder-busy" ? "busy" : "failed";
}
