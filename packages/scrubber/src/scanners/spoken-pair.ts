import { isMadeUp } from "../checks/made-up.ts";
import { isWordPhrase } from "../checks/word-phrase.ts";
import type { Scan } from "../scan.ts";
import { spend } from "../scan.ts";
import { isUnmistakable } from "../strength.ts";
import { nextLineStart } from "../line-lead.ts";
import { type Found, valueAt } from "./spoken-sentence.ts";

/** Nouns and verbs that a user and a password follow, parted by a mark. */
const pairNouns = (): RegExp =>
  /^(?:credentials?|creds|logins?|zugangsdaten|anmeldedaten|identifiants|credenciales|credenziali|credenciais|inloggegevens|accounts?|user|user(?:name)? ?[/:|] ?pass(?:word)?|e?mail ?\/ ?password|login ?\/ ?pass(?:word)?|log in|sign in|логин\/пароль|use)$/i;

/** Whether a pair of a user and a password can follow. `token` and `password`, of which most is said, show by their first letter that none can. */
export function isPairNoun(noun: string): boolean {
  const first = noun.charCodeAt(0) | 32;
  return first !== 112 && first !== 116 && pairNouns().test(noun);
}

/** The second of a user and a password: `admin / …`, `admin:…`, after a colon, a verb or in brackets. */
export function pairValue(window: string): readonly Found[] {
  const lead = /^[*_]{0,2}(?:(?: [\p{L}'’]{1,16}){0,6}?(?:\s?[:=：（(]| (?:are|is|was|with|as|using|use|sind|sont|son|sono|são|zijn|to|mit|als|avec|con|como|com|met|jako|как))[*_]{0,2}){1,2}\s?["'`]{0,2}[\w.@+-]{2,40}["'`]{0,2}(?:\s?[/:|,]\s?| with (?:the )?(?:pass(?:word)? )?| and )/u.exec(window); // prettier-ignore
  return lead === null ? [] : valueAfter(window, lead[0].length);
}

/** `user (ada / X)` and `user: ada / X`, where blanks stand on both sides of the mark. */
export function onePair(window: string): readonly Found[] {
  const lead = /^(?:: | \()["'`]?[\w.@+-]{2,40}["'`]? [/|] (?=\S)/.exec(window);
  return (lead === null ? [] : valueAfter(window, lead[0].length)).filter(
    ({ value }) => isUnmistakable(value) || isWordPhrase(value) || isMadeUp(value),
  );
}

/** The same right after the word that asks to use it. */
export function directPair(window: string): readonly Found[] {
  const lead = /^ ["'`]?[\w.@+-]{2,40}["'`]?(?::(?!:)| \/ |\/| with (?:password )?)/.exec(window);
  return lead === null ? [] : valueAfter(window, lead[0].length);
}

function valueAfter(window: string, at: number): readonly Found[] {
  const rest = window.slice(at);
  const word = rest.slice(0, rest.search(/\s|$/));
  const value = valueAt({ start: at, text: word });
  return value === undefined ? [] : [value];
}

const itemsMax = 24;
const itemCharsMax = 160;
/** Who signs in: what stands before a colon in a list of settings is a name of one. */
const users = (): RegExp => /^(?:[-*•+] |\d{1,2}[.)] )?["'`*]{0,2}(?:old|new|current|previous|prev|before|after|[\w.+-]+@[\w.-]+|\w{0,12}(?:user|admin|root)|test|demo|guest|postgres|administrator|sa)\d*["'`*]{0,2}\s*[:=]/i; // prettier-ignore
const item = (): RegExp =>
  /^(?:[-*•+] |\d{1,2}[.)] )?["'`*]{0,2}[\w.@+-]{2,48}["'`*]{0,2}(?:\s{0,4}[/:|,=]\s{0,4}|\s{1,8}[-–—→]\s{1,4}|\t)(?=\S)/;

/** The second of each pair in the lines under a heading that announces users and passwords. */
export function listedPairs(scan: Scan, from: number, isSure: boolean): readonly Found[] {
  const found: Found[] = [];
  let at = nextLineStart(scan, from);
  for (let count = 0; count < itemsMax && at >= 0; count++) {
    const line = lineAt(scan, at);
    const lead = item().exec(line);
    if (lead === null) break;
    if (!isSure && /[:=]\s*$/.test(lead[0]) && !users().test(lead[0])) break;
    for (const each of valueAfter(line, lead[0].length)) {
      found.push({ start: at - from + each.start, value: each.value });
    }
    at = nextLineStart(scan, at + line.length);
  }
  return found;
}

function lineAt(scan: Scan, start: number): string {
  const window = scan.text.slice(start, start + itemCharsMax);
  const end = window.search(/[\r\n\\]/);
  spend(scan, (end < 0 ? window.length : end) + 1);
  return end < 0 ? window : window.slice(0, end);
}
