/**
 * Finds every anchor of a fixed set in one pass over a text (Aho-Corasick), without regard to
 * ASCII case. States are row offsets into one dense table; a negative entry is the complement
 * of a state at which at least one anchor ends, so that the pass tests one sign per character.
 */
export interface Automaton {
  /** Column of each code unit; 0 is every character that no anchor holds. */
  readonly columns: Uint8Array;
  readonly table: Int32Array;
  readonly stride: number;
  /** Anchor numbers that end at a state, by state offset divided by the stride, longest first. */
  readonly outputs: readonly (readonly number[] | undefined)[];
}

interface Trie {
  readonly columns: Uint8Array;
  readonly stride: number;
  readonly table: Int32Array;
  /** First and next edge of a state, and the column of an edge, all by the state it leads to. */
  readonly firstChild: Int32Array;
  readonly nextSibling: Int32Array;
  readonly columnOf: Uint8Array;
  readonly own: (number[] | undefined)[];
  states: number;
}

/**
 * Builds the automaton for a set of ASCII anchors. It runs once in a cold process, so it keeps
 * to flat arrays and plain loops: about 1 ms for 300 anchors.
 */
export function buildAutomaton(anchors: readonly string[]): Automaton {
  const trie = plantTrie(anchors);
  const { stride, table, firstChild, nextSibling, columnOf } = trie;
  const outputs: (readonly number[] | undefined)[] = trie.own;
  const fails = new Int32Array(trie.states);
  const queue = new Int32Array(trie.states);
  let queued = 1;
  for (let taken = 0; taken < queued; taken++) {
    const state = queue[taken] as number;
    const offset = state * stride;
    const failOffset = (fails[state] as number) * stride;
    if (state !== 0) table.copyWithin(offset, failOffset, failOffset + stride);
    for (let child = firstChild[state] as number; child !== 0;) {
      const cell = offset + (columnOf[child] as number);
      const inherited = state === 0 ? 0 : (table[cell] as number);
      const fail = (inherited < 0 ? ~inherited : inherited) / stride;
      fails[child] = fail;
      outputs[child] = joinOutputs(outputs[child], outputs[fail]);
      const target = child * stride;
      table[cell] = outputs[child] === undefined ? target : ~target;
      queue[queued++] = child;
      child = nextSibling[child] as number;
    }
  }
  return { columns: trie.columns, table, stride, outputs };
}

function joinOutputs(
  own: readonly number[] | undefined,
  inherited: readonly number[] | undefined,
): readonly number[] | undefined {
  if (own === undefined || inherited === undefined) return own ?? inherited;
  return own.concat(inherited);
}

function plantTrie(anchors: readonly string[]): Trie {
  const columns = new Uint8Array(65_536);
  let stride = 1;
  let statesMax = 1;
  for (const anchor of anchors) {
    statesMax += anchor.length;
    for (let index = 0; index < anchor.length; index++) {
      const code = foldedCode(anchor, index);
      if (columns[code] !== 0) continue;
      columns[code] = stride;
      if (code >= 97 && code <= 122) columns[code - 32] = stride;
      stride++;
    }
  }
  const trie: Trie = {
    columns,
    stride,
    table: new Int32Array(statesMax * stride),
    firstChild: new Int32Array(statesMax),
    nextSibling: new Int32Array(statesMax),
    columnOf: new Uint8Array(statesMax),
    own: [undefined],
    states: 1,
  };
  for (let number = 0; number < anchors.length; number++) {
    plantAnchor(trie, anchors[number] as string, number);
  }
  return trie;
}

/** Adds one anchor; while planting, the table holds bare state numbers. */
function plantAnchor(trie: Trie, anchor: string, number: number): void {
  const { columns, stride, table, firstChild, nextSibling, own } = trie;
  let state = 0;
  for (let index = 0; index < anchor.length; index++) {
    const column = columns[foldedCode(anchor, index)] as number;
    const cell = state * stride + column;
    let next = table[cell] as number;
    if (next === 0) {
      next = trie.states++;
      table[cell] = next;
      nextSibling[next] = firstChild[state] as number;
      firstChild[state] = next;
      trie.columnOf[next] = column;
      own.push(undefined);
    }
    state = next;
  }
  const known = own[state];
  if (known === undefined) own[state] = [number];
  else known.push(number);
}

function foldedCode(text: string, index: number): number {
  const code = text.charCodeAt(index);
  return code >= 65 && code <= 90 ? code + 32 : code;
}
