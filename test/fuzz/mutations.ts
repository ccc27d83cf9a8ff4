import {
  inLines,
  toBase64,
  toCodedJson,
  toEntities,
  toHex,
  toPercent,
} from "../../packages/scrubber/src/testing/encodings.ts";

/** Where a mutation strikes, from 0 to the text's length, how much of it, and what else there is. */
export interface Strike {
  readonly at: number;
  /** Any whole number; each mutation takes what it needs of it. */
  readonly count: number;
  readonly other: string;
}

/** Makes another text of a text. */
export type Mutation = (text: string, strike: Strike) => string;

/** What scanners look for: where it stands by chance, a scanner is asked what it was not made for. */
const signs: readonly string[] = [
  ...Array.from("\"'`\\{}[]()<>=:;,.&|#%@!~$*+-_/ \t\r\n\0\u001b\u00a0\u200b\ufeff😀ß日"),
  "\ud800",
  "\udc00",
  "\r\n",
  "\\n",
  "\\\\",
  '\\"',
  "\u001b[31m",
  "\u001b[0m",
  "<private>",
  "</private>",
  "__SECRET_",
  "__SECRET_jwt_abcdefghijkl__",
  "-----BEGIN PRIVATE KEY-----",
  "-----END PRIVATE KEY-----",
  "password",
  "password=",
  '"token":',
  "Authorization: Bearer ",
  "Cookie: ",
  "curl -u ",
  "https://user:",
  "://",
  "AKIA",
  "ghp_",
  "eyJ",
  "=3D",
  "%3D",
  "&quot;",
  "\\u0022",
  "$(",
  "${",
  "<<EOF\n",
  "@@ -1 +1 @@\n-",
  "name: value\n",
];

/** Without halves of characters, which no bytes spell. */
const wellFormed = (text: string): string =>
  new TextDecoder().decode(new TextEncoder().encode(text));

/** Ways of writing a part of a text in other characters. */
const codings: readonly ((text: string) => string)[] = [
  (text) => toBase64(wellFormed(text)),
  (text) => toHex(wellFormed(text)),
  (text) => toPercent(wellFormed(text)),
  toEntities,
  toCodedJson,
  (text) => JSON.stringify(text),
  (text) => JSON.stringify(JSON.stringify({ out: text })),
  (text) => inLines(text, 40),
  (text) => text.toUpperCase(),
  (text) => text.replaceAll("\n", "\r\n"),
  (text) => Array.from(text).join("\u001b[0m"),
  (text) =>
    text
      .split("\n")
      .map((line, index) => `${String(index + 1).padStart(6)}\t${line}`)
      .join("\n"),
];

/** What is done to texts. */
export const mutations: readonly Mutation[] = [
  function cutsOff(text, { at }) {
    return text.slice(0, at);
  },
  function beginsLate(text, { at }) {
    return text.slice(at);
  },
  function leavesOut(text, { at, count }) {
    return text.slice(0, at) + text.slice(at + lengthOf(count));
  },
  function repeats(text, { at, count }) {
    const part = text.slice(at, at + lengthOf(count));
    return text.slice(0, at) + part.repeat(1 + (count % 60)) + text.slice(at);
  },
  function putsSign(text, { at, count }) {
    return text.slice(0, at) + (signs[count % signs.length] ?? "") + text.slice(at);
  },
  function putsSigns(text, { at, count }) {
    const sign = signs[count % signs.length] ?? "";
    return text.slice(0, at) + sign.repeat(1 + (count % 50)) + text.slice(at);
  },
  function replacesChar(text, { at, count }) {
    return text.slice(0, at) + (signs[count % signs.length] ?? "") + text.slice(at + 1);
  },
  function putsOther(text, { at, other }) {
    return text.slice(0, at) + other + text.slice(at);
  },
  function goesOnAsOther(text, { at, count, other }) {
    return text.slice(0, at) + other.slice(count % (other.length + 1));
  },
  function codesPart(text, { at, count }) {
    const end = at + lengthOf(count);
    const code = codings[count % codings.length] ?? String;
    return text.slice(0, at) + code(text.slice(at, end)) + text.slice(end);
  },
  function codesAll(text, { count }) {
    return (codings[count % codings.length] ?? String)(text);
  },
  function swapsLines(text, { at, count }) {
    const lines = text.split("\n");
    const [line = ""] = lines.splice(at % lines.length, 1);
    lines.splice(count % (lines.length + 1), 0, line);
    return lines.join("\n");
  },
];

/** Short parts more often than long ones. */
function lengthOf(count: number): number {
  return 1 + (count % (count % 7 === 0 ? 400 : 12));
}
