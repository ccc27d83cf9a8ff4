import { charClasses, isAt } from "../chars.ts";
import { spend } from "../scan.ts";
import { quoteAt } from "../value.ts";
import { type Gap, isUpperName } from "./gap.ts";

/** Commands and statements whose next word is a name, and the one after it the value. */
const settings = (): RegExp =>
  /(?:(?:^|[\s"'>+→:])(?:ENV|ARG|SetEnv|fastcgi_param|setenv|setx|%?define|#define|set(?: -\w+)*)|\b(?:config|configure|user-secrets|secrets?|variables?|defaults)[ :](?:set|write|add|put)(?: --?[\w-]+)*(?: [\w./:@-]{1,40})?)[ \t]+\\*["'$]?(?:[\w./:@-]{0,32}[/:])?$/;

/** One of these is in whatever {@link settings} matches. */
const signs = ["ENV", "ARG", "SetEnv", "fastcgi_param", "set", "define", "write", "add", "put"];

/** `ENV NAME value`, `config set name value`. */
export function isSetting({ scan, nameStart, at }: Gap): boolean {
  const before = scan.text[nameStart - 1] ?? "";
  if (!" \t$\"':/".includes(before) || !isMaybeValue(scan.text, at, nameStart)) return false;
  spend(scan, 16);
  const window = scan.text.slice(Math.max(0, nameStart - 72), nameStart);
  if (!signs.some((sign) => window.includes(sign))) return false;
  const found = settings().exec(window);
  // A macro's name stands for code as often as for a text.
  return found !== null && (!found[0].includes("define") || quoteAt(scan.text, at) !== undefined);
}

/** Whether a value may follow: a quote, a flag, a word with a digit, or any after a name in capitals. */
function isMaybeValue(text: string, at: number, nameStart: number): boolean {
  if (isAt(text, nameStart, charClasses.upper) || "\"'-\\".includes(text[at] ?? "x")) return true;
  for (let index = at; index < at + 48; index++) {
    const code = text.charCodeAt(index);
    if (code >= 48 && code <= 57) return true;
    if (code <= 32) return false;
  }
  return false;
}

const sentences = (): RegExp =>
  /^(?:(?:(?:should|must|needs? to|has to|will) be|has been|is|was|gets?)(?: now)? (?:set|changed|updated|rotated|reset) )?to (?=[!-~]{6})/;

/** First two letters of {@link sentences}. */
const sentenceStarts = new Set(["to", "sh", "mu", "ne", "ha", "wi", "is", "wa", "ge"]);

/** First letters of what {@link setAnew} reads. */
export const anewStarts = "tsmnhiwgaà";

/** Place of the value in `I set NAME to X` and in `NAME should be set to X`; -1 for other sentences. */
export function setAnew(gap: Gap): number {
  const { nameStart, at } = gap;
  const { text } = gap.scan;
  spend(gap.scan, 16);
  const said = sentenceStarts.has(text.slice(at, at + 2))
    ? sentences().exec(text.slice(at, at + 48))
    : null;
  if (said === null) return setElsewhere(gap);
  if (!said[0].startsWith("to")) return at + said[0].length;
  const before = text.slice(Math.max(0, nameStart - 48), nameStart);
  return changes().test(before) ? at + said[0].length : -1;
}

const changes = (): RegExp =>
  /\b(?:set|change|update|rotate|reset|switch|point)(?:s|d|ting|ing)? [^.\n]{0,24}$/i;

/** The same of a variable in other languages: `DB_PASSWORD auf X gesetzt`, `à X`. */
function setElsewhere(gap: Gap): number {
  if (!isUpperName(gap)) return -1;
  const { text } = gap.scan;
  const tie = ties.find((each) => text.startsWith(each, gap.at));
  if (tie === undefined) return -1;
  const start = gap.at + tie.length;
  return /^[!-~]{8}$/.test(text.slice(start, start + 8)) ? start : -1;
}

const ties = ["auf ", "à ", "a ", "en ", "na ", "naar "];
