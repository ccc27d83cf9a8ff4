import { countAttempt, type AttemptRule, type Attempts } from "../pairing-rules.ts";
import type { Transaction } from "./door.ts";

/** The last moment that any of these rules is locked until; 0 where none ever was. */
export async function readLockedUntilMs(
  tx: Transaction,
  rules: readonly AttemptRule[],
): Promise<number> {
  const found = await Promise.all(rules.map(({ what }) => readAttempts(tx, what)));
  return Math.max(0, ...found.map((attempts) => attempts?.lockedUntilMs ?? 0));
}

/**
 * Locks the rows of rules until commit and tells what {@link readLockedUntilMs} does: of many
 * tries at once each sees what the one before has come to.
 */
export async function lockAttempts(
  tx: Transaction,
  rules: readonly AttemptRule[],
): Promise<number> {
  for (const { what } of rules) {
    await tx`
      insert into tidemark.attempts (what, count, window_ends_at_ms) values (${what}, 0, 0)
      on conflict (what) do update set what = excluded.what`;
  }
  return await readLockedUntilMs(tx, rules);
}

/** Counts a try in vain under each rule; gives what {@link readLockedUntilMs} would. */
export async function countAttempts(
  tx: Transaction,
  rules: readonly AttemptRule[],
  nowMs: number,
): Promise<number> {
  await lockAttempts(tx, rules);
  let untilMs = 0;
  for (const rule of rules) {
    const next = countAttempt(await readAttempts(tx, rule.what), rule, nowMs);
    await tx`
      update tidemark.attempts set count = ${next.count},
        window_ends_at_ms = ${next.windowEndsAtMs}, locked_until_ms = ${next.lockedUntilMs}
      where what = ${rule.what}`;
    untilMs = Math.max(untilMs, next.lockedUntilMs);
  }
  return untilMs;
}

async function readAttempts(tx: Transaction, what: string): Promise<Attempts | undefined> {
  const [row] = await tx<Attempts[]>`
    select count, window_ends_at_ms as "windowEndsAtMs", locked_until_ms as "lockedUntilMs"
    from tidemark.attempts where what = ${what}`;
  return row;
}
