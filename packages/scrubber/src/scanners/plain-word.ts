import { charClasses, isAt } from "../chars.ts";
import type { Named } from "./named-value.ts";

const wordCharsMax = 24;

/**
 * What a sentence or a declaration ties a name to its value with, by its first word; a type that is
 * declared, a verb, `as`, `or`. A reader of ties that learns a word has to have it here.
 */
const tyingWords: ReadonlySet<string> = new Set([
  "as", "base", "char", "clob", "for", "get", "gets", "has", "is", "like", "must", "nchar", "need",
  "needs", "nvarchar", "or", "pic", "picture", "securestring", "should", "str", "string", "text",
  "to", "type", "was", "will",
]); // prettier-ignore

/**
 * Whether a name in small letters stands in running words: blanks around it, and a plain word that
 * ties nothing after it (`the token cache is cold`). Nothing is tied to it then, nor heads it a
 * column, a row or a path, which to find out in full costs thirty times as much; prose and notes on
 * code are full of such names.
 */
export function isInRunningWords(text: string, { start, end }: Named): boolean {
  if (text.charCodeAt(end) !== blank || text.charCodeAt(start - 1) !== blank) return false;
  if (text.charCodeAt(start - 2) === angle || !isAt(text, start, charClasses.lower)) return false;
  const from = end + 1;
  let at = from;
  while (at - from < wordCharsMax && isAt(text, at, charClasses.lower)) at++;
  if (at === from || text.charCodeAt(at) !== blank) return false;
  // What begins with a `v` may be `value`, or the name of a variable's type.
  if (text.charCodeAt(from) === letterV || tyingWords.has(text.slice(from, at))) return false;
  return end - start !== loginNameChars || !text.slice(Math.max(0, start - 96), start).includes("login"); // prettier-ignore
}

const blank = 32;
/** Of `echo X > name`. */
const angle = 62;
const letterV = 118;
/** Length of `password`, which `.netrc` has after a login with no sign between. */
const loginNameChars = 8;
