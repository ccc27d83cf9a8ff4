import type { Hit } from "../rule.ts";
import type { Scan } from "../scan.ts";
import type { SecretName } from "../secret-name.ts";
import { noteCell } from "./table-cell.ts";
import { type Line, lineAt, lineEndBefore, lineStart } from "./table-line.ts";

const rowsMax = 24;
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
  const row = lineAt(scan, lineStart(text, name.start));
  if (row.start !== name.start) return;
  const column = columnAbove(scan, row);
  const isCell = column > 0 && text[row.start + column - 1] === " " && row.end > row.start + column;
  if (!isCell || text[row.start + column] === " ") return;
  noteCell(scan, hit, { start: row.start + column, end: row.end, isLiteral: true }, promise);
}

/** Where the second column begins, by the dashes under its head; 0 where there are none above. */
function columnAbove(scan: Scan, row: Line): number {
  let { start } = row;
  for (let count = 0; count < rowsMax && start > 0; count++) {
    start = lineStart(scan.text, lineEndBefore(scan.text, start));
    const line = lineAt(scan, start);
    const gap = ruled().exec(scan.text.slice(line.start, line.end));
    if (gap !== null) return gap[0].length;
    if (line.end === line.start) return 0;
  }
  return 0;
}
