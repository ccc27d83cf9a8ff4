import { collections } from "@tidemark/protocol";
import { dayAt } from "../memory/summary/account.ts";
import { summaryLimits } from "../memory/summary/limits.ts";
import { systemClock } from "../platform/clock.ts";
import { systemTimers } from "../platform/timers.ts";
import { attempt } from "../store/store-error.ts";
import { pause } from "../sync/ports.ts";
import type { Home } from "./home.ts";
import type { Memory } from "./memory.ts";
import { isInSummariser, summarise, summaryAccount } from "./summariser.ts";
import { endedAt, handedOf, knownSummary, type Handed } from "./summary-sources.ts";

/** How often it is looked whether a session has ended, in milliseconds. */
const lookMs = 60_000;
/** Sessions that ended earlier are left as they are: who switches it on pays for none of the past. */
const ageMsMax = 86_400_000;

/**
 * Has the summariser sum up sessions of this device as they end (SM2), one after the other, where one
 * is set. Resolves once the signal has aborted and no program runs; never rejects.
 *
 * @param lives `long` looks at once; `short` waits first, for who may soon be gone had better begin
 *   nothing that costs
 */
export async function keepSummarising(
  home: Home,
  memory: Memory,
  { signal, lives }: { readonly signal: AbortSignal; readonly lives: "long" | "short" },
): Promise<void> {
  if (home.config.summariser === undefined || isInSummariser(home.env)) return;
  let isDue = lives === "long";
  while (!signal.aborted) {
    const isDone = isDue && (await summariseNext(home, memory, signal));
    isDue = true;
    if (!isDone) await pause(systemTimers, lookMs, signal);
  }
}

/** Whether a session was summed up, so that the next one may wait already. */
async function summariseNext(home: Home, memory: Memory, signal: AbortSignal): Promise<boolean> {
  try {
    home.followSettings();
    const due = attempt(() => nextDue(home, memory));
    if (!due.ok || due.value === undefined) return false;
    const told = await summarise(home, memory, due.value, { signal });
    return told.ok;
  } catch (cause) {
    // Memory goes on without summaries; the log says why, without words that quote anything.
    home.log.error("summaries-failed", { name: cause instanceof Error ? cause.name : "unknown" });
    return false;
  }
}

/** The session that ended last on this device, was not tried, and left enough to sum up. */
function nextDue(home: Home, memory: Memory): Handed | undefined {
  const { store } = memory;
  const nowMs = systemClock.nowMs();
  const account = summaryAccount(memory);
  if (dayAt(account, nowMs).runs >= home.config.summariserRuns) return undefined;
  const tried = new Set<string>(account.tried);
  for (const id of store.sessions.sessionsSince(nowMs - ageMsMax)) {
    const found = store.reads.find(id, { collection: collections.session });
    if (!found.ok || tried.has(id)) continue;
    const session = found.value;
    if (endedAt(session.fields) < nowMs - ageMsMax) continue;
    if (knownSummary(memory, session) !== undefined) continue;
    const handed = handedOf(home, memory, session);
    const { observationsMin } = summaryLimits;
    if (handed.ok && handed.value.sources.length >= observationsMin) return handed.value;
  }
  return undefined;
}
