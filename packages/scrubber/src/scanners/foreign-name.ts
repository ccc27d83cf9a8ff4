import { charClasses, isAt } from "../chars.ts";
import type { Hit } from "../rule.ts";
import { noteNamed, type Scan, spend } from "../scan.ts";
import type { SecretName } from "../secret-name.ts";
import { isMadeUp } from "../checks/made-up.ts";
import { isUnmistakable } from "../strength.ts";
import { type ForeignFamily, familyOfPhrase, familyOfWord, ideographicNoun, writtenNoun } from "./foreign-words.ts"; // prettier-ignore
import { noteHeadColumn } from "./head-column.ts";
import { tiedRuns } from "./ideographic-ties.ts";
import { judge, type Named } from "./named-value.ts";
import { pairValue } from "./spoken-pair.ts";
import { type Found, tiedValues, valueAt } from "./spoken-sentence.ts";
import { isChangeWord } from "./spoken-words.ts";
import { readWide, skipWideGap, wideSign } from "./wide-sign.ts";

const wordCharsMax = 32;
const sentenceCharsMax = 128;

/** Finds the value of what another language calls a password, a token or a key. */
export function scanForeignName(scan: Scan, hit: Hit): void {
  const noun = nounAt(scan, hit);
  if (noun === undefined) return;
  spend(scan, sentenceCharsMax / 2);
  if (isSecondOfTwo(scan.text, noun.start) && notePair(scan, hit, noun)) return;
  noteHeadColumn(scan, hit, noun);
  if (noun.family !== "pair" && noteSigned(scan, hit, noun)) return;
  noteSaid(scan, hit, noun);
}

/** `user/password:` in any language. */
function isSecondOfTwo(text: string, start: number): boolean {
  return /\p{L} ?[/|+] ?$|(?:账号|帐号|账户|帳號|用户名|아이디)$/u.test(text.slice(Math.max(0, start - 6), start)); // prettier-ignore
}

function notePair(scan: Scan, hit: Hit, noun: Noun): boolean {
  const found = pairValue(sentenceAfter(scan.text, noun.end));
  for (const each of found) noteFound(scan, hit, { ...noun, family: "pair" }, each);
  return found.length > 0;
}

interface Noun extends Named {
  readonly family: ForeignFamily;
  /** Of a script that writes no blanks. */
  readonly isIdeographic: boolean;
}

function nounAt(scan: Scan, hit: Hit): Noun | undefined {
  const { text } = scan;
  if (isIdeograph(text.charCodeAt(hit.end - 1))) {
    const found = ideographicNoun(text, hit.start);
    return found && { ...found, start: hit.start, isIdeographic: true };
  }
  const whole = writtenNoun(text, hit.start);
  if (whole !== undefined) return { ...whole, family: "password", isIdeographic: false };
  const phrase = familyOfPhrase(text.slice(hit.start, hit.end));
  if (phrase !== undefined) {
    return { start: hit.start, end: hit.end, family: phrase, isIdeographic: false };
  }
  const { start, end } = wordAround(scan, hit);
  const family = familyOfWord(text.slice(start, end));
  const isOfNetwork =
    family === "key" && networks().test(text.slice(Math.max(0, start - 64), hit.start));
  return family && { start, end, family: isOfNetwork ? "password" : family, isIdeographic: false };
}

/** What a key lets into that people join by a password. */
const networks = (): RegExp =>
  /(?:wlan|wi-?fi|wireless|hotspot|(?:^|[^\p{L}])(?:netz|réseau|rete|red|rede|siec|sieć|сеть|сети))[^\n]{0,48}$/iu;

/** From here on are kana, ideographs and Hangul. */
function isIdeograph(code: number): boolean {
  return code >= 0x30_40 && code <= 0xd7_a3;
}

function wordAround(scan: Scan, hit: Hit): Named {
  const { text } = scan;
  let { start, end } = hit;
  while (hit.start - start < wordCharsMax && isLetter(text, start - 1)) start--;
  while (end - hit.end < wordCharsMax && isLetter(text, end)) end++;
  // The letter of an escaped line end is no letter of the word.
  if (text[start - 1] === "\\" && start < hit.start) start++;
  while (end > hit.end && ".-_".includes(text[end - 1] as string)) end--;
  spend(scan, end - start);
  return { start, end };
}

function isLetter(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code < 128) return isAt(text, at, charClasses.name);
  return code < 0x25_00 && code !== 0xa0 && /\p{L}/u.test(text[at] as string);
}

/** What may stand between a name and its sign: quotes, stars, and a group in brackets. */
const beforeSign = (): RegExp =>
  /^(?:\\{0,7}["'`]|[»”’*_）)\]]){0,3}(?:[ \u00a0]{0,2}[（([][^（）()[\]\n]{0,40}[）)\]])?/;

/** `name: value` and `name = value`, with signs and blanks of any width. */
function noteSigned(scan: Scan, hit: Hit, noun: Noun): boolean {
  const { text } = scan;
  const marks = beforeSign().exec(text.slice(noun.end, noun.end + 56))?.[0].length ?? 0;
  const after = noun.end + marks + qualifierChars(text, noun.end + marks);
  const sign = wideSign(text, after);
  if (sign < 0) return false;
  const start = skipWideGap(text, sign);
  const opened = /^[«“„「『]\s?/.exec(text.slice(start, start + 2))?.[0].length ?? 0;
  if (opened > 0 || noun.family === "word") {
    noteWord(scan, hit, noun, { start: start + opened, text: wordFrom(text, start + opened) });
    return true;
  }
  const isSpaced = sign - after > 1 && text[after] !== ":";
  const value = readWide(scan, start);
  if (readsAsSentence(value.value)) return true;
  const separator = { valueStart: start, form: "colon", isSpaced, nameQuote: undefined } as const;
  judge({ scan, hit, name: noun, separator }, promiseOf(noun.family), value);
  return true;
}

/** A word of another alphabet, or the name of a program that keeps passwords. */
function readsAsSentence(value: string): boolean {
  return /[\u0590-\ud7ff]/.test(value) || (/[^\x20-\x7e]/.test(value) && !/\d/.test(value)) || /^1Password$/i.test(value); // prettier-ignore
}

/** Words that belong to the name: `clé API`, `chave de acesso`, `token dostępu`, `пароль от базы`. */
function qualifierChars(text: string, at: number): number {
  const found = /^(?:[ \u00a0](?:api|d['’][\p{L}]{2,8}|de|da|do|del|di|od|do|для|от|к|на|voor|für|pour|para|per)?[ \u00a0]?[\p{L}\d_.@-]{1,24}){0,3}?(?=[ \u00a0\u202f]?[:：])/iu.exec(text.slice(at, at + 72)); // prettier-ignore
  return found?.[0].length ?? 0;
}

function promiseOf(family: ForeignFamily): SecretName {
  const named = family === "token" || family === "key" ? family : "password";
  return { family: named, isEnv: false, isWeak: family === "key", asksShape: false };
}

function noteSaid(scan: Scan, hit: Hit, noun: Noun): void {
  const window = sentenceAfter(scan.text, noun.end);
  if (noun.isIdeographic && noun.family !== "pair") {
    for (const found of tiedRuns(window)) noteFound(scan, hit, noun, found);
    return;
  }
  if (noun.family === "pair") {
    notePair(scan, hit, noun);
    return;
  }
  const before = scan.text.slice(Math.max(0, noun.start - 64), noun.start);
  const around = `${before.slice(before.lastIndexOf("\n") + 1)} ${window}`;
  const isChange = around.toLowerCase().split(/[^\p{L}]+/u).some((word) => isChangeWord(word)); // prettier-ignore
  const lead = { isChange, isDetermined: true, ties: tieOf(scan.text, noun) };
  for (const found of [
    ...tiedValues(window, lead),
    ...nextTo(window, noun.family === "password" || noun.family === "word"),
  ]) {
    noteFound(scan, hit, noun, found);
  }
}

/** The verb of the noun's own language, which is another word in others. */
function tieOf(text: string, { start }: Noun): string {
  return /^salas/i.test(text.slice(start, start + 5)) ? "on" : "to";
}

function sentenceAfter(text: string, from: number): string {
  const window = text.slice(from, from + sentenceCharsMax);
  const end = window.search(/\n|\r|\\+[nrt]|[;<{}]|[.?] |! (?=\p{Lu})|&(?:lt|quot);/u);
  return end < 0 ? window : window.slice(0, end + (window[end] === "!" ? 1 : 0));
}

/** What a password is of, which stands between it and the value: `пароль от базы X`. */
const ownedBy = (): RegExp =>
  /^(?:[ \u00a0](?:de|da|do|del|della|dla|do|от|для|к|на|voor|van|für|von|vom|zu|zur|zum|du|des|pour|para|per|z|do)[ \u00a0](?:l[ae] |el |il |de[nrm] |d[iae][es] |het )?[\p{L}-]{1,20}){0,2}[ \u00a0](?=["'`«“„]?[!-~])/iu;

/** The value right after the noun, as in `usuario admin, contraseña X`. */
function nextTo(window: string, isWord: boolean): readonly Found[] {
  const lead = ownedBy().exec(window);
  if (lead === null) return [];
  const found = valueAt({ start: lead[0].length, text: wordFrom(window, lead[0].length) });
  if (found === undefined) return [];
  return isUnmistakable(found.value) || (isWord && isMadeUp(found.value)) ? [found] : [];
}

function wordFrom(text: string, start: number): string {
  const window = text.slice(start, start + sentenceCharsMax);
  const end = window.search(/[\s\u00a0]|\\+[nrt]/);
  return end < 0 ? window : window.slice(0, end);
}

function noteWord(scan: Scan, hit: Hit, noun: Noun, word: { start: number; text: string }): void {
  const value = valueAt(word);
  if (value === undefined) return;
  noteFound(scan, hit, noun, { ...value, start: value.start - noun.end });
}

function noteFound(scan: Scan, { rule }: Hit, noun: Noun, { start, value }: Found): void {
  const asksKey = noun.family === "token" || noun.family === "key";
  if (asksKey && !isKeyLike(value)) return;
  const at = noun.end + start;
  const end = at + value.length;
  noteNamed(scan, { start: at, end, kind: rule.kind, ruleId: rule.id, canonical: value });
}

function isKeyLike(value: string): boolean {
  return value.length >= 12 && isUnmistakable(value);
}
