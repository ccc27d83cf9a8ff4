import { type Automaton, endsAnchor, foreignCodesOf, reach, rowBits, rowOf } from "./automaton.ts";
import { readCodes } from "./codes.ts";

/** Characters of a text that are walked over before anything is done with what was met. */
export const blockChars: number = 4096;

/** A step waits for the one before it, and most of it is waiting: four walk at a time. */
const lanes = 4;
/** A state holds no more of a text than the longest anchor that rules may have. */
const settleChars = 40;
/** Shorter blocks are walked over one by one: where lanes begin would be most of it. */
const laneCharsMin = 2 * settleChars;

/** What a walk over a text writes down; it serves the next walk as well. */
export interface Walk {
  automaton: Automaton;
  /** Codes of the block. */
  readonly codes: Uint8Array;
  /** Characters of each lane of the block; the last one has what is over as well. */
  laneChars: number;
  /** Where in the block anchors end, and the states of the plan that say which; by lane. */
  readonly ends: Int32Array;
  readonly states: Int32Array;
  /** Place behind what each lane has noted, the first of which is where the lane begins. */
  readonly noted: Int32Array;
  /** Row of each lane, where it was last looked at and where it has come to. */
  readonly rows: Int32Array;
  readonly reached: Int32Array;
}

/** Gives room for a walk. */
export function openWalk(automaton: Automaton): Walk {
  return {
    automaton,
    codes: new Uint8Array(blockChars),
    laneChars: 0,
    ends: new Int32Array(blockChars),
    states: new Int32Array(blockChars),
    noted: new Int32Array(lanes),
    rows: new Int32Array(lanes),
    reached: new Int32Array(lanes),
  };
}

/** Starts a walk of an automaton before the first character of a text. */
export function startWalk(walk: Walk, automaton: Automaton): void {
  walk.automaton = automaton;
  walk.rows[lanes - 1] = 0;
}

/** Walks over the next block of a text and notes where anchors end. */
export function walkBlock(walk: Walk, text: string, start: number, end: number): void {
  const { rows, noted, automaton } = walk;
  readCodes(text, { start, end }, walk.codes, () => foreignCodesOf(automaton));
  const chars = end - start;
  const laneChars = Math.floor(chars / lanes);
  const isLaned = laneChars >= laneCharsMin;
  walk.laneChars = isLaned ? laneChars : 0;
  for (let lane = 0; lane < lanes; lane++) noted[lane] = lane * walk.laneChars;
  rows[0] = rows[lanes - 1] as number;
  if (isLaned) walkLanes(walk);
  walkRest(walk, isLaned ? lanes * laneChars : 0, chars);
}

/** Gives each place in the block where an anchor ends, and the state that says which, in order. */
export function forEachEnd(walk: Walk, take: (end: number, state: number) => void): void {
  for (let lane = 0; lane < lanes; lane++) {
    const to = walk.noted[lane] as number;
    for (let place = lane * walk.laneChars; place < to; place++) {
      take(walk.ends[place] as number, walk.states[place] as number);
    }
  }
}

function walkLanes(walk: Walk): void {
  const { automaton, rows, reached, laneChars } = walk;
  settleLanes(walk);
  for (let from = 0; from < laneChars;) {
    const at = stepLanes(automaton.table, walk.codes, walk, from);
    for (let lane = 0; lane < lanes; lane++) {
      const row = reached[lane] as number;
      const begin = lane * laneChars;
      rows[lane] = row >= 0 ? row : look(walk, lane, begin + from, begin + at);
    }
    from = at + 1;
  }
}

/**
 * Steps on in all lanes until one comes to a cell with a sign, and gives the place. It calls nothing,
 * so that an engine keeps the states in registers.
 */
function stepLanes(
  table: Int16Array,
  codes: Uint8Array,
  { rows, reached, laneChars }: Walk,
  from: number,
): number {
  let row0 = rows[0] as number;
  let row1 = rows[1] as number;
  let row2 = rows[2] as number;
  let row3 = rows[3] as number;
  let at = from;
  for (; at < laneChars; at++) {
    row0 = table[(row0 << rowBits) | (codes[at] as number)] as number;
    row1 = table[(row1 << rowBits) | (codes[at + laneChars] as number)] as number;
    row2 = table[(row2 << rowBits) | (codes[at + 2 * laneChars] as number)] as number;
    row3 = table[(row3 << rowBits) | (codes[at + 3 * laneChars] as number)] as number;
    if ((row0 | row1 | row2 | row3) < 0) break;
  }
  reached[0] = row0;
  reached[1] = row1;
  reached[2] = row2;
  reached[3] = row3;
  return at;
}

/** The state at the start of a lane follows from the few characters before it. */
function settleLanes({ automaton, codes, rows, laneChars }: Walk): void {
  for (let lane = 1; lane < lanes; lane++) {
    let row = 0;
    for (let at = lane * laneChars - settleChars; at < lane * laneChars; at++) {
      const next = automaton.table[(row << rowBits) | (codes[at] as number)] as number;
      row = next >= 0 ? next : rowOf(automaton, ~next);
    }
    rows[lane] = row;
  }
}

/** Walks over what no lane has, from the state that the last of them has come to, one by one. */
function walkRest(walk: Walk, from: number, chars: number): void {
  const { automaton, codes, rows, reached } = walk;
  const lane = walk.laneChars === 0 ? 0 : lanes - 1;
  let row = rows[lane] as number;
  let { table } = automaton;
  for (let at = from; at < chars; at++) {
    const next = table[(row << rowBits) | (codes[at] as number)] as number;
    if (next >= 0) {
      row = next;
      continue;
    }
    rows[lane] = row;
    reached[lane] = next;
    row = look(walk, lane, at, at);
    ({ table } = automaton);
  }
  rows[lanes - 1] = row;
}

/** Notes that anchors end at a place, if any do, and gives the row to go on from. */
function look(walk: Walk, lane: number, from: number, at: number): number {
  const { automaton, codes, rows, noted } = walk;
  const state = ~(walk.reached[lane] as number);
  if (endsAnchor(automaton, state)) {
    const place = noted[lane] as number;
    walk.ends[place] = at + 1;
    walk.states[place] = state;
    noted[lane] = place + 1;
    return rowOf(automaton, state);
  }
  let row = rows[lane] as number;
  for (let before = from; before < at; before++) {
    row = automaton.table[(row << rowBits) | (codes[before] as number)] as number;
  }
  // Another lane may have come to the same cell in the same step, and have taken its sign.
  return reach(automaton, (row << rowBits) | (codes[at] as number), state);
}
