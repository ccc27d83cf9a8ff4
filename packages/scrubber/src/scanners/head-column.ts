import type { Hit } from "../rule.ts";
import { noteNamed, type Scan } from "../scan.ts";
import { type Found, valueAt } from "./spoken-sentence.ts";
import { lineAt, lineStart } from "./table-line.ts";

const rowsMax = 48;
const ruled = (): RegExp => /^[\s|+]{0,8}:?-{2,}[-:|+= ]*$/;

/**
 * Finds the values of a column whose head is the noun at a place, in a table whose heads are
 * underlined; `read` gives what a cell holds.
 */
export function noteHeadColumn(
  scan: Scan,
  hit: Hit,
  noun: { readonly start: number; readonly end: number },
  read: (cell: string) => readonly Found[] = wordOf,
): void {
  const { text } = scan;
  if (!/^[^\S\n]{0,40}(?:\||\r?\n|\\+n)/.test(text.slice(noun.end, noun.end + 48))) return;
  const start = lineStart(text, noun.start);
  const column = countBars(text.slice(start, noun.start));
  const head = lineAt(scan, start);
  const rule = lineAt(scan, head.next);
  if (column === 0 || head.next === start || !ruled().test(text.slice(rule.start, rule.end)))
    return;
  let line = rule;
  for (let count = 0; count < rowsMax && line.next !== line.start; count++) {
    line = lineAt(scan, line.next);
    const cells = text.slice(line.start, line.end).split("|");
    const cell = cells[column];
    if (cell === undefined || cells.length < 2) return;
    const from = line.start + cells.slice(0, column).join("|").length + 1;
    for (const found of read(cell)) noteCell(scan, hit, from, found);
  }
}

function noteCell(scan: Scan, { rule }: Hit, from: number, { start, value }: Found): void {
  const at = from + start;
  const end = at + value.length;
  noteNamed(scan, { start: at, end, kind: rule.kind, ruleId: rule.id, rank: 1, canonical: value });
}

/** The only word of a cell. */
function wordOf(cell: string): readonly Found[] {
  const lead = /^\s*/.exec(cell)?.[0].length ?? 0;
  const word = cell.slice(lead).trimEnd();
  const found = /\s/.test(word) ? undefined : valueAt({ start: lead, text: word });
  return found === undefined ? [] : [found];
}

function countBars(line: string): number {
  return line.split("|").length - 1;
}
