import type { Hit } from "../rule.ts";
import { noteNamed, type Scan, spend } from "../scan.ts";
import { quoteAt, readQuoted } from "../value.ts";
import { isGiven } from "./command-value.ts";

const answerCharsMax = 96;

/** Finds what a script sends when it is asked for a password: `expect "assword:"`, then `send`. */
export function scanExpect(scan: Scan, hit: Hit): void {
  const window = scan.text.slice(hit.end, hit.end + answerCharsMax);
  spend(scan, 16);
  const send = /(?:\b|\\n)(?:send(?:_?line)?|write)\b(?: -- ?| -h ?| -s ?|\()?\s?/i.exec(window);
  if (send === null) return;
  const at = hit.end + send.index + send[0].length;
  const quote = quoteAt(scan.text, at);
  if (quote === undefined) return;
  const span = readQuoted(scan, at, quote);
  const tail = /(?:\\+[rn]|[\r\n])+$/.exec(scan.text.slice(span.start, span.end))?.[0].length ?? 0;
  const value = span.value.replace(/(?:\\+[rn]|[\r\n])+$/, "");
  if (!isGiven(value) || /\s/.test(value)) return;
  noteNamed(scan, {
    start: span.start,
    end: span.end - tail,
    kind: hit.rule.kind,
    ruleId: hit.rule.id,
    canonical: value,
  });
}
