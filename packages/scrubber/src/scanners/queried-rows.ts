import type { Hit } from "../rule.ts";
import { noteNamed, type Scan, spend } from "../scan.ts";
import { isStrongWord } from "./command-value.ts";
import { lineAt, lineStart } from "./table-line.ts";

const rowsMax = 48;

/** Finds the cells of what a query of a table of secrets gave, in rows without heads, as SQLite prints them. */
export function scanQueriedRows(scan: Scan, hit: Hit): void {
  const { text } = scan;
  let line = lineAt(scan, lineStart(text, hit.start));
  if (!/\bselect\b/i.test(text.slice(line.start, hit.start))) return;
  for (let count = 0; count < rowsMax && line.next !== line.start; count++) {
    line = lineAt(scan, line.next);
    const cells = text.slice(line.start, line.end).split("|");
    // A line of heads or dashes is that of a table, which has a scanner of its own.
    if (cells.length < 2 || /^[\s|+-]*$/.test(cells.join("|"))) return;
    spend(scan, line.end - line.start);
    let at = line.start;
    for (const cell of cells) {
      noteCell(scan, hit, at, cell);
      at += cell.length + 1;
    }
  }
}

function noteCell(scan: Scan, { rule }: Hit, from: number, cell: string): void {
  const value = cell.trim();
  if (!isStrongWord(value) || !/\d/.test(value) || /^\d{4}-\d\d/.test(value)) return;
  const start = from + cell.indexOf(value);
  const end = start + value.length;
  noteNamed(scan, { start, end, kind: rule.kind, ruleId: rule.id, rank: 1, canonical: value });
}
