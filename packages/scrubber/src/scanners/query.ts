import { hasDenseRun, isMixed, looksRandom, readsAsDrawn } from "../checks/randomness.ts";
import { unescapePercent } from "../escapes.ts";
import type { Hit } from "../rule.ts";
import { noteNamed, type Scan, spend } from "../scan.ts";

const valueCharsMax = 1024;
const queryCharsMax = 512;
const value = (): RegExp => /^(?:[\w.~+/=:|-]|%[0-9A-Fa-f]{2}){1,1024}/;
const uuid = (): RegExp => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** What begins a pair, in every way in which an ampersand is written. */
const pairStart = (): RegExp => /(?:[?&#]|&amp;|\\{1,8}u0026|%26|%3[fF])$/;

/** Finds the value of a name in a query that says little by itself (`?code=…`, `&key=…`). */
export function scanQueryValue(scan: Scan, hit: Hit): void {
  const { text } = scan;
  spend(scan, 8);
  if (!pairStart().test(text.slice(Math.max(0, hit.start - 14), hit.start))) return;
  const before = text.slice(Math.max(0, hit.start - queryCharsMax), hit.start);
  const word = before.slice(before.search(/[^\s"'`]*$/));
  spend(scan, word.length);
  if (!/\/|%2[fF]|^\?/.test(word)) return;
  const found = value().exec(text.slice(hit.end, hit.end + valueCharsMax))?.[0] ?? "";
  const raw = found.replace(/[.:]+$/, "");
  const plain = unescapePercent(raw);
  spend(scan, raw.length);
  if (!looksDrawn(plain, 16)) return;
  noteNamed(scan, {
    start: hit.end,
    end: hit.end + raw.length,
    kind: hit.rule.kind,
    ruleId: hit.rule.id,
    canonical: plain,
  });
}

/** Segments that are looked at after the one that names the link's purpose. */
const segmentsMax = 3;
const segment = (): RegExp => /^[\w~.=-]{1,512}(?=[/?#&\s"'`<>)\\,;]|\]|$)/;
/** Purposes that leave no doubt: what follows them lets its holder in. */
const surePurposes = (): RegExp => /reset|magic|password/i;

/** Finds the token in the path of a link that lets its reader in, such as one that resets a password. */
export function scanLinkToken(scan: Scan, hit: Hit): void {
  const { text } = scan;
  const charsMin = surePurposes().test(text.slice(hit.start, hit.end)) ? 16 : 24;
  let at = hit.end;
  for (let count = 0; count < segmentsMax; count++) {
    const found = segment()
      .exec(text.slice(at, at + valueCharsMax))?.[0]
      .replace(/\.$/, "");
    spend(scan, (found?.length ?? 0) + 8);
    if (found === undefined || found === "") return;
    if (isLinkToken(found, charsMin)) {
      const { kind, id } = hit.rule;
      noteNamed(scan, { start: at, end: at + found.length, kind, ruleId: id });
      return;
    }
    at += found.length + 1;
    if (text[at - 1] !== "/") return;
  }
}

function isLinkToken(found: string, charsMin: number): boolean {
  if (/\.[a-z]{2,5}$/.test(found) && !found.startsWith("eyJ")) return false;
  return looksDrawn(found, charsMin) && (charsMin < 24 || !uuid().test(found));
}

/** Whether a value is long and irregular enough to be drawn by lot. */
function looksDrawn(text: string, charsMin: number): boolean {
  if (text.length < charsMin || /^[\d.:-]+$/.test(text)) return false;
  if (uuid().test(text)) return true;
  if (/^[A-Za-z]+(?:[-_./:=][A-Za-z]+)*[-_./]?\d{0,4}$/.test(text)) return looksRandom(text) && !/[-_./]/.test(text); // prettier-ignore
  if (!text.includes("/") && readsAsDrawn(text, 0, text.length)) return true;
  return isMixed(text) && (hasDenseRun(text) || /\d[A-Za-z]+\d[A-Za-z]+\d/.test(text));
}
