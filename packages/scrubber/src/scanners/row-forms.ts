import { endsEscape } from "../escapes.ts";
import { spend } from "../scan.ts";
import { quoteAt } from "../value.ts";
import { type Gap, isUpperName, type Separator, skipGap, tie } from "./gap.ts";

/** `assert_eq!(config.token, "X")`. */
export function assertedForm(gap: Gap): Separator | undefined {
  const { text } = gap.scan;
  if (quoteAt(text, gap.at + 2) === undefined) return undefined;
  const before = text.slice(Math.max(0, gap.nameStart - 48), gap.nameStart);
  return /(?:assert|equal|expect|require)\w{0,16}!?\([^()"']{0,24}$/i.test(before)
    ? tie(gap, "quoted", gap.at + 2)
    : undefined;
}

/** Whether the name is the first of its line. */
export function startsRow(gap: Gap): boolean {
  const { text } = gap.scan;
  const start = gap.nameStart - (gap.nameQuote?.written.length ?? 0);
  const before = text[start - 1] ?? "\n";
  if ("\n+→\t:".includes(before) || (before === " " && isUpperName(gap))) return true;
  return endsEscape(text, start) || isOpening(text, start);
}

/** A string of JSON, or the text itself, begins here. */
function isOpening(text: string, start: number): boolean {
  return start === 0 || /[:,[]\s?\\*"$/.test(text.slice(Math.max(0, start - 8), start));
}

/** `VALUES (4, 'name', 'value')`: a row of a table in which settings have a row each. */
export function valuesForm(gap: Gap): Separator | undefined {
  const { scan, nameStart, nameQuote } = gap;
  const { text } = scan;
  const quoted = nameStart - (nameQuote?.written.length ?? 0);
  const at = skipGap(text, gap.at + 1);
  if (!",( ".includes(text[quoted - 1] ?? "x") || quoteAt(text, at) === undefined) return undefined;
  spend(scan, 32);
  const before = text.slice(Math.max(0, nameStart - rowCharsMax), nameStart);
  return /\bvalues\b/i.test(before) ? tie(gap, "cell", at) : undefined;
}

const rowCharsMax = 240;
