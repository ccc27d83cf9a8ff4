import type { Hit } from "../rule.ts";
import { noteNamed, type Scan, spend } from "../scan.ts";
import { readBare } from "../value.ts";

/** Finds the fifth field of a `.pgpass` line, from its port. */
export function scanPgpass(scan: Scan, hit: Hit): void {
  const { text } = scan;
  const fields = /^[\w*.-]{1,63}:[\w*.@-]{1,63}:(?=\S)/.exec(text.slice(hit.end, hit.end + 130));
  spend(scan, 16);
  if (fields === null) return;
  const span = readBare(scan, hit.end + fields[0].length);
  if (span.value.length < 3 || /^[$<{*]/.test(span.value)) return;
  noteNamed(scan, {
    start: span.start,
    end: span.end,
    kind: hit.rule.kind,
    ruleId: hit.rule.id,
    canonical: span.value,
  });
}
