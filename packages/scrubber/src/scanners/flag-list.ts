import type { Hit } from "../rule.ts";
import { noteNamed, type Scan, spend } from "../scan.ts";
import { readSecretName } from "../secret-name.ts";
import { quoteAt, readQuoted } from "../value.ts";
import { isStrongWord } from "./command-value.ts";

const flagCharsMax = 48;

/** Finds the string after a string that is a long flag (`["--api-key", "…"]`). */
export function scanFlagList(scan: Scan, hit: Hit): void {
  const { text } = scan;
  const flag = /^([A-Za-z][\w-]{2,40})\\{0,15}["'](?:\s|\\+n){0,8},(?:\s|\\+n){0,24}/.exec(text.slice(hit.end, hit.end + flagCharsMax + 40)); // prettier-ignore
  spend(scan, flagCharsMax);
  if (flag === null || readSecretName(flag[1] as string) === undefined) return;
  const at = hit.end + flag[0].length;
  const quote = quoteAt(text, at);
  if (quote === undefined) return;
  const span = readQuoted(scan, at, quote);
  if (!isStrongWord(span.value)) return;
  noteNamed(scan, {
    start: span.start,
    end: span.end,
    kind: hit.rule.kind,
    ruleId: hit.rule.id,
    canonical: span.value,
  });
}
