import type { Hit } from "../rule.ts";
import { noteNamed, type Scan, spend } from "../scan.ts";
import { isGiven } from "./command-value.ts";

const userCharsMax = 160;

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

/** Finds the password that an access list of Redis gives to a user: `user app on >password`. */
export function scanAccessList(scan: Scan, hit: Hit): void {
  const { text } = scan;
  const before = text.slice(Math.max(0, hit.start - ruleCharsMax), hit.start);
  spend(scan, 16);
  if (!/\b(?:setuser|user) [\w.@-]{1,48}(?: [^\s>]{1,16}){0,2}$/i.test(before)) return;
  const value = /^[^\s"'`\\]{3,128}/.exec(text.slice(hit.end, hit.end + 128))?.[0] ?? "";
  if (!isGiven(value) || /^=?\d+$/.test(value)) return;
  const { kind, id } = hit.rule;
  noteNamed(scan, { start: hit.end, end: hit.end + value.length, kind, ruleId: id });
}
