import type { Check } from "./diagnose.ts";
import type { Home } from "./home.ts";
import type { Memory } from "./memory.ts";
import { costText, summaryState } from "./summary-state.ts";

/** Whether the summariser does what it is set for; nothing where none is set. */
export function checkSummariser(home: Home, memory: Memory): readonly Check[] {
  const state = summaryState(home, memory);
  if (state === undefined) return [];
  const { lastFailure, today } = state;
  const name = "summariser";
  if (lastFailure === undefined) {
    return [{ name, status: "PASS", message: `${costText(today)} today`, fix: "" }];
  }
  const { message, hint } = lastFailure;
  return [{ name, status: "WARN", message: `its last run failed: ${message}`, fix: hint }];
}
