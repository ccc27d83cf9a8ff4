import { charClasses } from "../chars.ts";
import { isMixed } from "../checks/randomness.ts";
import type { Hit } from "../rule.ts";
import { noteNamed, runEnd, type Scan, spend } from "../scan.ts";

const idChars = 20;
const secretChars = 40;

/** Finds the secret key that stands beside its access key id without a name (a row, a prompt). */
export function scanAwsPair(scan: Scan, hit: Hit): void {
  const { text } = scan;
  const idEnd = hit.start + idChars;
  if (runEnd(scan, hit.start, charClasses.upperAlnum) !== idEnd) return;
  const gap =
    /^(?: \/ |[\s,;:|"']|\\+[nrt"]){1,12}(?:20\d\d-\d\d-\d\d[\dTZ:.+-]{0,20}(?:[\s,|]|\\+t){1,4})?/.exec(
      text.slice(idEnd, idEnd + 64),
    );
  spend(scan, 24);
  if (gap === null) return;
  const start = idEnd + gap[0].length;
  const end = runEnd(scan, start, charClasses.base64);
  if (end - start !== secretChars || !isMixed(text.slice(start, end))) return;
  noteNamed(scan, { start, end, kind: hit.rule.kind, ruleId: hit.rule.id });
}
