import { isMixed, looksRandom } from "../checks/randomness.ts";
import { isWordPhrase } from "../checks/word-phrase.ts";
import { endsLine, nextLineStart } from "../line-lead.ts";
import { quotedCharsMax } from "../limits.ts";
import { type Scan, spend } from "../scan.ts";
import { isStrong } from "../strength.ts";
import { quoteAt, readQuoted, readValue, type ValueSpan } from "../value.ts";
import type { Separator } from "./separator.ts";

export function readTied(scan: Scan, separator: Separator): ValueSpan | undefined {
  const { valueStart, form } = separator;
  if (form === "quoted") {
    const quote = quoteAt(scan.text, valueStart);
    return quote === undefined ? undefined : readQuoted(scan, valueStart, quote);
  }
  if (form === "element") return readElement(scan, valueStart);
  if (form === "cell") return readCell(scan, valueStart);
  if (form === "default") return readDefault(scan, valueStart);
  return (
    (form === "equals" ? readBraced(scan, valueStart) : undefined) ?? readPlain(scan, separator)
  );
}

function readPlain(scan: Scan, separator: Separator): ValueSpan | undefined {
  const { valueStart, form } = separator;
  const isBold = form !== "equals" && scan.text.startsWith("**", valueStart);
  const read = isBold ? readBold(scan, valueStart + 2) : readValue(scan, valueStart);
  const bare = form === "equals" && read.quote === "" ? withMarks(scan, read, separator) : read;
  const isCut = bare.quote === "" && "& ".includes(scan.text[bare.end] ?? "x");
  const value = isCut ? toLineEnd(scan, bare, separator) : bare;
  if (form === "line") return isWholeLine(scan, value) ? value : undefined;
  if (value.quote !== "" || value.value.length > 2) return value;
  return readNextLine(scan, separator, value);
}

/**
 * The value with the angle or the bracket in its middle: a line of an environment file goes on to
 * its end. What opens or closes a tag is none of it.
 */
function withMarks({ text }: Scan, span: ValueSpan, { isSpaced }: Separator): ValueSpan {
  const mark = text[span.end] ?? "x";
  if (isSpaced || span.value === "" || !"<>)]},".includes(mark)) return span;
  if (!"<>".includes(mark) && !isVariableLine(text, span.start)) return span;
  const rest = /^[<>)\]},](?!\/)[^\s"'`\\<>/]{2,64}(?=\s|\\+[nr]|$)/.exec(
    text.slice(span.end, span.end + 72),
  );
  if (rest === null || !/\d/.test(rest[0])) return span;
  const end = span.end + rest[0].length;
  return { ...span, end, value: text.slice(span.start, end) };
}

/** Whether a variable of the environment is set at the beginning of the line. */
function isVariableLine(text: string, start: number): boolean {
  return /(?:^|\n)(?:export )?[A-Z][A-Z\d_]+=$/.test(text.slice(Math.max(0, start - 72), start));
}

/** A value between the stars of bold text. */
function readBold(scan: Scan, start: number): ValueSpan {
  const span = readValue(scan, start);
  if (span.quote !== "" || !span.value.endsWith("**")) return span;
  return { ...span, end: span.end - 2, value: span.value.slice(0, -2) };
}

const restCharsMax = 128;

/** The value with all that its line holds after an ampersand, or with the words of a pass-phrase. */
function toLineEnd(scan: Scan, span: ValueSpan, { form, isSpaced }: Separator): ValueSpan {
  if (form !== "equals" && form !== "colon") return span;
  const { text } = scan;
  const rest = /^[^\r\n\\"'`]*(?=[\r\n]|\\+[nr]|$)/.exec(
    text.slice(span.end, span.end + restCharsMax),
  );
  spend(scan, 16);
  if (rest === null || rest[0].length === restCharsMax) return span;
  const whole = { ...span, end: span.end + rest[0].length, value: span.value + rest[0] };
  const isVariable = form === "equals" && !isSpaced && isVariableLine(text, span.start);
  return isWhole(text, whole, rest[0], isVariable) ? whole : span;
}

/** Whether the rest of a line is of the value that a variable or a setting has. */
function isWhole(text: string, whole: ValueSpan, rest: string, isVariable: boolean): boolean {
  if (rest.startsWith(" ")) return isVariable && isPhraseLine(text, whole);
  if (/\s|^&$/.test(rest) || isForm(rest, isVariable)) return false;
  return isVariable || isSettingLine(text, whole.start);
}

/** Whether words are all that is set, under the name of a pass-phrase: a command has others. */
function isPhraseLine(text: string, { start, value }: ValueSpan): boolean {
  const name = /(?:PASS|PASSWORD|PASSPHRASE|PASSWD|MNEMONIC)=$/;
  return name.test(text.slice(Math.max(0, start - 12), start)) && isWordPhrase(value, true);
}

/** Whether each ampersand begins the next pair of a form that was sent. */
function isForm(rest: string, isVariable: boolean): boolean {
  const pair = isVariable ? /^(?:amp;)?[a-z_]{1,24}=/ : /^(?:amp;)?[A-Za-z_][\w.%[\]-]{0,40}=/;
  return rest.slice(1).split("&").every((each) => pair.test(each)); // prettier-ignore
}

/** Whether a name begins the line, after an indent or the sign of a list. */
function isSettingLine(text: string, start: number): boolean {
  return /(?:^|\n|\\n)[ \t]{0,32}(?:- )?[A-Za-z_][\w.-]{1,48}(?:=|: ?| = )$/.test(
    text.slice(Math.max(0, start - 92), start),
  );
}

function isWholeLine({ text }: Scan, { end, value }: ValueSpan): boolean {
  return value !== "" && endsLine(text, end);
}

/** The first line of a YAML block, or what alone stands on the line after a name and its sign. */
function readNextLine(scan: Scan, separator: Separator, value: ValueSpan): ValueSpan | undefined {
  const { text } = scan;
  const { valueStart, form, isSpaced } = separator;
  const opener = openers().exec(text.slice(valueStart, valueStart + 8))?.[0] ?? "";
  if (value.value !== "" && opener === "") return value;
  // An environment file may leave a variable empty; code goes on.
  if (form === "equals" && !isSpaced && opener === "") return undefined;
  const start = nextLineStart(scan, valueStart + opener.length);
  if (start < 0) return undefined;
  const next = readValue(scan, start);
  return /^[|>&]/.test(opener) || isLoneValue(scan, next) ? next : undefined;
}

/** A text in quotes that is no key, or a word by itself that could be nothing but a value. */
function isLoneValue(scan: Scan, next: ValueSpan): boolean {
  if (next.quote !== "") return scan.text[next.end + next.quote.length] !== ":";
  if (!isWholeLine(scan, next) || !isStrong(next.value)) return false;
  return !/^[\w.-]+[=:]+[^=]/.test(next.value) && !isTypeName(next.value);
}

/** `x509.Certificate`, `PKCS12Certificate`, `lines[0`: code has those on lines of their own. */
function isTypeName(value: string): boolean {
  if (/^[A-Za-z_][\w.]*[[(]/.test(value)) return !/^\w*\d\w*[[(]/.test(value);
  if (/^[A-Z\d]*_[A-Z\d_]+$|^[A-Z]{2,}\d{1,4}[A-Z][a-z]+$/.test(value)) return true;
  return /^[A-Za-z_]\w*(?:\.[A-Z]\w*[a-z]{4})+$/.test(value) && !looksRandom(value);
}

/** What opens a block of lines in YAML, or brackets and a line that goes on in code. */
const openers = (): RegExp => /^(?:(?:[|>]|&gt;)[-+]?\d?|\(|\\(?=\s))/;

/** A cell of a row, which a comma ends. */
export function readCell(scan: Scan, start: number): ValueSpan {
  const span = readValue(scan, start);
  const comma = span.quote === "" ? span.value.search(/[,;|]/) : -1;
  if (comma < 0) return span;
  return { ...span, end: start + comma, value: span.value.slice(0, comma) };
}

const braced = (): RegExp => /^\{((?:[^{}\n"]|\}\}){3,96})\}(;|\\*["']|\s|$)/;

/** A value of a connection string in braces; a brace in it is written twice. */
function readBraced(scan: Scan, start: number): ValueSpan | undefined {
  if (scan.text[start] !== "{") return undefined;
  const found = braced().exec(scan.text.slice(start, start + 104));
  spend(scan, 16);
  const before = /(;?)\s?\b(?:pwd|password)=$/i.exec(
    scan.text.slice(Math.max(0, start - 12), start),
  );
  if (found === null || before === null || (before[1] !== ";" && found[2] !== ";"))
    return undefined;
  const raw = found[1] as string;
  return {
    start: start + 1,
    end: start + 1 + raw.length,
    quote: "",
    value: raw.replaceAll("}}", "}"),
  };
}

/** What stands up to the brace that closes `${NAME:-value}`. */
function readDefault(scan: Scan, start: number): ValueSpan | undefined {
  const window = scan.text.slice(start, start + defaultCharsMax);
  const length = window.search(/[}\n"'`\\]/);
  spend(scan, Math.max(8, length));
  if (length <= 0 || window[length] !== "}") return undefined;
  const value = window.slice(0, length);
  return { start, end: start + length, quote: "", value };
}

const defaultCharsMax = 160;

/** What stands up to the tag that closes the element. */
function readElement(scan: Scan, start: number): ValueSpan | undefined {
  const { text } = scan;
  // `<user>:<password>@host` stands for a URL, and is no element.
  if (text[start] === "@") return undefined;
  const first = text.charCodeAt(start);
  if (first === 10 || first === 13) return readOwnLine(scan, start);
  let at = start;
  const stop = Math.min(text.length, start + quotedCharsMax);
  while (at < stop && !endsElement(text, at)) at++;
  spend(scan, at - start + 8);
  const value = text.slice(start, at);
  if (/^(?:<|&lt;)\//.test(text.slice(at, at + 5))) {
    return at === start ? undefined : { start, end: at, quote: "", value };
  }
  return readCutElement(text, start, value);
}

/** What stands on a line of its own between the tags of an element. */
function readOwnLine(scan: Scan, from: number): ValueSpan | undefined {
  const start = nextLineStart(scan, from);
  if (start < 0) return undefined;
  const span = readValue(scan, start);
  const next = span.quote === "" && isWholeLine(scan, span) ? nextLineStart(scan, span.end) : -1;
  return next >= 0 && /^(?:<|&lt;)\//.test(scan.text.slice(next, next + 5)) ? span : undefined;
}

/** What a limit of length has left of an element: it has to look like a key by itself. */
function readCutElement(text: string, start: number, written: string): ValueSpan | undefined {
  const value = written.replace(/\.{3}.{0,48}$/, "");
  const after = start + value.length;
  const isCut = after >= text.length || /^(?:…|\.{3}|\r?\n\[)/.test(text.slice(after, after + 4));
  const isKey = value.length >= 20 && isMixed(value) && !/\s/.test(value);
  return isCut && isKey ? { start, end: after, quote: "", value } : undefined;
}

function endsElement(text: string, at: number): boolean {
  const char = text.charCodeAt(at);
  if (char === 60 || char === 10 || char === 13 || char === 8230) return true;
  return char === 38 && text.startsWith("&lt;", at);
}
