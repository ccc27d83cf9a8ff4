import { isSecretValue } from "../judge.ts";
import type { Hit } from "../rule.ts";
import { noteNamed, type Scan } from "../scan.ts";
import type { SecretName } from "../secret-name.ts";
import { isGiven, isStrongWord } from "./command-value.ts";

/** Where a cell of a table stands. */
export interface Cell {
  readonly start: number;
  readonly end: number;
  /** The table is of values and of nothing that describes them, so that any word is one. */
  readonly isLiteral?: boolean;
}

/** Notes what a cell holds, if it is a secret of the kind that its head or its row promises. */
export function noteCell(scan: Scan, hit: Hit, cell: Cell, promise: SecretName): void {
  const raw = scan.text.slice(cell.start, cell.end);
  const lead = /^[\s`*"]{0,80}/.exec(raw)?.[0].length ?? 0;
  const value = raw.slice(lead).replace(/[\s`*"]{1,200}$/, "");
  const isSecret =
    promise.family === "password"
      ? isGiven(value) &&
        isSecretValue(value, promise, { isQuoted: true, isLiteral: cell.isLiteral === true })
      : isStrongWord(value) && /\d/.test(value);
  if (!isSecret || /[\s'"()<>{}]/.test(value)) return;
  const start = cell.start + lead;
  const { kind, id } = hit.rule;
  noteNamed(scan, {
    start,
    end: start + value.length,
    kind,
    ruleId: id,
    rank: 1,
    canonical: value,
  });
}
