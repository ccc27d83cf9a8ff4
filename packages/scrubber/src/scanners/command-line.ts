import { startsToken } from "../escapes.ts";
import type { Hit } from "../rule.ts";
import { type CommandForm, commandRows } from "../rules/command-table.ts";
import { noteNamed, type Scan } from "../scan.ts";
import { readSecretName } from "../secret-name.ts";
import { quoteAt, type ValueSpan } from "../value.ts";
import { isBase64Key } from "../strength.ts";
import { findPiped, printedKeys, printedLine } from "./command-pipe.ts";
import { isGiven, isPrinted, isStrongWord } from "./command-value.ts";
import { type CommandLine, partOf, readCommand, type Word } from "./command-words.ts";

/** How often a stretch of text is read for commands that are named in the arguments of others. */
const readsMax = 4;

/** What is asked of a value: any that is none of the usual stand-ins, or one that looks drawn. */
type Ask = (value: string) => boolean;

interface Place {
  readonly scan: Scan;
  readonly hit: Hit;
  readonly line: CommandLine;
}

/** Finds what a command's manual calls a password, a token or a key in its arguments. */
export function scanCommand(scan: Scan, hit: Hit): void {
  const { text } = scan;
  if (!endsName(text, hit.end) || !beginsCommand(text, hit.start)) return;
  if (hit.start < scan.commandEnd) {
    if (++scan.commandReads > readsMax) return;
  } else scan.commandReads = 0;
  const forms = formsByCommand().get(text.slice(hit.start, hit.end).toLowerCase().trimEnd());
  if (forms === undefined) return;
  const from = hit.end + (/^\.(?:exe|py)(?=[ "])/.exec(text.slice(hit.end, hit.end + 5))?.[0].length ?? 0); // prettier-ignore
  const place = { scan, hit, line: readCommand(scan, from) };
  for (const form of forms) readForm(place, form);
}

let known: ReadonlyMap<string, readonly CommandForm[]> | undefined;

function formsByCommand(): ReadonlyMap<string, readonly CommandForm[]> {
  if (known !== undefined) return known;
  const built = new Map<string, CommandForm[]>();
  for (const [commands, ...forms] of commandRows()) {
    for (const command of commands.split("|")) {
      built.set(command.trimEnd(), [...(built.get(command.trimEnd()) ?? []), ...forms]);
    }
  }
  known = built;
  return built;
}

/** A blank, the end of a line or of a command, or the quote of a name that is a string. */
function endsName(text: string, end: number): boolean {
  if (text[end - 1] === " ") return true;
  const char = text[end] ?? "\n";
  if (" \t\n\r;|&)<\u001b".includes(char)) return true;
  if (char === ".") return /^\.(?:exe[ "]|py )/.test(text.slice(end, end + 5));
  if (char === "\\") return /^\\+(?:\r?\n|["'rn]|u00)/.test(text.slice(end, end + 12));
  return quoteAt(text, end) !== undefined;
}

function beginsCommand(text: string, start: number): boolean {
  if (!startsToken(text, start)) return false;
  const before = text[start - 1] ?? "\n";
  if (before === "-") return start === 1 || text[start - 2] === "\n";
  return !"._@=~".includes(before);
}

function readForm(place: Place, form: CommandForm): void {
  const own = form.isWrapper === true ? untilCommand(place.line.words, form) : place.line.words;
  const after = form.words === undefined ? 0 : findWords(own, form.words);
  if (after < 0 || !hasNeeded(own, form.needs)) return;
  readFlags(place, form, own);
  readPlaces(place, form, own.slice(after));
  readPairs(place, form, own.slice(after));
  readFed(place, form, own);
  readPrinted(place, form, own);
}

function untilCommand(words: readonly Word[], { flags = "" }: CommandForm): readonly Word[] {
  let end = 0;
  while (words[end]?.text.startsWith("-") === true) {
    end += listed(flags, (words[end] as Word).text) ? 2 : 1;
  }
  return words.slice(0, end);
}

function listed(list: string, text: string): boolean {
  return text !== "" && ` ${list} `.includes(` ${text} `);
}

/** Place after words that stand one after the other among the arguments that are no flags. */
function findWords(words: readonly Word[], wanted: string): number {
  const steps = wanted.split(" ");
  let step = 0;
  for (const [index, { text }] of words.slice(0, 16).entries()) {
    if (text.startsWith("-") && !wanted.startsWith("-")) continue;
    const isStep = (steps[step] ?? "").split("|").includes(text.toLowerCase());
    step = isStep ? step + 1 : 0;
    if (step === steps.length) return index + 1;
  }
  return -1;
}

function hasNeeded(words: readonly Word[], needs: string | undefined): boolean {
  if (needs === undefined) return true;
  if (needs.length > 1) return words.some(({ text }) => text === needs);
  if (needs === "/" || needs === "\\") return words.some(({ text }) => text.startsWith(needs));
  return words.some(({ text }) => /^-[A-Za-z]+$/.test(text) && text.includes(needs));
}

function readFlags(place: Place, form: CommandForm, words: readonly Word[]): void {
  const { flags = "", users = "", attached } = form;
  words.forEach((word, index) => {
    const next = words[index + 1];
    const equals = word.text.indexOf("=");
    const name = equals > 0 ? word.text.slice(0, equals) : word.text;
    const value = equals > 0 ? partOf(word, equals + 1) : next && partOf(next, 0);
    if (value !== undefined && !(equals < 0 && next?.isCode)) {
      if (listed(flags, name)) note(place, value, isGiven);
      else if (listed(users, name)) noteUser(place, form, value, isGiven);
    }
    if (attached !== undefined) readAttached(place, form, word);
  });
}

function readAttached(place: Place, { attached = "", ...form }: CommandForm, word: Word): void {
  const flag = attached.split(" ").find((each) => word.text.startsWith(each));
  if (flag === undefined || word.text.length === flag.length || word.isCode) return;
  const value = partOf(word, flag.length);
  if (form.users === undefined) note(place, value, isGiven);
  else noteUser(place, form, value, isGiven);
}

/** Words that are no flags, nor the values of flags. */
function placesOf(words: readonly Word[], form: CommandForm): readonly Word[] {
  const { taking = "", hasSlashFlags = false, ignores } = form;
  const flags = `${taking} ${form.flags ?? ""} ${form.users ?? ""}`;
  return words.filter(({ text }, index) => {
    if (text.length > 1 && text.startsWith("-") && !text.startsWith("-----")) return false;
    if (hasSlashFlags && text.startsWith("/")) return false;
    if (listed(flags, words[index - 1]?.text ?? "")) return false;
    return ignores?.test(text) !== true;
  });
}

function readPlaces(place: Place, form: CommandForm, words: readonly Word[]): void {
  const number = form.place ?? form.userPlace;
  if (number === undefined) return;
  const places = placesOf(words, form);
  const index = number < 0 ? places.length - 1 : number - 1;
  const word = places[index];
  if (word === undefined || word.isCode || !isFit(form, places, index)) return;
  const value = partOf(word, 0);
  const ask = form.isKeyed === true || form.isSure === true ? isGiven : isStrongWord;
  if (form.userPlace === undefined)
    note(place, value, ask); // prettier-ignore
  else noteUser(place, form, value, ask);
}

/** Whether the first place is what the form asks for, and the one before the value a secret's name. */
function isFit({ first, isKeyed }: CommandForm, places: readonly Word[], index: number): boolean {
  if (first?.test(places[0]?.text ?? "") === false) return false;
  return isKeyed !== true || promises(places[index - 1]?.text ?? "");
}

/** Whether a setting's name, of which the last part may be a host, promises a secret. */
function promises(name: string): boolean {
  // Git asks a program of this name for what it needs.
  if (name === "" || name === "credential.helper") return false;
  if (readSecretName(name.slice(-64)) !== undefined) return true;
  return /(?:token|oauth|password|secret|apikey|credential)(?:$|[.:/])/i.test(name);
}

function readPairs(place: Place, form: CommandForm, words: readonly Word[]): void {
  const { hasPairs = false, pairFlags = "", isKeyed = false } = form;
  if (!hasPairs && pairFlags === "") return;
  words.forEach((word, index) => {
    const isFlag = pairFlags !== "" && word.text.startsWith(`${pairFlags}=`);
    const from = isFlag ? pairFlags.length + 1 : 0;
    if (!hasPairs && !isFlag && words[index - 1]?.text !== pairFlags) return;
    const equals = word.text.indexOf("=", from);
    const name = word.text.slice(from, Math.max(from, equals));
    if (equals < 0 || !/^[A-Za-z_][\w.[\]-]*$/.test(name)) return;
    const isNamed = promises(name);
    if (isNamed || !isKeyed)
      note(place, partOf(word, equals + 1), isNamed ? isGiven : isStrongWord);
  });
}

function readFed(place: Place, form: CommandForm, words: readonly Word[]): void {
  const { stdin, mark } = form;
  if (stdin === undefined) return;
  if (stdin !== "always" && !words.some(({ text }) => listed(stdin, text.split("=")[0] ?? "") || listed(stdin, text))) return; // prettier-ignore
  const { scan, hit, line } = place;
  const fed = line.fed === undefined ? findPiped(scan, hit.start) : [line.fed];
  for (const word of fed) {
    if (mark === undefined) note(place, partOf(word, 0), isGiven);
    else noteUser(place, form, partOf(word, 0), isGiven);
  }
}

/** The line after a command that prints a secret, if that is all that the line holds. */
function readPrinted({ scan, hit }: Place, { prints }: CommandForm, words: readonly Word[]): void {
  if (prints === undefined) return;
  if (prints !== "" && !words.some(({ text }) => listed(prints, text) || listed(prints, text.split("=")[0] ?? ""))) return; // prettier-ignore
  const span = printedLine(scan, hit.end);
  const isKey = (value: string): boolean => isPrinted(value) || isBase64Key(value);
  if (span !== undefined && isKey(span.value)) note({ scan, hit }, span, isKey);
  else if (prints === "")
    for (const key of printedKeys(scan, hit.end)) note({ scan, hit }, key, isBase64Key);
}

function noteUser(place: Place, form: CommandForm, span: ValueSpan, ask: Ask): void {
  const mark = form.mark ?? ":";
  const at = markAt(span.value, mark, form);
  const raw = markAt(place.scan.text.slice(span.start, span.end), mark, form);
  if (at < 0 || raw < 0 || form.head?.test(span.value.slice(0, at)) === false) return;
  const value = span.value.slice(at + mark.length);
  const end = form.until === undefined ? -1 : value.lastIndexOf(form.until);
  const start = afterQuote(place.scan.text, span.start + raw + mark.length, value);
  if (end >= 0) note(place, { ...span, start, end: start + end, value: value.slice(0, end) }, ask);
  else note(place, { ...span, start, value }, ask);
}

function markAt(text: string, mark: string, { isLast = false }: CommandForm): number {
  return isLast ? text.lastIndexOf(mark) : text.indexOf(mark);
}

/** `user:'secret'`: a quote that opens after the mark is no part of the secret. */
function afterQuote(text: string, at: number, value: string): number {
  const opened = quoteAt(text, at)?.written ?? "";
  return value.startsWith(opened) ? at : at + opened.length;
}

function note({ scan, hit }: Pick<Place, "scan" | "hit">, span: ValueSpan, ask: Ask): void {
  // A line end at the close of a piped value is no part of it.
  const value = span.value.replace(/(?:\\n|\n)$/, "").replace(/^(?:pass|plain|text):/, "");
  const skipped = span.value.length - span.value.replace(/^(?:pass|plain|text):/, "").length;
  if (!ask(value)) return;
  noteNamed(scan, {
    start: span.start + skipped,
    end: span.end,
    kind: hit.rule.kind,
    ruleId: hit.rule.id,
    canonical: value,
  });
}
