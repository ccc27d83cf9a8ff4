import { distinctChars, isMixed } from "../checks/randomness.ts";
import { charClasses } from "../chars.ts";
import type { Hit } from "../rule.ts";
import { noteNamed, runEnd, type Scan, spend } from "../scan.ts";
import { headerValueStart } from "./authorization.ts";
import { skipGap } from "./separator.ts";

const pairsMax = 64;
const sessionNames =
  /sess|sid|auth|token|jwt|csrf|xsrf|remember|login|secret|credential|^__(?:host|secure)-|identity|ticket/i;
const plainNames =
  /^(?:path|domain|expires|max-age|samesite|version|_ga.*|_gid|_fbp|theme|lang|locale|tz|timezone)$/i;

/** Finds session values in `Cookie:` and `Set-Cookie:` headers. */
export function scanCookieHeader(scan: Scan, hit: Hit): void {
  const { text } = scan;
  let at = headerValueStart(text, hit.end);
  for (let count = 0; at >= 0 && count < pairsMax; count++) {
    const nameEnd = runEnd(scan, at, charClasses.dotted);
    if (nameEnd === at || nameEnd - at > 80) return;
    const hasValue = text[nameEnd] === "=";
    const end = hasValue ? runEnd(scan, nameEnd + 1, charClasses.cookie) : nameEnd;
    if (hasValue) notePair(scan, hit, { nameStart: at, nameEnd, end });
    at = text[end] === ";" ? skipGap(text, end + 1) : -1;
  }
}

/** Finds the value of a cookie whose name alone says it is a session (`PHPSESSID=`). */
export function scanSessionCookie(scan: Scan, hit: Hit): void {
  const { text } = scan;
  const nameEnd = runEnd(scan, hit.end, charClasses.dotted);
  if (text[nameEnd] !== "=" || nameEnd - hit.end > 64) return;
  const end = runEnd(scan, nameEnd + 1, charClasses.cookie);
  notePair(scan, hit, { nameStart: hit.start, nameEnd, end });
}

function notePair(
  scan: Scan,
  hit: Hit,
  pair: { nameStart: number; nameEnd: number; end: number },
): void {
  const name = scan.text.slice(pair.nameStart, pair.nameEnd);
  const value = scan.text.slice(pair.nameEnd + 1, Math.min(pair.end, pair.nameEnd + 257));
  spend(scan, name.length + value.length);
  if (value.length < 8 || plainNames.test(name) || distinctChars(value, 5) < 5) return;
  const isSession = sessionNames.test(name);
  if (!isSession && (value.length < 20 || !isMixed(value))) return;
  if (isSession && !isMixed(value) && value.length < 16) return;
  noteNamed(scan, {
    start: pair.nameEnd + 1,
    end: pair.end,
    kind: hit.rule.kind,
    ruleId: hit.rule.id,
  });
}
