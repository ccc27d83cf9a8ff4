import { distinctChars } from "../checks/randomness.ts";
import { endsLine, nextLineStart } from "../line-lead.ts";
import type { Hit } from "../rule.ts";
import { noteNamed, type Scan, spend } from "../scan.ts";

const linesMax = 24;
const lineCharsMax = 200;
/** What may stand between the words that announce codes and the end of their line. */
const announced = (): RegExp => /^[^\n\r{}=;"\\]{0,120}?(?:[:：]|(?=\s*(?:[\n\r\\]|$)))/;
const bullet = (): RegExp => /^(?:[-*•+] |\[[ x]\] |\(?\d{1,2}[.):]\s{1,3}|\d{1,2}\s{2,4})?/;
/** One code: groups of letters and digits, parted by dashes, or two groups of digits. */
const code = (): RegExp => /^[`"'*]{0,2}((?:\d{4,6} \d{4,6}(?! ?\d)|[A-Za-z0-9]{3,10}(?:-[A-Za-z0-9]{3,10}){1,4}|[A-Za-z0-9]{6,16}))[`"'*]{0,2}(?=[\s,;|\\]|$)/; // prettier-ignore
const between = (): RegExp => /^[ \t]*(?:[,;|]\s?|[ \t]{1,8}|\\t)/;

/** Finds the codes that let a person in who has lost the second factor, in the lines after their name. */
export function scanCodeList(scan: Scan, hit: Hit): void {
  const { text } = scan;
  const window = text.slice(hit.end, hit.end + lineCharsMax);
  const lead = announced().exec(window);
  spend(scan, 64);
  if (lead === null) return;
  const at = hit.end + lead[0].length;
  const found = endsLine(text, at) ? codesBelow(scan, at) : codesBeside(text, at);
  if (found.length === 0 || !areCodes(text, found)) return;
  for (const { start, end } of found) {
    const canonical = text.slice(start, end);
    noteNamed(scan, { start, end, kind: hit.rule.kind, ruleId: hit.rule.id, canonical });
  }
}

interface Place {
  readonly start: number;
  readonly end: number;
}

function codesBelow(scan: Scan, from: number): readonly Place[] {
  const found: Place[] = [];
  let at = nextCode(scan, from);
  for (let count = 0; count < linesMax && at >= 0; count++) {
    const line = lineFrom(scan.text, at);
    const codes = codesOf(line, at);
    if (codes.length === 0) break;
    found.push(...codes);
    spend(scan, line.length);
    at = nextCode(scan, at + line.length);
  }
  return found;
}

/** Start of the next line; the first group of a code is no number that a search puts before lines. */
function nextCode(scan: Scan, from: number): number {
  const at = nextLineStart(scan, from);
  const number = at < 0 ? null : /\d{3,6}-$/.exec(scan.text.slice(at - 7, at));
  return at - (number?.[0].length ?? 0);
}

function codesBeside(text: string, at: number): readonly Place[] {
  const blanks = /^\s{0,4}/.exec(text.slice(at, at + 4))?.[0].length ?? 0;
  return codesOf(lineFrom(text, at + blanks), at + blanks);
}

function lineFrom(text: string, start: number): string {
  const window = text.slice(start, start + lineCharsMax);
  const end = window.search(/[\r\n]|\\+[rn]|\\*"\s?[,}\]]|\\*"$/);
  return end < 0 ? window : window.slice(0, end);
}

/** The codes of a line that holds nothing else. */
function codesOf(line: string, start: number): readonly Place[] {
  const found: Place[] = [];
  let at = 0;
  while (at < line.length) {
    at += bullet().exec(line.slice(at, at + 8))?.[0].length ?? 0;
    const next = code().exec(line.slice(at, at + 64));
    if (next === null) return line.slice(at).trim() === "" ? found : [];
    const from = start + at + next[0].indexOf(next[1] as string);
    found.push({ start: from, end: from + (next[1] as string).length });
    at += next[0].length;
    at += between().exec(line.slice(at, at + 16))?.[0].length ?? 0;
  }
  return found;
}

/** At least two of them, with digits in most and no word of a sentence. */
function areCodes(text: string, places: readonly Place[]): boolean {
  const codes = places.map(({ start, end }) => text.slice(start, end));
  const digits = codes.filter((each) => /\d/.test(each)).length;
  if (codes.length < 2 || digits * 2 < codes.length) return false;
  if (codes.some((each) => /^(?:19|20)\d\d-\d\d-\d\d$/.test(each) || distinctChars(each, 3) < 3)) return false; // prettier-ignore
  return codes.every((each) => /\d/.test(each) || !/^[A-Z]?[a-z]+$/.test(each) || digits * 4 > codes.length * 3); // prettier-ignore
}
