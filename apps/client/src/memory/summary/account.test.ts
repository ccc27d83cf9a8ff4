import type { RecordId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import {
  accountSum,
  accountText,
  dayAt,
  readAccount,
  withEnd,
  withRun,
  type RunFailure,
  type SummaryAccount,
} from "./account.ts";
import { noCost } from "./answer.ts";

const dayMs = 86_400_000;
const nowMs = 1_700_000_000_000;
const cost = { usd: 0.5, inputTokens: 100, outputTokens: 10 };

interface Run {
  readonly session?: string;
  readonly failure?: RunFailure;
  readonly atMs?: number;
}

function ran(account: SummaryAccount, { session = "s1", failure, atMs = nowMs }: Run = {}) {
  const end = { session: session as RecordId, failure, ms: 1_500, cost };
  return withEnd(withRun(account, atMs), end, atMs);
}

const begun = readAccount(undefined);

test("[SM8] runs, time, money and tokens are added up by the day", () => {
  const account = ran(ran(begun), { atMs: nowMs - dayMs });
  const twice = ran(account, { session: "s2" });
  expect(dayAt(twice, nowMs)).toMatchObject({ runs: 2, failed: 0, ms: 3_000, usd: 1 });
  expect(accountSum(twice)).toMatchObject({ runs: 3, usd: 1.5, inputTokens: 300 });
  expect(readAccount(accountText(twice))).toEqual(twice);
});

test("[SM8] 30 days are kept, whichever way the clock has gone", () => {
  const account = Array.from({ length: 40 }).reduce<SummaryAccount>(
    (sofar, _, day) => ran(sofar, { atMs: nowMs + day * dayMs }),
    begun,
  );
  expect(account.days).toHaveLength(30);
  expect(account.days[0]?.day).toBe(Math.floor(nowMs / dayMs) + 39);
  expect(ran(account, { atMs: nowMs - 90 * dayMs }).days).toHaveLength(1);
});

test("[SM4] a run counts before it has ended; a program that is not there has not run", () => {
  const open = withRun(begun, nowMs);
  expect(dayAt(open, nowMs).runs).toBe(1);
  const gone = ran(begun, { failure: "not-there" });
  expect(dayAt(gone, nowMs)).toMatchObject({ runs: 0, failed: 0 });
  expect(gone.tried).toEqual([]);
  expect(gone.lastFailure).toEqual({ failure: "not-there", atMs: nowMs });
});

test("[SM4] a failure is told until a run does well, and its session is not tried again", () => {
  const failed = ran(ran(begun, { failure: "timed-out" }), { failure: "failed" });
  expect(failed.tried).toEqual(["s1"]);
  expect(failed.lastFailure).toEqual({ failure: "failed", atMs: nowMs });
  expect(dayAt(failed, nowMs)).toMatchObject({ runs: 2, failed: 2 });
  const stopped = ran(failed, { session: "s2", failure: "stopped" });
  expect(stopped).toMatchObject({ tried: ["s2", "s1"], lastFailure: { failure: "failed" } });
  const well = ran(stopped, { session: "s2" });
  expect(well.lastFailure).toBeUndefined();
  expect(dayAt(well, nowMs)).toMatchObject({ runs: 4, failed: 2 });
});

test("[SM8] an account that cannot be read is begun anew", () => {
  expect(readAccount("{ broken")).toEqual(begun);
  expect(accountSum(begun)).toEqual({ runs: 0, failed: 0, ms: 0, ...noCost });
});
