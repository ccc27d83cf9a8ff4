import type { AutomatonPlan } from "./automaton-plan.ts";

/**
 * Finds every anchor of a fixed set in one pass over a text (Aho-Corasick), without regard to
 * ASCII case. States are row offsets into one dense table. A row is filled when its state is
 * first reached, since a cold process reaches a twentieth of them; a negative entry is the
 * complement of a state that must be looked at: an anchor ends there, or its row may be empty.
 */
export interface Automaton {
  /** Column of each code unit; 0 is every character that no anchor holds. */
  readonly columns: Uint8Array;
  readonly table: Int32Array;
  readonly stride: number;
  readonly plan: AutomatonPlan;
  /** 1 for each state whose row is filled. */
  readonly filled: Uint8Array;
}

/** Opens an automaton over its plan; only the first row is filled. */
export function openAutomaton(plan: AutomatonPlan): Automaton {
  const stride = plan.chars.length + 1;
  const states = plan.fails.length;
  const columns = new Uint8Array(65_536);
  for (let index = 0; index < plan.chars.length; index++) {
    const code = plan.chars.charCodeAt(index);
    columns[code] = index + 1;
    if (code >= 97 && code <= 122) columns[code - 32] = index + 1;
  }
  const table = new Int32Array(states * stride);
  const automaton: Automaton = { columns, table, stride, plan, filled: new Uint8Array(states) };
  fillRow(automaton, 0);
  return automaton;
}

/**
 * Makes the state that was reached through `cell` ready for the next step, and says whether an
 * anchor ends there. Where none does, the cell loses its sign: the pass need not stop there again.
 */
export function reach(automaton: Automaton, cell: number, offset: number): boolean {
  const { plan, table, stride, filled } = automaton;
  const state = offset / stride;
  if (filled[state] === 0) fillRow(automaton, state);
  if (plan.outputStarts.charCodeAt(state) !== plan.outputStarts.charCodeAt(state + 1)) return true;
  table[cell] = offset;
  return false;
}

/** A row is that of the state's longest suffix, with the state's own children over it. */
function fillRow(automaton: Automaton, state: number): void {
  const { plan, table, stride, filled } = automaton;
  const start = state * stride;
  if (state !== 0) {
    const fail = plan.fails.charCodeAt(state);
    if (filled[fail] === 0) fillRow(automaton, fail);
    table.copyWithin(start, fail * stride, (fail + 1) * stride);
  }
  const end = plan.childStarts.charCodeAt(state + 1);
  for (let child = plan.childStarts.charCodeAt(state); child < end; child++) {
    table[start + plan.columns.charCodeAt(child)] = ~(child * stride);
  }
  filled[state] = 1;
}
