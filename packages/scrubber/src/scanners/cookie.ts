import { distinctChars, isMixed } from "../checks/randomness.ts";
import { charClasses } from "../chars.ts";
import type { Hit } from "../rule.ts";
import { noteNamed, runEnd, type Scan, spend } from "../scan.ts";
import { headerValueStart } from "./authorization.ts";
import { skipGap } from "./separator.ts";
import { isMember } from "../written-value.ts";
import { quoteAt } from "../value.ts";

const pairsMax = 64;
/** How far after a cookie's name its value stands in a list of cookies. */
const objectCharsMax = 240;
const sessionNames = (): RegExp =>
  /sess|sid|auth|token|jwt|csrf|xsrf|remember|login|secret|credential|^__(?:host|secure)-|identity|ticket/i;
const plainNames = (): RegExp =>
  /^(?:path|domain|expires|max-age|samesite|version|_ga.*|_gid|_fbp|theme|lang|locale|tz|timezone|.*_(?:addr(?:ess)?|sock(?:et)?|path|file|dir|desktop|manager|type|class|seat))$/i;

/** Finds session values in `Cookie:` and `Set-Cookie:` headers. */
export function scanCookieHeader(scan: Scan, hit: Hit): void {
  const { text } = scan;
  let at = headerValueStart(text, hit.end);
  for (let count = 0; at >= 0 && count < pairsMax; count++) {
    const nameEnd = runEnd(scan, at, charClasses.dotted);
    if (nameEnd === at || nameEnd - at > 80) return;
    const hasValue = text[nameEnd] === "=";
    const end = hasValue ? runEnd(scan, nameEnd + 1, charClasses.cookie) : nameEnd;
    if (hasValue) notePair(scan, hit, { nameStart: at, nameEnd, valueStart: nameEnd + 1, end });
    at = text[end] === ";" ? skipGap(text, end + 1) : -1;
  }
}

/** Finds the value of a cookie whose name alone says it is a session (`PHPSESSID=`). */
export function scanSessionCookie(scan: Scan, hit: Hit): void {
  const { text } = scan;
  const nameEnd = runEnd(scan, hit.end, charClasses.dotted);
  if (nameEnd - hit.end > 64) return;
  const at = text.startsWith("%3D", nameEnd)
    ? nameEnd + 3
    : valueAfter(scan, { start: hit.start, end: nameEnd });
  if (at < 0) return;
  const end = runEnd(scan, at, charClasses.cookie);
  // A percent sign ends the value of a cookie that is percent-encoded as a whole.
  const stop = text.startsWith("%3D", nameEnd) ? runEnd(scan, at, charClasses.token68) : end;
  notePair(scan, hit, { nameStart: hit.start, nameEnd, valueStart: at, end: stop });
}

/** Names that only cookies have: `sessionId` is also what a program calls a run of its own. */
const cookieNames = (): RegExp => /^(?:connect\.sid|sessid|\.aspxauth|__host-|__secure-)/i;

/** Place of the value after an equals sign, a colon, or `"value":` in the same object. */
function valueAfter(scan: Scan, name: { start: number; end: number }): number {
  const { text } = scan;
  const nameEnd = name.end;
  if (text[nameEnd] === "=") return nameEnd + 1;
  const quote = quoteAt(text, nameEnd)?.written;
  if (quote === undefined) return -1;
  const rest = text.slice(nameEnd + quote.length, nameEnd + quote.length + objectCharsMax);
  spend(scan, 32);
  const isCookie =
    cookieNames().test(text.slice(name.start, nameEnd)) ||
    "jJ".includes(text[name.start - 1] ?? "x");
  const direct = !isCookie ? null : /^\s{0,4}(?::|=>)\s{0,4}/.exec(rest);
  const named = direct ?? (rest.startsWith(",") ? /^[^{}]{0,200}?value["'\\u02]{1,40}\s{0,4}:\s{0,4}/i.exec(rest) : null); // prettier-ignore
  if (named === null) return -1;
  const at = nameEnd + quote.length + named[0].length;
  return text.startsWith(quote, at) ? at + quote.length : -1;
}

function notePair(
  scan: Scan,
  hit: Hit,
  pair: { nameStart: number; nameEnd: number; valueStart: number; end: number },
): void {
  const name = scan.text.slice(pair.nameStart, pair.nameEnd);
  const value = scan.text.slice(pair.valueStart, Math.min(pair.end, pair.valueStart + 256));
  spend(scan, name.length + value.length);
  if (value.length < 8 || plainNames().test(name) || distinctChars(value, 5) < 5) return;
  if (isMember(value)) return;
  const isSession = sessionNames().test(name);
  if (!isSession && (value.length < 20 || !isMixed(value))) return;
  if (isSession && !isMixed(value) && value.length < 16) return;
  noteNamed(scan, {
    start: pair.valueStart,
    end: pair.end,
    kind: hit.rule.kind,
    ruleId: hit.rule.id,
  });
}
