import { isInnocent } from "../judge.ts";
import { isWordPhrase } from "../checks/word-phrase.ts";
import type { Hit } from "../rule.ts";
import { type CallForm, callRows } from "../rules/call-table.ts";
import { noteNamed, type Scan, spend } from "../scan.ts";
import { readSecretName } from "../secret-name.ts";
import { quoteAt, readQuoted, type ValueSpan } from "../value.ts";
import { userChars } from "../user-pair.ts";
import { isStrongWord } from "./command-value.ts";
import { skipGap, skipLines } from "./gap.ts";
import { afterWrapper } from "./wrapper.ts";

const callCharsMax = 1024;
const argumentsMax = 6;
/** How often a stretch of text is read for calls within the arguments of others. */
const readsMax = 4;
const beforeCharsMax = 200;

/** One argument: its text as it stands, and the value where it is a text in quotes. */
interface Argument {
  readonly text: string;
  readonly span: ValueSpan | undefined;
}

/** Finds what stands where a call takes a password, a key or a token without saying so. */
export function scanCall(scan: Scan, hit: Hit): void {
  const { text } = scan;
  const forms = formsByCall().get(text.slice(hit.start, hit.end).toLowerCase());
  // A quote comes soon in a call with a text, and most calls have none.
  if (forms === undefined || !mayHoldText(text, hit.end)) return;
  if (hit.start >= scan.callEnd) scan.callReads = 0;
  else if (++scan.callReads > readsMax) return;
  const list = readArguments(scan, hit.end);
  for (const form of forms) {
    const span = list[form.place - 1]?.span;
    if (span === undefined || !fits(scan, hit, list, form)) continue;
    if (noteArgument(scan, hit, span, form)) return;
  }
}

let known: ReadonlyMap<string, readonly CallForm[]> | undefined;

function formsByCall(): ReadonlyMap<string, readonly CallForm[]> {
  known ??= new Map(
    callRows().flatMap(([calls, ...forms]) => calls.split("|").map((call) => [call, forms])),
  );
  return known;
}

const textWithinChars = 320;

function mayHoldText(text: string, from: number): boolean {
  return /["'`]|\\+u002|&(?:quot|#3)/.test(text.slice(from, from + textWithinChars));
}

function fits(scan: Scan, hit: Hit, list: readonly Argument[], form: CallForm): boolean {
  const { shape, before, namePlace, count } = form;
  if (count !== undefined && list.length !== count) return false;
  if (shape !== undefined && !shape[1].test(plainOf(list[shape[0] - 1]))) return false;
  if (namePlace !== undefined && !isNamed(list, form)) return false;
  if (before === undefined) return true;
  spend(scan, beforeCharsMax);
  return before.test(scan.text.slice(Math.max(0, hit.start - beforeCharsMax), hit.start));
}

/** Whether the argument with the name promises a secret; a password may be any word. */
function isNamed(list: readonly Argument[], { namePlace = 1, place }: CallForm): boolean {
  const promise = readSecretName(plainOf(list[namePlace - 1]));
  if (promise === undefined) return false;
  return (
    promise.family === "password" || isStrongWord(plainOf(list[place - 1]).replaceAll('"', ""))
  );
}

function plainOf(argument: Argument | undefined): string {
  return argument?.span?.value.slice(0, 96) ?? argument?.text ?? "";
}

/** Whether the argument is what the form asks for, and was noted. */
function noteArgument(scan: Scan, hit: Hit, found: ValueSpan, { ask }: CallForm): boolean {
  const span = ask === "pair" ? afterUser(found) : withoutInnerQuotes(found);
  if (span === undefined || !asks[ask](span.value)) return false;
  const { value, start, end } = span;
  noteNamed(scan, { start, end, kind: hit.rule.kind, ruleId: hit.rule.id, canonical: value });
  return true;
}

/** A text that a build script writes into code has quotes of its own: `"\"X\""`. */
function withoutInnerQuotes(span: ValueSpan): ValueSpan {
  const inner = /^["'](.{4,})["']$/.exec(span.value)?.[1];
  if (inner === undefined) return span;
  const lost = (span.end - span.start - inner.length) / 2;
  return Number.isInteger(lost)
    ? { ...span, start: span.start + lost, end: span.end - lost, value: inner }
    : span;
}

/** The password of `user:password`. */
function afterUser(span: ValueSpan): ValueSpan | undefined {
  const user = userChars("auth", span.value);
  if (
    user === 0 ||
    /[\s:/]/.test(span.value.slice(user)) ||
    span.end - span.start !== span.value.length
  )
    return undefined;
  return { ...span, start: span.start + user, value: span.value.slice(user) };
}

function isHexKey(value: string): boolean {
  return /^(?:0x)?[0-9a-f]{64}$/i.test(value) && !/^(?:0x)?(.)\1{48}/.test(value);
}

const setting = { isQuoted: true, isLiteral: true };
/** What examples call a value, and keys of a keyboard. */
const spoken = (): RegExp =>
  /^(?:foo|bar|baz|qux|abc|xyz|pw|psw|passwort|usr|pswd|mypass|my[-_ ].*|the[-_ ].*|some.*|your.*|\{[a-z]+\}|<.*|.*[-_ ](?:password|secret|key|token|here)|(?:password|secret|key|token|pass)[-_ ].*)$/i;

function isGivenText(value: string): boolean {
  if (value.length < 4 || value.length > 512) return false;
  // Sixteen letters in four groups are how mail services write passwords of programs.
  if (/\s/.test(value))
    return /^[a-z]{4}(?: [a-z]{4}){3}$/.test(value) || isWordPhrase(value, true);
  return !spoken().test(value) && !/[${]\{|\$\(/.test(value) && !isInnocent(value, setting);
}

const asks: Readonly<Record<CallForm["ask"], (value: string) => boolean>> = {
  word: isGivenText,
  strong: isStrongWord,
  key: isHexKey,
  pair: isStrongWord,
};

/** Reads the arguments after an opening bracket, up to its closing one. */
function readArguments(scan: Scan, from: number): readonly Argument[] {
  const { text } = scan;
  const list: Argument[] = [];
  const stop = Math.min(text.length, from + callCharsMax);
  let at = from;
  while (at < stop && list.length < argumentsMax) {
    const start = skipLines(text, skipGap(text, at));
    if (")]".includes(text[start] ?? ")") && list.length > 0) break;
    const argument = textAt(scan, start);
    const span = argument?.span;
    const end = endOfArgument(scan, argument?.end ?? start, stop, argument?.isWrapped === true);
    list.push({ text: text.slice(start, Math.min(end, start + 96)), span });
    at = end;
    if (text[end] !== ",") break;
    at = end + 1;
  }
  spend(scan, at - from + 1);
  scan.callEnd = Math.max(scan.callEnd, at);
  return list;
}

interface TextArgument {
  readonly span: ValueSpan;
  /** Place after its closing quote. */
  readonly end: number;
  /** A call makes the value of the text: its bracket closes within the argument. */
  readonly isWrapped: boolean;
}

/** The text in quotes that an argument is: with a prefix (`b"X"`), or in what makes bytes of it. */
function textAt(scan: Scan, start: number): TextArgument | undefined {
  const { text } = scan;
  const prefixed =
    /^(?:[bBrRuUN@]{1,2}|with: |:)(?=\\*["'])/.exec(text.slice(start, start + 8))?.[0].length ?? 0;
  const wrapped = prefixed > 0 ? undefined : afterWrapper(scan, start);
  const isWrapped = wrapped?.isMaker === true;
  const at = isWrapped ? wrapped.valueStart : start + prefixed;
  const quote = quoteAt(text, at);
  if (quote === undefined) return undefined;
  const span = readQuoted(scan, at, quote);
  return { span, end: span.end + quote.written.length, isWrapped };
}

/** Place of the comma or the bracket that ends an argument; texts and brackets in it are passed. */
function endOfArgument(scan: Scan, from: number, stop: number, isWrapped: boolean): number {
  const { text } = scan;
  let at = from;
  let depth = isWrapped ? 1 : 0;
  while (at < stop) {
    const char = text[at] ?? "";
    if (depth === 0 && (char === "," || char === ";")) break;
    if ("([{".includes(char)) depth++;
    else if (")]}".includes(char) && --depth < 0) break;
    const quote = "\"'`\\&".includes(char) ? quoteAt(text, at) : undefined;
    at = quote === undefined ? at + 1 : readQuoted(scan, at, quote).end + quote.written.length;
  }
  return at;
}
