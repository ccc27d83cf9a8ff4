import type { AutomatonPlan } from "./automaton-plan.ts";

/**
 * Finds every anchor of a fixed set in one pass over a text (Aho-Corasick), without regard to
 * ASCII case. A state has a row in one table, with a cell for each code, and is known by the number of
 * its row: that takes two bytes, and the rows that a text leads to have to fit a cache. Codes below 128 are those of ASCII; the characters beyond it that anchors hold have the
 * codes from there on. A row is made when its state is first reached, since a cold process reaches
 * a twentieth of them, and rows that are used lie close together. A negative cell is the complement
 * of a state of the plan that must be looked at: an anchor ends there, or it may have no row yet.
 */
export interface Automaton {
  readonly plan: AutomatonPlan;
  /** Code of each character of the plan. */
  readonly codes: Uint8Array;
  /** Code of each UTF-16 unit beyond ASCII, 0 where no anchor holds it; made for the first such text. */
  foreignCodes: Uint8Array | undefined;
  /** Grows as rows are added: read it anew after {@link rowOf}. */
  table: Int16Array;
  /** How many rows there are. */
  count: number;
  /** Number of the row of each state of the plan; 0 for none, as for the first state. */
  readonly rows: Int16Array;
}

/** A row has a cell for each code, so that the place of a cell is its row's number and a code in one. */
export const rowBits: number = 8;
const stride = 2 ** rowBits;
/** What two bytes hold besides a sign. */
const statesMax = 0x7f_ff;
/** What has no code of its own in ASCII is numbered from here on. */
const foreignFrom = 128;
const firstRows = 64;

/** Opens an automaton over its plan; only the first row is made. */
export function openAutomaton(plan: AutomatonPlan): Automaton {
  if (plan.fails.length > statesMax) throw new Error("anchors have too many states");
  const automaton: Automaton = {
    plan,
    codes: codesOf(plan),
    foreignCodes: undefined,
    table: new Int16Array(firstRows * stride),
    count: 1,
    rows: new Int16Array(plan.fails.length),
  };
  addChildren(automaton, 0, 0);
  return automaton;
}

function codesOf({ chars }: AutomatonPlan): Uint8Array {
  const codes = new Uint8Array(chars.length);
  let next = foreignFrom;
  for (let place = 0; place < chars.length; place++) {
    const code = chars.charCodeAt(place);
    codes[place] = code < foreignFrom ? code : next++;
  }
  if (next > stride) throw new Error("anchors hold too many characters beyond ASCII");
  return codes;
}

/** Gives the codes of what lies beyond ASCII, by UTF-16 unit. */
export function foreignCodesOf(automaton: Automaton): Uint8Array {
  const known = automaton.foreignCodes;
  if (known !== undefined) return known;
  const made = new Uint8Array(0x1_00_00);
  const { chars } = automaton.plan;
  for (let place = 0; place < chars.length; place++) {
    const code = automaton.codes[place] as number;
    if (code >= foreignFrom) made[chars.charCodeAt(place)] = code;
  }
  automaton.foreignCodes = made;
  return made;
}

/** Whether an anchor ends at a state of the plan. */
export function endsAnchor({ plan: { outputStarts } }: Automaton, state: number): boolean {
  return outputStarts.charCodeAt(state) !== outputStarts.charCodeAt(state + 1);
}

/**
 * Gives the row of the state that a cell leads to, where no anchor ends. The cell has no sign then:
 * the pass need not stop there again.
 */
export function reach(automaton: Automaton, cell: number, state: number): number {
  const row = rowOf(automaton, state);
  automaton.table[cell] = row;
  return row;
}

/**
 * Gives the row of a state of the plan. It is that of the state's longest suffix, with the state's
 * own children over it.
 */
export function rowOf(automaton: Automaton, state: number): number {
  const known = automaton.rows[state] as number;
  if (known !== 0 || state === 0) return known;
  const suffix = rowOf(automaton, automaton.plan.fails.charCodeAt(state));
  const row = automaton.count++;
  if (automaton.count * stride > automaton.table.length) grow(automaton);
  const from = suffix << rowBits;
  automaton.table.copyWithin(row << rowBits, from, from + stride);
  automaton.rows[state] = row;
  addChildren(automaton, state, row);
  return row;
}

function grow(automaton: Automaton): void {
  const table = new Int16Array(2 * automaton.table.length);
  table.set(automaton.table);
  automaton.table = table;
}

function addChildren({ plan, codes, table }: Automaton, state: number, row: number): void {
  const end = plan.childStarts.charCodeAt(state + 1);
  for (let child = plan.childStarts.charCodeAt(state); child < end; child++) {
    const code = codes[plan.columns.charCodeAt(child) - 1] as number;
    const cell = (row << rowBits) | code;
    table[cell] = ~child;
    if (code >= 97 && code <= 122) table[cell - 32] = ~child;
  }
}
