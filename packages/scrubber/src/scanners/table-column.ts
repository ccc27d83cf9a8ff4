import type { Hit } from "../rule.ts";
import type { Scan } from "../scan.ts";
import { readSecretName, type SecretName } from "../secret-name.ts";
import { type Cell, noteCell } from "./table-cell.ts";
import { type Line, lineAt, lineCharsMax, lineEndBefore, lineStart } from "./table-line.ts";

const rowsMax = 64;
/** The line under the heads: dashes and bars, after what tools put before a line. */
const ruled = (): RegExp => /^[\w.:/\s→+>[\]-]{0,48}?[|+-][-:|+= ]{3,}$/;

/** Finds the cells of columns whose heads promise secrets, from the line under the heads. */
export function scanTableColumn(scan: Scan, hit: Hit): void {
  const { text } = scan;
  const start = lineStart(text, hit.start);
  const rule = lineAt(scan, start);
  if (start === 0 || rule.next === start || firstMark(text, start) < hit.start) return;
  if (!ruled().test(text.slice(start, rule.end).trimEnd())) return;
  const headStart = lineStart(text, lineEndBefore(text, start));
  const head = lineAt(scan, headStart);
  const cells = text.slice(head.start, head.end).split("|");
  cells.forEach((cell, column) => {
    const promise = cells.length < 2 ? undefined : readSecretName(nameOf(cell));
    if (promise !== undefined) noteColumn({ scan, hit, column, promise }, rule.next);
  });
}

/**
 * Finds the cells under the head at a place, where heads are underlined one by one and each column
 * is as wide as its line: so SQL*Plus, PowerShell and the tools of clouds print tables.
 */
export function noteUnderlined(
  scan: Scan,
  hit: Hit,
  head: { readonly start: number; readonly end: number },
  promise: SecretName,
): void {
  const { text } = scan;
  if (!/^(?: {2}|\s*(?:[\r\n]|\\n|$))/.test(text.slice(head.end, head.end + 8))) return;
  const start = lineStart(text, head.start);
  const rule = lineAt(scan, lineAt(scan, start).next);
  const from = head.start - start;
  const ruled = text.slice(rule.start, rule.end);
  if (!/^[-= ]+$/.test(ruled) || !/^(?: |^)--/.test(` ${ruled}`.slice(from))) return;
  const next = /^-+ +(?=-)/.exec(ruled.slice(from))?.[0].length ?? -1;
  let line = rule;
  for (let count = 0; count < rowsMax && line.next !== line.start; count++) {
    line = lineAt(scan, line.next);
    const cell = {
      start: line.start + from,
      end: next < 0 ? line.end : Math.min(line.end, line.start + from + next),
    };
    if (cell.end > cell.start && /^\S/.test(text.slice(cell.start, cell.end)))
      noteCell(scan, hit, cell, promise);
  }
}

/** Place of the first mark by which a line under heads is met, so that it is read once. */
function firstMark(text: string, start: number): number {
  const place = text.slice(start, start + lineCharsMax).search(/\|\s?:?--|-\+-|\+--/);
  return start + place;
}

function nameOf(cell: string): string {
  return cell
    .replaceAll(/[^\w .-]/g, " ")
    .trim()
    .replaceAll(/ {1,8}/g, "_");
}

interface Column {
  readonly scan: Scan;
  readonly hit: Hit;
  readonly column: number;
  readonly promise: SecretName;
}

function noteColumn(place: Column, from: number): void {
  const { scan, hit, column, promise } = place;
  let start = from;
  for (let count = 0; count < rowsMax; count++) {
    const line = lineAt(scan, start);
    const cell = cellAt(scan.text, line, column);
    if (cell === undefined) return;
    noteCell(scan, hit, cell, promise);
    if (line.next === line.start) return;
    start = line.next;
  }
}

/** The cell after as many bars as stand before a column's head. */
function cellAt(text: string, { start, end }: Line, column: number): Cell | undefined {
  const cells = text.slice(start, end).split("|");
  const cell = cells[column];
  if (cell === undefined || cells.length < 2) return undefined;
  const from = start + cells.slice(0, column).reduce((sum, each) => sum + each.length + 1, 0);
  return { start: from, end: from + cell.length };
}
