import type { RecordId } from "@tidemark/protocol";
import type { RunCost } from "./answer.ts";
import { summaryLimits } from "./limits.ts";

const { accountDaysMax, triedMax } = summaryLimits;
const dayMs = 86_400_000;

/** Why a run came to nothing. */
export type RunFailure =
  | "not-there"
  | "timed-out"
  | "failed"
  | "too-much"
  | "empty"
  | "not-stored"
  | "stopped";

/** What the summariser did on one day, and what that took. */
export interface SummaryDay extends RunCost {
  /** Days since 1970-01-01 UTC. */
  readonly day: number;
  readonly runs: number;
  readonly failed: number;
  readonly ms: number;
}

/** What the summariser of this device did of late (SM8). Never synced. */
export interface SummaryAccount {
  /** The newest first. */
  readonly days: readonly SummaryDay[];
  /** How the last run failed; undefined where it did not. */
  readonly lastFailure: { readonly failure: RunFailure; readonly atMs: number } | undefined;
  /** Sessions that are not tried again by itself, the last first. */
  readonly tried: readonly RecordId[];
}

/** How one run ended. */
export interface RunEnd {
  readonly session: RecordId;
  readonly failure: RunFailure | undefined;
  readonly ms: number;
  readonly cost: RunCost;
}

/** The place in the store that keeps the account. */
export const accountName = "summariser-account";

const none: SummaryAccount = { days: [], lastFailure: undefined, tried: [] };

/** The account as the store keeps it; what cannot be read is begun anew. */
export function readAccount(text: string | undefined): SummaryAccount {
  try {
    return { ...none, ...(JSON.parse(text ?? "{}") as Partial<SummaryAccount>) };
  } catch {
    return none;
  }
}

/** Text of an account, as {@link readAccount} reads it. */
export function accountText(account: SummaryAccount): string {
  return JSON.stringify(account);
}

/** The day that it is, as far as it was told of. */
export function dayAt(account: SummaryAccount, nowMs: number): SummaryDay {
  const day = Math.floor(nowMs / dayMs);
  const known = account.days.find((each) => each.day === day);
  return known ?? { day, runs: 0, failed: 0, ms: 0, usd: 0, inputTokens: 0, outputTokens: 0 };
}

/** Counts a run before it begins: one that takes the whole program down has been one all the same. */
export function withRun(account: SummaryAccount, nowMs: number): SummaryAccount {
  const today = dayAt(account, nowMs);
  return withDay(account, { ...today, runs: today.runs + 1 });
}

/**
 * Adds what a run took. A program that is not there never ran, and is tried again. One that was
 * stopped with us did nothing wrong, but began to cost: its session is not tried again by itself.
 */
export function withEnd(account: SummaryAccount, end: RunEnd, nowMs: number): SummaryAccount {
  const { session, failure, ms, cost } = end;
  const today = dayAt(account, nowMs);
  const hasRun = failure !== "not-there";
  const hasFailed = failure !== undefined && failure !== "stopped";
  const counted = withDay(account, {
    day: today.day,
    runs: hasRun ? today.runs : Math.max(0, today.runs - 1),
    failed: today.failed + (hasRun && hasFailed ? 1 : 0),
    ms: today.ms + ms,
    usd: today.usd + cost.usd,
    inputTokens: today.inputTokens + cost.inputTokens,
    outputTokens: today.outputTokens + cost.outputTokens,
  });
  if (failure === undefined) return { ...counted, lastFailure: undefined };
  const others = account.tried.filter((each) => each !== session);
  const tried = hasRun ? [session, ...others].slice(0, triedMax) : account.tried;
  return hasFailed
    ? { ...counted, lastFailure: { failure, atMs: nowMs }, tried }
    : { ...counted, tried };
}

/** Everything of the account as one day's figures. */
export function accountSum({ days }: SummaryAccount): Omit<SummaryDay, "day"> {
  const sum = (of: (day: SummaryDay) => number): number =>
    days.reduce((total, day) => total + of(day), 0);
  return {
    runs: sum(({ runs }) => runs),
    failed: sum(({ failed }) => failed),
    ms: sum(({ ms }) => ms),
    usd: sum(({ usd }) => usd),
    inputTokens: sum(({ inputTokens }) => inputTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
  };
}

function withDay(account: SummaryAccount, today: SummaryDay): SummaryAccount {
  const kept = account.days.filter(
    ({ day }) => day !== today.day && Math.abs(today.day - day) < accountDaysMax,
  );
  const days = [today, ...kept].toSorted((left, right) => right.day - left.day);
  return { ...account, days };
}
