import { join } from "node:path";
import { fail, ok, type RecordId, type Result } from "@tidemark/protocol";
import { settings } from "../config/settings.ts";
import {
  accountName,
  accountText,
  dayAt,
  readAccount,
  withEnd,
  withRun,
  type RunFailure,
  type SummaryAccount,
} from "../memory/summary/account.ts";
import { noCost, readAnswer, type RunCost } from "../memory/summary/answer.ts";
import { keepSummary } from "../memory/summary/keep.ts";
import { summaryLimits } from "../memory/summary/limits.ts";
import { failureTrouble, type SummaryTrouble } from "../memory/summary/trouble.ts";
import { systemClock } from "../platform/clock.ts";
import type { Environment } from "../platform/paths.ts";
import { systemRandom } from "../platform/random.ts";
import { runBounded, type BoundedEnd } from "../platform/run-bounded.ts";
import { takeSyncLock } from "../platform/sync-lock.ts";
import { systemTimers } from "../platform/timers.ts";
import type { Home } from "./home.ts";
import type { Memory } from "./memory.ts";
import { knownSummary, type Handed } from "./summary-sources.ts";

const lockDeps = { clock: systemClock, random: systemRandom, timers: systemTimers };
/** How often a run tells how long it has taken, in milliseconds. */
const waitTellMs = 500;

/** What a run came to. */
export interface Summarised {
  readonly id: RecordId;
  /** False where the session had a summary already: nothing ran. */
  readonly isNew: boolean;
  readonly ms: number;
  readonly cost: RunCost;
}

/** Whether this process was started by a summariser: then it takes no part in memory (HK4, SM5). */
export function isInSummariser(env: Environment): boolean {
  return settings.inSummariser.parse(env[settings.inSummariser.env] ?? "") === true;
}

/** What this device's summariser did of late. */
export function summaryAccount({ store }: Memory): SummaryAccount {
  return readAccount(store.upkeep.meta(accountName));
}

/**
 * Runs the summariser for one session and keeps what it answers (SM2 to SM8). Changes nothing but the
 * account where it comes to nothing.
 */
export async function summarise(
  home: Home,
  memory: Memory,
  handed: Handed,
  { signal, onWait }: { readonly signal: AbortSignal; readonly onWait?: (ms: number) => void },
): Promise<Result<Summarised, SummaryTrouble>> {
  const { summariser: words, summariserRuns: runsMax } = home.config;
  if (words === undefined || isInSummariser(home.env)) return fail(unset());
  const lock = takeSyncLock(lockDeps, join(home.paths.stateHome, "summariser.lock"));
  if (!lock.ok) {
    return fail({
      code: "summariser-busy",
      message: "the summariser runs already on this device",
      hint: "wait until it has ended, then tidemark summarise",
    });
  }
  try {
    const known = knownSummary(memory, handed.session);
    if (known !== undefined) return knownOutcome(known);
    if (dayAt(summaryAccount(memory), systemClock.nowMs()).runs >= runsMax) {
      return fail({
        code: "summariser-spent",
        message: "the summariser has run as often today as it may",
        hint: "raise `summariserRuns` in config.json, or wait until tomorrow; tidemark summarise --cost tells what it took", // prettier-ignore
      });
    }
    return await runLocked(home, memory, { handed, words, signal, onWait });
  } finally {
    lock.value.release();
  }
}

function knownOutcome({
  id,
  isForgotten,
}: {
  readonly id: RecordId;
  readonly isForgotten: boolean;
}): Result<Summarised, SummaryTrouble> {
  if (!isForgotten) return ok({ id, isNew: false, ms: 0, cost: noCost });
  return fail({
    code: "summary-forgotten",
    message: "the summary of this session was forgotten, and is not made again",
    hint: "tidemark show SESSION still tells what the session left",
  });
}

function unset(): SummaryTrouble {
  return {
    code: "no-summariser",
    message: "no summariser is set",
    hint: 'set `summariser` in config.json, such as "claude -p --output-format json"; tidemark summarise --dry-run shows what it would be given', // prettier-ignore
  };
}

interface Locked {
  readonly handed: Handed;
  readonly words: readonly string[];
  readonly signal: AbortSignal;
  readonly onWait: ((ms: number) => void) | undefined;
}

async function runLocked(
  home: Home,
  memory: Memory,
  { handed, words, signal, onWait }: Locked,
): Promise<Result<Summarised, SummaryTrouble>> {
  const seconds = home.config.summariserSeconds;
  const startMs = systemClock.nowMs();
  const took = (): number => Math.max(0, systemClock.nowMs() - startMs);
  setAccount(memory, withRun(summaryAccount(memory), startMs));
  const stopTelling = systemTimers.every(waitTellMs, () => {
    onWait?.(took());
  });
  const ended = await runBounded({
    words,
    stdin: handed.text,
    env: childEnv(home.env),
    folder: join(home.paths.stateHome, "summariser"),
    msMax: seconds * 1_000,
    outputBytesMax: summaryLimits.outputBytesMax,
    signal,
  });
  stopTelling();
  const answer = readAnswer(ended.kind === "ended" ? ended.stdout : "");
  const ms = took();
  const failure = failureOf(ended) ?? (answer.isError ? "failed" : undefined);
  const { session, sources } = handed;
  const kept =
    failure === undefined
      ? keepSummary(memory, session, { text: answer.text, sources })
      : fail(failure);
  const failed = kept.ok ? undefined : kept.error;
  const end = { session: session.id, failure: failed, ms, cost: answer.cost };
  setAccount(memory, withEnd(summaryAccount(memory), end, systemClock.nowMs()));
  if (kept.ok) return ok({ id: kept.value, isNew: true, ms, cost: answer.cost });
  home.log.warn("summariser-failed", { kind: kept.error });
  return fail(failureTrouble(kept.error, seconds));
}

function setAccount({ store }: Memory, account: SummaryAccount): void {
  store.upkeep.setMeta(accountName, accountText(account));
}

function failureOf(ended: BoundedEnd): RunFailure | undefined {
  if (ended.kind !== "ended") return ended.kind;
  return ended.code === 0 ? undefined : "failed";
}

/**
 * Hooks and the MCP server of the child take no part in memory (SM5). That an agent's shell started
 * this, the child need not know: some agents refuse to start within one another.
 */
function childEnv(env: Environment): Environment {
  return { ...env, CLAUDECODE: undefined, [settings.inSummariser.env]: "1" };
}
