import { charClasses, isAt } from "./chars.ts";
import { nextLineStart } from "./line-lead.ts";
import { type Scan, spend } from "./scan.ts";

/** Longest line of column names, and of what stands before a cell in its row. */
const lineCharsMax = 256;
/** Lines between a row and the names of its columns that are looked back over at once. */
const rowsBackMax = 6;

const cellMarks = " ,;|│\t\"'`.-";
const columnName = (): RegExp =>
  /^[\s"'`]*[A-Za-z_\u00c0-\u024f][\w\u00c0-\u024f .-]{0,40}["'`\s]*$/;

/** The names of columns, and where they begin and end. */
export interface Header {
  readonly cells: readonly string[];
  readonly delimiter: string;
  readonly start: number;
  readonly end: number;
  /** They stand in brackets, as those of an `INSERT` do. */
  readonly isList: boolean;
}

/** Reads the row of column names that a place lies in, or nothing if it is none. */
export function readHeader(scan: Scan, at: number): Header | undefined {
  const { text } = scan;
  let start = at;
  while (start > 0 && at - start < lineCharsMax && isCellChar(text, start - 1)) start--;
  let end = at;
  while (end < text.length && end - at < lineCharsMax && isCellChar(text, end)) end++;
  spend(scan, end - start + 2);
  const isList = text[start - 1] === "(" && text[end] === ")";
  if (!isList && !endsLineAt(text, end)) return undefined;
  return toHeader(text, { start, end, isList });
}

function toHeader(
  text: string,
  { start, end, isList }: { start: number; end: number; isList: boolean },
): Header | undefined {
  const line = text.slice(start, end);
  const delimiter = isList ? "," : delimiterOf(line);
  if (delimiter === undefined) return undefined;
  const cells = line.split(delimiter);
  return areNames(cells, isList ? 1 : 2) ? { cells, delimiter, start, end, isList } : undefined;
}

/** Gives the column's name of the cell that begins at `at`: of its row, or of values inserted. */
export function columnOf(scan: Scan, at: number): string | undefined {
  const { text } = scan;
  const from = Math.max(0, at - lineCharsMax);
  const before = text.slice(from, at);
  spend(scan, before.length);
  const values =
    /\(([^()]{1,200})\)\s{0,4}VALUES\s{0,4}(?:\([^()]{0,200}\),\s{0,8})*\(([^()]{0,120})$/i.exec(
      before,
    );
  if (values !== null) {
    const index = (values[2] ?? "").split(",").length - 1;
    return (values[1] ?? "").split(",")[index];
  }
  return rowColumn(scan, at);
}

function rowColumn(scan: Scan, at: number): string | undefined {
  const { text } = scan;
  const starts = [lineStartBefore(text, at)];
  while (starts.length <= rowsBackMax) {
    const lineStart = starts.at(-1) ?? -1;
    if (lineStart <= 0) return undefined;
    const start = lineStartBefore(text, lineBreakBefore(text, lineStart));
    if (start < 0) return undefined;
    spend(scan, lineStart - start);
    const line = text.slice(start, lineBreakBefore(text, lineStart));
    const header = headerOfLine(line);
    if (header !== undefined) return cellName(header, text.slice(starts[0], at));
    starts.push(start);
  }
  return undefined;
}

function headerOfLine(line: string): readonly [string, readonly string[]] | undefined {
  const bare = line
    .replaceAll("\u001b", "")
    .replace(
      /^(?:\[\d{0,3}m)?(?:[^\n→]{0,8}→|[^\n\t]{0,8}\t|[^\n:]{0,64}:\d+:|\d+:|[+#>-]) ?|^\[\d{0,3}m/,
      "",
    )
    .replace(/\[\d{0,3}m\s{0,4}$/, "");
  const delimiter = delimiterOf(bare);
  if (delimiter === undefined) return undefined;
  const cells = bare.split(delimiter);
  return areNames(cells, 2) ? [delimiter, cells] : undefined;
}

function cellName(
  [delimiter, cells]: readonly [string, readonly string[]],
  before: string,
): string | undefined {
  return cells[before.split(delimiter).length - 1];
}

/** Values of a column, row by row, as places in the text, until the rows end. */
export function columnValues(scan: Scan, header: Header, index: number): readonly number[] {
  if (!header.isList) return rowValues(scan, header, index);
  const copied = /^\)\s{1,4}FROM stdin[^\r\n]{0,64}/i.exec(
    scan.text.slice(header.end, header.end + 88),
  );
  if (copied === null) return insertedValues(scan, header, index);
  return copiedValues(scan, header, { index, from: header.end + copied[0].length });
}

/** Rows of cells with tabs between them, of which the first may be a number: so PostgreSQL dumps a table. */
function copiedValues(
  scan: Scan,
  header: Header,
  { index, from }: { readonly index: number; readonly from: number },
): readonly number[] {
  const found: number[] = [];
  let at = from;
  for (let row = 0; row < rowsMax; row++) {
    const end = /^\r?\n/.exec(scan.text.slice(at, at + 2));
    if (end === null) break;
    const line = cellStarts(scan, at + end[0].length, "\t");
    const cell = line.cells[index];
    if (line.cells.length !== header.cells.length) break;
    if (cell !== undefined && scan.text[cell] !== "\\") found.push(cell);
    at = line.end;
  }
  return found;
}

const rowsMax = 256;
const rowCharsMax = 1024;

function rowValues(scan: Scan, header: Header, index: number): readonly number[] {
  const { text } = scan;
  const found: number[] = [];
  let at = header.end;
  for (let row = 0; row < rowsMax; row++) {
    const start = nextLineStart(scan, at);
    if (start < 0) break;
    const { cells, end } = cellStarts(scan, start, header.delimiter);
    at = end;
    if (cells.length === 1 && /^[|+\-=─┼├┤ ]+$/.test(text.slice(start, end))) continue;
    if (Math.abs(cells.length - header.cells.length) > 1) break;
    const cell = cells[index];
    if (cell !== undefined && !/^[\s|:+-]*$/.test(text.slice(start, end))) found.push(cell);
  }
  return found;
}

function cellStarts(
  scan: Scan,
  start: number,
  delimiter: string,
): { cells: number[]; end: number } {
  const { text } = scan;
  const cells = [start];
  let at = start;
  let isQuoted = false;
  for (; at - start < rowCharsMax && !endsLineAt(text, at); at++) {
    const char = text[at];
    if (char === '"') {
      if (!isQuoted && closesString(text, at)) break;
      isQuoted = !isQuoted && cells.at(-1) === at;
    } else if (char === delimiter && !isQuoted) cells.push(at + 1);
  }
  spend(scan, at - start + 1);
  return { cells, end: at };
}

/** The quote that ends a string of JSON in which the row stands. */
function closesString(text: string, at: number): boolean {
  return /^"\s?[}\]:]/.test(text.slice(at, at + 3));
}

function insertedValues(scan: Scan, header: Header, index: number): readonly number[] {
  const { text } = scan;
  const lead = /^\)\s{0,8}VALUES\s{0,8}\(/i.exec(text.slice(header.end, header.end + 32));
  const found: number[] = [];
  let at = lead === null ? -1 : header.end + lead[0].length;
  for (let row = 0; row < rowsMax && at >= 0; row++) {
    const { cells, end } = tupleStarts(scan, at);
    const cell = cells[index];
    if (cell !== undefined) found.push(cell);
    const next = /^\)\s{0,2},(?:\s|\\+[nrt]){0,16}\(/.exec(text.slice(end, end + 32));
    at = next === null ? -1 : end + next[0].length;
  }
  return found;
}

function tupleStarts(scan: Scan, start: number): { cells: number[]; end: number } {
  const { text } = scan;
  const cells = [start];
  let at = start;
  let isQuoted = false;
  while (at < text.length && at - start < rowCharsMax) {
    const char = text[at] ?? "";
    if (char === "'") isQuoted = !isQuoted;
    else if (!isQuoted && char === ",") cells.push(at + 1);
    else if (!isQuoted && char === ")") break;
    at++;
  }
  spend(scan, at - start + 1);
  return { cells, end: at };
}

function isCellChar(text: string, at: number): boolean {
  if (isAt(text, at, charClasses.ident) || cellMarks.includes(text[at] ?? "\n")) return true;
  // Letters with accents.
  return text.charCodeAt(at) >= 0xc0 && text.charCodeAt(at) <= 0x2_4f;
}

function delimiterOf(line: string): string | undefined {
  return ["|", "│", "\t", ",", ";"].find((each) => line.includes(each));
}

/** Whether cells are names; those outside the frame of a table are empty. */
function areNames(cells: readonly string[], countMin: number): boolean {
  const inner = cells.filter((cell) => !/^[\s"'`]*$/.test(cell));
  return (
    inner.length >= countMin && inner.every((cell) => columnName().test(cell) && !isValue(cell))
  );
}

/** A placeholder, or so long with digits in it that no column is called so. */
function isValue(cell: string): boolean {
  return cell.includes("__SECRET_") || (cell.trim().length > 24 && /\d/.test(cell));
}

function endsLineAt(text: string, at: number): boolean {
  const char = text[at];
  if (char === undefined || char === "\n" || char === "\r" || char === "\u001b") return true;
  return char === "\\" && /^\\+[nr]/.test(text.slice(at, at + 9));
}

/** Start of the line that `at` lies in, -1 if that is too far away. */
function lineStartBefore(text: string, at: number): number {
  const stop = Math.max(0, at - lineCharsMax);
  for (let index = at; index > stop; index--) {
    if (text[index - 1] === "\n") return index;
    if (text[index - 1] === "n" && text[index - 2] === "\\") return index;
    if (text[index - 1] === '"' && opensString(text, index - 1)) return index;
  }
  return stop === 0 ? 0 : -1;
}

/** A quote after the colon or the bracket of JSON, at any depth. */
function opensString(text: string, at: number): boolean {
  return /[:[]\s?\\*$/.test(text.slice(Math.max(0, at - 16), at));
}

/** End of the line before the one that begins at `start`. */
function lineBreakBefore(text: string, start: number): number {
  const lineEnd = /(?:(?:\\+r)?\\+n|\r?\n)$/.exec(text.slice(Math.max(0, start - 32), start));
  return start - (lineEnd?.[0].length ?? 0);
}
