import { countAttempt, type AttemptRule } from "../pairing-rules.ts";
import type { AccountState } from "./account-state.ts";

/** The last moment that any of these rules is locked until; 0 where none ever was. */
export function lockedUntilMs(state: AccountState, rules: readonly AttemptRule[]): number {
  return Math.max(0, ...rules.map(({ what }) => state.attempts.get(what)?.lockedUntilMs ?? 0));
}

/** Counts a try in vain under each rule. */
export function countAttempts(
  state: AccountState,
  rules: readonly AttemptRule[],
  nowMs: number,
): void {
  for (const rule of rules) {
    state.attempts.set(rule.what, countAttempt(state.attempts.get(rule.what), rule, nowMs));
  }
}
