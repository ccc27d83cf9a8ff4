import type { Hit } from "../rule.ts";
import { noteNamed, type Scan, spend } from "../scan.ts";
import { isUnmistakable } from "../strength.ts";
import { type Found, valueAt } from "./spoken-sentence.ts";

const beforeCharsMax = 240;
const afterCharsMax = 160;
const nouns = (): RegExp =>
  /(?:pass(?:word|phrase|code)|token|secret|credential|\b(?:api|access|secret|signing|deploy|master|encryption|private|licen[cs]e) ?key|\bkey|passwort|kennwort|пароль|密码)s?\b/i;
/** What is also new and has values: the sentence then speaks of no secret. */
const others = (): RegExp =>
  /\b(?:config|setting|version|limit|size|count|column|field|row|primary|foreign|sort|cache|public|path|endpoint)\b/i;

/** Finds the value of `the new one is X` and `use X instead`, after a sentence about a secret. */
export function scanSpokenNext(scan: Scan, hit: Hit): void {
  const { text } = scan;
  const before = text.slice(Math.max(0, hit.start - beforeCharsMax), hit.start);
  spend(scan, 64);
  if (!nouns().test(before) || others().test(before.slice(-96))) return;
  const isBackward = text.startsWith(" instead", hit.start);
  const found = isBackward ? usedBefore(before, hit.start) : saidAfter(text, hit.end);
  if (found === undefined || !isDrawn(found.value)) return;
  const { start, value } = found;
  const { kind, id } = hit.rule;
  noteNamed(scan, { start, end: start + value.length, kind, ruleId: id, canonical: value });
}

/** No name of a class or a version: several digits, or marks. */
function isDrawn(value: string): boolean {
  return isUnmistakable(value) && /\d\D*\d|[!#$%^&*+~?]/.test(value) && !/^[A-Z][a-z]+\d+[A-Z][a-z]+\d?$/.test(value); // prettier-ignore
}

/** `new one`, then a colon or a verb. */
function saidAfter(text: string, at: number): Found | undefined {
  const window = text.slice(at, at + afterCharsMax);
  const lead = /^(?: (?:password|token|key|secret|value|one))?(?:(?: (?:is|will be|should be|now))+|(?: is)?:) {1,2}/.exec(window); // prettier-ignore
  return lead === null ? undefined : wordAt(window, lead[0].length, at);
}

/** `use X` before the place. */
function usedBefore(before: string, at: number): Found | undefined {
  const lead = /\b(?:use|try|with|take) (?=\S{6,128}$)/i.exec(before);
  if (lead === null) return undefined;
  const start = lead.index + lead[0].length;
  return valueAt({ start: at - before.length + start, text: before.slice(start) });
}

function wordAt(window: string, start: number, from: number): Found | undefined {
  const rest = window.slice(start);
  const word = rest.slice(0, rest.search(/\s|\\+[nrt]|$/));
  return valueAt({ start: from + start, text: word });
}
