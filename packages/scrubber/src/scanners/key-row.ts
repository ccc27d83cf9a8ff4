import type { Hit } from "../rule.ts";
import type { KeyRow, Scan } from "../scan.ts";
import type { SecretName } from "../secret-name.ts";
import { noteCell } from "./table-cell.ts";
import { type Line, lineAt, lineEndBefore, lineStart } from "./table-line.ts";

const rowsMax = 24;
const none = { column: 0, lines: 0 } as const;
/** Two columns with a line of dashes under each head: names, and what they are set to. */
const ruled = (): RegExp => /^-{3,} {2,}(?=-{3,}\s*$)/;

/**
 * Finds what stands beside a name in a table of names and values, as vaults print what they hold
 * (`Key  Value` over `---  -----`). The column says that it is a value, so a plain word will do.
 */
export function noteKeyRow(
  scan: Scan,
  hit: Hit,
  name: { readonly start: number; readonly end: number },
  promise: SecretName,
): void {
  const { text } = scan;
  if (!text.startsWith("  ", name.end)) return;
  if (lineStart(text, name.start) !== name.start) return;
  const row = lineAt(scan, name.start);
  const column = columnAbove(scan, row);
  const isCell = column > 0 && text[row.start + column - 1] === " " && row.end > row.start + column;
  if (!isCell || text[row.start + column] === " ") return;
  noteCell(scan, hit, { start: row.start + column, end: row.end, isLiteral: true }, promise);
}

/** Where the second column begins, by the dashes under its head; 0 where there are none above. */
function columnAbove(scan: Scan, row: Line): number {
  const found = ruleAbove(scan, row.start);
  scan.keyRow = { start: row.start, ...found };
  return found.column;
}

/** The line of dashes above a line, and how many lines up it is. What the row looked at last found is not looked for again. */
function ruleAbove(scan: Scan, from: number): Omit<KeyRow, "start"> {
  const last = scan.keyRow;
  let start = from;
  for (let lines = 1; lines <= rowsMax && start > 0; lines++) {
    start = lineStart(scan.text, lineEndBefore(scan.text, start));
    if (start === last?.start) {
      const isNear = last.column > 0 && lines + last.lines <= rowsMax;
      return isNear ? { column: last.column, lines: lines + last.lines } : none;
    }
    const line = lineAt(scan, start);
    const gap = ruled().exec(scan.text.slice(line.start, line.end));
    if (gap !== null) return { column: gap[0].length, lines };
    if (line.end === line.start) return none;
  }
  return none;
}
