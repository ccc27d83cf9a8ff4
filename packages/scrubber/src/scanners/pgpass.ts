import { charClasses, isAt } from "../chars.ts";
import type { Hit } from "../rule.ts";
import { noteNamed, type Scan, spend } from "../scan.ts";
import { readBare } from "../value.ts";

const lineCharsMax = 320;
const linesMax = 32;
/** Host, port, database and user: any but the user may be a star. */
// oxlint-disable-next-line no-control-regex -- colours begin with one
const fields = (): RegExp => /(?:^|[\s+\-|→>\u001bm"'`n:])((?:\[[\da-f:]{2,45}\]|[\w*.@/-]{1,100}):(?:\d{2,5}|\*):[\w*.$-]{1,63}:[\w*.@-]{1,63}:)(?=\S)/; // prettier-ignore

/** Finds the fifth field of `.pgpass` lines: from the port, or after the name of the file. */
export function scanPgpass(scan: Scan, hit: Hit): void {
  const { text } = scan;
  if (text[hit.start] === "." && hit.end - hit.start === ".pgpass".length) {
    scanFile(scan, hit);
    return;
  }
  const from = Math.max(0, hit.start - 104);
  const window = text.slice(from, hit.end + 130);
  spend(scan, 24);
  const at = hostStart(text, hit.start);
  const line = fields().exec(window.slice(Math.max(0, at - from - 1)));
  if (line === null) return;
  const start = from + Math.max(0, at - from - 1) + line.index + line[0].length;
  notePassword(scan, hit, start);
}

/** Where the host before a port begins. */
function hostStart(text: string, end: number): number {
  let at = end;
  while (at > 0 && end - at < 100 && (isAt(text, at - 1, charClasses.name) || "*:[]".includes(text[at - 1] as string))) at--; // prettier-ignore
  return at;
}

/** Looks through the lines that follow the name of the file in a command or a heading. */
function scanFile(scan: Scan, hit: Hit): void {
  const { text } = scan;
  let at = hit.end;
  for (let count = 0; count < linesMax; count++) {
    const rest = text.slice(at, at + lineCharsMax);
    const end = rest.search(/\n|\\+n/);
    spend(scan, end < 0 ? 8 : Math.min(end, 64) + 8);
    if (end < 0 && count === 0) return;
    const line = fields().exec(rest.slice(0, end < 0 ? undefined : end));
    if (line !== null) notePassword(scan, hit, at + line.index + line[0].length);
    else if (count > 2) return;
    if (end < 0) return;
    at += end + (/^(?:\n|\\+n)/.exec(rest.slice(end))?.[0].length ?? 1);
  }
}

function notePassword(scan: Scan, hit: Hit, start: number): void {
  const span = readBare(scan, start);
  if (span.value.length < 3 || /^[$<{*]|^\d+$/.test(span.value)) return;
  // The ages of a password, which a line of the shadow file ends in.
  if (/^\d*:\d*:\d*:\d*:\d*$/.test(span.value)) return;
  noteNamed(scan, {
    start: span.start,
    end: span.end,
    kind: hit.rule.kind,
    ruleId: hit.rule.id,
    canonical: span.value,
  });
}
