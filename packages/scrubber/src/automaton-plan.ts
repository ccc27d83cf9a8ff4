/**
 * What an automaton is opened from. Each list is a text whose code units are its numbers: a text
 * is a constant of a program, so a plan that a build has written costs a cold process nothing.
 * States are numbered level by level, so the children of a state follow one another.
 */
export interface AutomatonPlan {
  /** Characters that anchors hold, in lower case; the column of each is its place plus one. */
  readonly chars: string;
  /** Column of the character that leads to a state. */
  readonly columns: string;
  /** First child of each state, and one more for the end of the last. */
  readonly childStarts: string;
  /** The state of the longest suffix that begins an anchor. */
  readonly fails: string;
  /** Place in {@link outputs} of the first anchor that ends at a state, and one more. */
  readonly outputStarts: string;
  /** Numbers of anchors that end at a state, longest first. */
  readonly outputs: string;
}

interface Node {
  readonly children: Map<number, Node>;
  readonly column: number;
  fail: Node | undefined;
  /** Anchors that end here; those of the longest suffix are added when it is known. */
  outputs: readonly number[];
}

/** Plans the automaton for a set of anchors. Costs milliseconds: a build does it. */
export function planAutomaton(anchors: readonly string[]): AutomatonPlan {
  const chars: string[] = [];
  const root = newNode(0);
  anchors.forEach((anchor, number) => {
    let node = root;
    for (const char of anchor.toLowerCase()) node = childOf(node, columnOf(chars, char));
    node.outputs = [...node.outputs, number];
  });
  const levels = [root];
  for (const node of levels) {
    for (const child of node.children.values()) {
      link(root, node, child);
      levels.push(child);
    }
  }
  return writePlan(chars, levels);
}

function newNode(column: number): Node {
  return { children: new Map(), column, fail: undefined, outputs: [] };
}

function columnOf(chars: string[], char: string): number {
  const known = chars.indexOf(char);
  return known < 0 ? chars.push(char) : known + 1;
}

function childOf(node: Node, column: number): Node {
  const known = node.children.get(column);
  if (known !== undefined) return known;
  const child = newNode(column);
  node.children.set(column, child);
  return child;
}

/** Finds the longest proper suffix; those of shorter nodes are known already. */
function link(root: Node, parent: Node, child: Node): void {
  let suffix = parent.fail;
  while (suffix !== undefined && !suffix.children.has(child.column)) suffix = suffix.fail;
  child.fail = suffix?.children.get(child.column) ?? root;
  child.outputs = [...child.outputs, ...child.fail.outputs];
}

function writePlan(chars: readonly string[], levels: readonly Node[]): AutomatonPlan {
  const numbers = new Map(levels.map((node, number) => [node, number]));
  const numberOf = (node: Node | undefined): number =>
    node === undefined ? 0 : (numbers.get(node) ?? 0);
  return {
    chars: chars.join(""),
    columns: textOf(levels.map((node) => node.column)),
    childStarts: textOf(
      startsOf(
        levels.map((node) => node.children.size),
        1,
      ),
    ),
    fails: textOf(levels.map((node) => numberOf(node.fail))),
    outputStarts: textOf(
      startsOf(
        levels.map((node) => node.outputs.length),
        0,
      ),
    ),
    outputs: textOf(levels.flatMap((node) => node.outputs)),
  };
}

/** Where each of some lists begins when they are put one after the other, and where the last ends. */
export function startsOf(lengths: readonly number[], first: number): readonly number[] {
  const starts = [first];
  for (const length of lengths) starts.push((starts.at(-1) ?? first) + length);
  return starts;
}

/** Largest number that a text of numbers holds: what follows are halves of surrogate pairs. */
const numberMax = 0xd7ff;

/** Writes numbers as the code units of a text. */
export function textOf(numbers: readonly number[]): string {
  if (numbers.some((each) => each > numberMax)) throw new Error("a plan holds too large a number");
  return numbers.map((each) => String.fromCharCode(each)).join("");
}
