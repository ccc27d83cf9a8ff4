import { type Scan, spend } from "../scan.ts";
import { readValue } from "../value.ts";

const reachChars = 320;
const keyCharsMax = 80;

/** The key, flag or word before a name that says that it is one: `"name": "`, `--name`, `variable "`. */
const nameKey = (): RegExp =>
  /(?:^|[^A-Za-z])[A-Za-z]{0,16}(?:name|key|id|variable|field|parameter|property|setting|label|env|option)(?:\\*["']|\\+u0022|&quot;|&#3[49];)?(?:\s{0,4}[:=]\s{0,4}|\s{1,2})(?:\\*["']|\\+u0022|&quot;|&#3[49];)?[\w./-]{0,48}$/i;
/** The key or flag before the value of what was named. */
const valueKey = (): RegExp =>
  /(?:^|[^A-Za-z.])(?:[A-Za-z]{0,16}value|default|example|body|secret-string|plaintext)(?:\\*["']|\\+u0022|&quot;|&#3[49];)?(?:\s{0,8}[:=]\s{0,4}|\s{1,2}(?=\S))/i;
/** What ends the thing that the name is of: its bracket, the next of a list, another name. */
const ownEnd = (): RegExp =>
  /[}>]|[\s\\n]- |\b(?:name|key)(?:\\*["']|\\+u0022|&quot;|&#3[49];)?\s{0,4}[:=]/i;

/** What is known of a name: where it lies, and whether a command before it says that it is one. */
interface NamePlace {
  readonly start: number;
  readonly end: number;
  readonly isKnown: boolean;
}

/**
 * Gives the place of the value that belongs to a name, where both
 * stand under keys of their own (`{"name": X, "type": T, "value": Y}`, in either order); -1 if
 * there is none.
 */
export function pairedValue(scan: Scan, { start, end, isKnown }: NamePlace): number {
  const { text } = scan;
  spend(scan, keyCharsMax);
  if (isKnown || text[start] === "-") return valueAfter(scan, end);
  const key = nameKey().exec(text.slice(Math.max(0, start - keyCharsMax), start));
  if (key === null) return -1;
  const after = valueAfter(scan, end);
  return after >= 0 ? after : valueBefore(scan, start - key[0].length);
}

function valueAfter(scan: Scan, nameEnd: number): number {
  const window = scan.text.slice(nameEnd, nameEnd + reachChars);
  const end = window.search(ownEnd());
  const own = end < 0 ? window : window.slice(0, end);
  spend(scan, own.length);
  const found = valueKey().exec(own);
  return found === null ? -1 : nameEnd + found.index + found[0].length;
}

/** `UPDATE … SET value = …`, in the same statement. */
const setValue = (): RegExp => /^[^;]{1,160}?\bset [^;]{0,96}?\bvalue["'`\]]?\s{0,4}=\s{0,4}/i;

/** What begins the thing that a name is of, the dash of a list at its usual depths among it. */
const openers = [
  "{",
  "}",
  "<",
  ">",
  "UPDATE ",
  "update ",
  "\n- ",
  "\n  - ",
  "\n    - ",
  "\n      - ",
  "\n        - ",
];

function valueBefore(scan: Scan, end: number): number {
  const isFirst = end < reachChars;
  // A list may begin the text.
  const window = (isFirst ? "\n" : "") + scan.text.slice(Math.max(0, end - reachChars), end + 1);
  const opened = Math.max(...openers.map((each) => window.lastIndexOf(each)));
  if (opened < 0) return -1;
  spend(scan, window.length);
  const own = window.slice(opened);
  const found = (/^update /i.test(own) ? setValue() : valueKey()).exec(own);
  if (found === null) return -1;
  const at = end + 1 - own.length + found.index + found[0].length;
  return readValue(scan, at).end <= end ? at : -1;
}
