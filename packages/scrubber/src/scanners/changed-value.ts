import { isSecretValue } from "../judge.ts";
import type { Hit } from "../rule.ts";
import { noteNamed, type Scan, spend } from "../scan.ts";
import { readSecretName } from "../secret-name.ts";
import { quoteAt, readQuoted } from "../value.ts";
import { skipGap } from "./separator.ts";

const lineCharsMax = 320;

/** Finds the new value in a change that a plan shows: `password = "…" -> "…"`. */
export function scanChangedValue(scan: Scan, hit: Hit): void {
  const { text } = scan;
  const at = skipGap(text, hit.end);
  const quote = quoteAt(text, at);
  spend(scan, 2);
  if (quote === undefined) return;
  const window = text.slice(Math.max(0, hit.start - lineCharsMax), hit.start);
  const line = window.slice(window.lastIndexOf("\n") + 1);
  const name = /([A-Za-z_][\w.-]{1,63})(?:\\*"|&quot;)?\s{0,24}[=:]\s{0,4}(?:\\*["']|&quot;|&#39;)[^\n]{0,200}$/.exec(line.slice(line.lastIndexOf("\\n") + 1)); // prettier-ignore
  spend(scan, line.length);
  const promise = name === null ? undefined : readSecretName(name[1] as string);
  if (promise === undefined) return;
  const span = readQuoted(scan, at, quote);
  if (!isSecretValue(span.value, promise, { isQuoted: true, isLiteral: true })) return;
  noteNamed(scan, {
    start: span.start,
    end: span.end,
    kind: hit.rule.kind,
    ruleId: hit.rule.id,
    rank: 1,
    canonical: span.value,
  });
}
