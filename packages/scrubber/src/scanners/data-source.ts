import { nextLineStart } from "../line-lead.ts";
import type { Hit } from "../rule.ts";
import { noteNamed, type Scan, spend } from "../scan.ts";
import { isGiven } from "./command-value.ts";

const userCharsMax = 160;
const lineCharsMax = 224;

/** Finds the password of a data source of Go (`user:password@tcp(host)/db`), which has no scheme. */
export function scanDataSource(scan: Scan, hit: Hit): void {
  const { text } = scan;
  const before = text.slice(Math.max(0, hit.start - userCharsMax), hit.start);
  spend(scan, before.length >> 2);
  const found = /(?:^|[\s"'`=(\\])n?([A-Za-z_][\w.-]{0,31}):([^\s"'`]{3,96})$/.exec(before);
  const value = found?.[2] ?? "";
  if (value === "" || value.startsWith("//") || !isGiven(value)) return;
  const { kind, id } = hit.rule;
  noteNamed(scan, { start: hit.start - value.length, end: hit.start, kind, ruleId: id });
}

const ruleCharsMax = 64;

/** Finds the passwords that an access list of Redis gives to a user: `user app on ~* >password`. */
export function scanAccessList(scan: Scan, hit: Hit): void {
  const { text } = scan;
  const from = Math.max(0, hit.start - ruleCharsMax);
  const before = text.slice(from, hit.start);
  spend(scan, 32);
  const line = before.slice(before.lastIndexOf("\n") + 1) + text.slice(hit.start, hit.end);
  if (!/\b(?:setuser |user [\w.@-]{1,48} )/i.test(line)) return;
  const rest = text.slice(hit.start, hit.end + 2 * ruleCharsMax);
  const rules = rest.slice(0, Math.max(rest.search(/[\r\n"'`\\]|$/), hit.end - hit.start));
  for (const found of rules.matchAll(/ [>](?=(\S{3,128}))/g)) {
    const value = found[1] as string;
    const start = hit.start + found.index + 2;
    if (!isGiven(value) || /^=?\d+$/.test(value)) continue;
    noteNamed(scan, { start, end: start + value.length, kind: hit.rule.kind, ruleId: hit.rule.id });
  }
}

const linesMax = 24;

/** What may stand among the lines. */
const otherLine = (): RegExp => /^(?:list|users|expire|password|-?\s?name|type)\b/;

/** Finds the passwords of `user:password` lines, as cloud-init and Postfix keep them. */
export function scanPasswordLines(scan: Scan, hit: Hit): void {
  const isRelay = scan.text[hit.start] === "]";
  let at = isRelay ? hit.end : nextLineStart(scan, hit.end);
  for (let count = 0; count < linesMax && at >= 0; count++) {
    const window = scan.text.slice(at, at + lineCharsMax);
    const line = window.slice(0, window.search(/[\r\n\\]|$/));
    spend(scan, line.length + 1);
    const lead = /^(?:- )?["']?[\w.@+-]{1,64}:(?=[!-~]{4,128}$)/.exec(line)?.[0] ?? "";
    if (lead === "" && !otherLine().test(line)) return;
    const value = lead === "" ? "" : line.slice(lead.length).replace(/["']$/, "");
    const isSet = isGiven(value) && !/^RANDOM$|^\|/.test(value);
    const start = at + lead.length;
    const { kind, id } = hit.rule;
    if (isSet) noteNamed(scan, { start, end: start + value.length, kind, ruleId: id });
    at = isRelay ? -1 : nextLineStart(scan, at + line.length);
  }
}
