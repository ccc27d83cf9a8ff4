import { dayAt, type SummaryDay } from "../memory/summary/account.ts";
import { failureTrouble } from "../memory/summary/trouble.ts";
import { systemClock } from "../platform/clock.ts";
import type { Home } from "./home.ts";
import type { Memory } from "./memory.ts";
import { summaryAccount } from "./summariser.ts";

/** How the summariser of this device is. */
export interface SummaryState {
  readonly runsMax: number;
  readonly today: SummaryDay;
  readonly lastFailure:
    | {
        readonly code: string;
        readonly message: string;
        readonly hint: string;
        readonly at: number;
      }
    | undefined;
}

/** How the summariser is; undefined where none is set. */
export function summaryState({ config }: Home, memory: Memory): SummaryState | undefined {
  if (config.summariser === undefined) return undefined;
  const account = summaryAccount(memory);
  const { lastFailure } = account;
  return {
    runsMax: config.summariserRuns,
    today: dayAt(account, systemClock.nowMs()),
    lastFailure:
      lastFailure === undefined
        ? undefined
        : {
            ...failureTrouble(lastFailure.failure, config.summariserSeconds),
            at: lastFailure.atMs,
          },
  };
}

/** The same in one line, with what to do where the last run failed (SM4). */
export function summaryLines(state: SummaryState | null): readonly string[] {
  if (state === null) return [];
  const { today, runsMax, lastFailure } = state;
  const line = `summariser: ${costText(today)} today, at most ${runsMax} a day`;
  if (lastFailure === undefined) return [line];
  const { message, hint } = lastFailure;
  return [`${line}; the last run failed: ${message} (${hint})`];
}

/** Runs, time and, where the command told of it, money. */
export function costText({ runs, ms, usd }: Omit<SummaryDay, "day">): string {
  const money = usd > 0 ? `, $${usd.toFixed(usd < 1 ? 4 : 2)}` : "";
  return `${runs} ${runs === 1 ? "run" : "runs"}, ${Math.ceil(ms / 1_000)} s${money}`;
}
