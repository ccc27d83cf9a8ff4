import type { Hit } from "../rule.ts";
import { noteNamed, type Scan, spend } from "../scan.ts";
import { isUnmistakable } from "../strength.ts";
import { isStrongWord } from "./command-value.ts";

const beforeCharsMax = 144;
const afterCharsMax = 160;

/** Finds the value that a sentence says before what it is: "use X as the password". */
export function scanNamedAfter(scan: Scan, hit: Hit): void {
  const window = scan.text.slice(Math.max(0, hit.start - beforeCharsMax), hit.start);
  spend(scan, 32);
  const said = /(?:\b|\\[nrt])(?:use|used|using|set|enter|entered|type|try|with|put) ["'`]?([^\s"'`]{6,128})["'`]?$/i.exec(window); // prettier-ignore
  const value = said?.[1];
  if (value === undefined || !isUnmistakable(value)) return;
  note(scan, hit, hit.start - window.length + window.lastIndexOf(value), value);
}

/** Finds the second of a pair that a sentence names before its verb: "mit ada / X einloggen". */
export function scanLoggedIn(scan: Scan, hit: Hit): void {
  const window = scan.text.slice(Math.max(0, hit.start - beforeCharsMax), hit.start);
  spend(scan, 32);
  const said = /\b(?:mit|als|met) ["'`]?[\w.@+-]{2,40}["'`]? ?[/|] ?["'`]?([^\s"'`]{6,128})["'`]? (?:\p{L}{1,12} ){0,2}\p{L}{0,8}$/u.exec(window); // prettier-ignore
  const value = said?.[1];
  if (value === undefined || !isStrongWord(value)) return;
  note(scan, hit, hit.start - window.length + window.lastIndexOf(value), value);
}

/** Finds what a command is told to print as the password: `--password-command "echo X"`. */
export function scanEchoed(scan: Scan, hit: Hit): void {
  const window = scan.text.slice(hit.end, hit.end + afterCharsMax);
  spend(scan, 32);
  const said = /^(?:[= ]?\\{0,7}["']?| ?[=:]? ?\\{0,7}["']?)(?:<\()?(?:echo|printf) (?:-n )?\\{0,7}["']?([^\s"'`()\\]{6,128})(?=[\s"'`)\\]|$)/.exec(window); // prettier-ignore
  const value = said?.[1];
  if (said === null || value === undefined || !isGivenWord(value)) return;
  note(scan, hit, hit.end + said[0].length - value.length, value);
}

/** A word and a number are a password where a command prints them as one. */
function isGivenWord(value: string): boolean {
  return isStrongWord(value) || /^[A-Z][a-z]+[-_.]?[a-z]+\d{2,4}$/.test(value);
}

function note(scan: Scan, { rule }: Hit, start: number, value: string): void {
  const end = start + value.length;
  noteNamed(scan, { start, end, kind: rule.kind, ruleId: rule.id, canonical: value });
}
