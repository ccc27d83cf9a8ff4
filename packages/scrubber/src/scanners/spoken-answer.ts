import { nextLineStart } from "../line-lead.ts";
import { type Scan, spend } from "../scan.ts";
import { isUnmistakable } from "../strength.ts";
import { type Found, valueAt } from "./spoken-sentence.ts";

const lineCharsMax = 160;
/** Words with which people ask for something that they do not know. */
const asks = (): RegExp =>
  /\b(?:what(?:'?s| is| was)?|which|remind|remember|know|have|got|send|give|share|tell|paste|need|again|anyone|wie|was|welches|kennst|hast|weißt|schick|quel(?:le)?|c'est quoi|connais|cu[aá]l|sabes|tienes|qual|quale|sabe|wat|weet|jakie|znasz)\b/i;
/** Who speaks and when, as chats show it before what is said. */
const speaker = (): RegExp =>
  /^(?:(?:\[?\d{1,2}:\d{2}(?::\d{2})?(?: ?[AP]M)?\]?,? {1,2})?(?:[<@*]{0,3}[\p{L}][\p{L}\d._-]{0,23}(?: \p{L}[\p{L}.]{0,15})?[>*]{0,3}(?: ?[[(]?\d{1,2}:\d{2}(?::\d{2})?(?: ?[AP]M)?[\])]?)?(?::|>|(?<=>)) ?)|\[?\d{1,2}:\d{2}(?::\d{2})?\]? |> )?(?:\r?\n|\\n)?/u;
const leads = (): RegExp =>
  /^(?:(?:it(?:['’]s| is| was| should be)|that(?:['’]s| is)|try|use|should be|here(?:['’]s| it is| you go)?|sure|yes|yep|yeah|ja|es ist|ist|c['’]est|es|é|è|to)[:,]? {1,2}(?:still |now |just )?){0,2}/i;

/** Whether a line goes on from a noun to the end of a question. */
export function isQuestion(before: string, after: string): boolean {
  return /^[^?:=]{0,80}\?["'*]{0,2}\s*$/.test(after) && asks().test(`${before} ${after}`);
}

/** The answer on the line after a question about a password: all that is said, or said first. */
export function answerAfter(
  scan: Scan,
  questionEnd: number,
  isPassword: boolean,
): Found | undefined {
  const at = nextLineStart(scan, questionEnd);
  if (at < 0) return undefined;
  const window = scan.text.slice(at, at + lineCharsMax);
  spend(scan, 48);
  const said = lengthOf(speaker(), window);
  const start = said + lengthOf(leads(), window.slice(said));
  const word = answers().exec(window.slice(start))?.[0];
  if (word === undefined) return undefined;
  const found = valueAt({ start: at + start, text: word });
  if (found !== undefined && (isPassword || isUnmistakable(found.value))) return found;
  // A number is one only where nothing else is said but that it is.
  const isNumber = isPassword && start > said && /^\d{4,12}$/.test(word);
  const isEnd = isNumber && endsSaid().test(window.slice(start + word.length));
  return isEnd ? { start: at + start, value: word } : undefined;
}

function lengthOf(form: RegExp, text: string): number {
  return form.exec(text)?.[0].length ?? 0;
}

/** A word with which the line ends, or after which a sentence goes on. */
const answers = (): RegExp => /^[^\s\\]{4,128}(?=\s|\\|["']|$)/;
const endsSaid = (): RegExp => /^[.!]?\s*(?:\r|\n|\\+[nr]|["']|$)/;

const laterTie = (): RegExp =>
  /(?:, |; | and | but |\()(?:(?:it|that|this)(?: is|['’]s) now|now(?: it(?: is|['’]s))?|the new one is|changed to|aber jetzt|jetzt|maintenant|ahora|agora|adesso):? {1,2}(?=\S)/i;

/** What a sentence says of the present after it has said what was before: `…, it is now X`. */
export function laterValue(window: string): readonly Found[] {
  const lead = laterTie().exec(window);
  if (lead === null) return [];
  const start = lead.index + lead[0].length;
  const found = valueAt({ start, text: window.slice(start).split(/\s/, 1)[0] ?? "" });
  return found !== undefined && /\d[A-Za-z]*\d|[!#$%^&*?]/.test(found.value) ? [found] : [];
}

/** `secret key for the HMAC (X) must …`: the value in brackets after what it is for. */
export function bracketedValue(window: string): readonly Found[] {
  const lead = /^s?(?: (?:for|of|to|from|on|in)(?: [\w./-]{1,24}){1,4})? \((?=["'`]?[\w+/=.~-]{16,140}["'`]?\))/.exec(window); // prettier-ignore
  if (lead === null) return [];
  const text = window.slice(lead[0].length).split(")", 1)[0] ?? "";
  const found = valueAt({ start: lead[0].length, text });
  return found !== undefined && isUnmistakable(found.value) ? [found] : [];
}
