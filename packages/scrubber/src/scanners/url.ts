import { bitsAt, charClasses, isAt } from "../chars.ts";
import { isMixed, looksRandom } from "../checks/randomness.ts";
import { skipEscapeTail, unescapePercent } from "../escapes.ts";
import type { Hit } from "../rule.ts";
import { urlPasswordKinds } from "../rules/url-password-kinds.ts";
import { noteNamed, type Scan, spend } from "../scan.ts";

const authorityCharsMax = 512;
const schemeCharsMax = 24;
const references = (): RegExp =>
  /^(?:\$.*|\{.*|<.*|%[A-Za-z_]+%|%s|\*+|x+|\.+|…|\[.*|:.*|pass(?:word)?|passwd|pwd|secret|token|user|username|your.*|redacted|changeme)$/i;

/** Finds the password, or the token in place of a user, before the host of a URL (`://`). */
export function scanUserInfo(scan: Scan, hit: Hit): void {
  const { text } = scan;
  const whole = endOfUserInfo(scan, hit.end);
  const at = whole < 0 ? endOfCut(scan, hit) : whole;
  if (at < 0) return;
  const colonAt = text.indexOf(":", hit.end);
  const hasPassword = colonAt >= 0 && colonAt < at;
  const { start, end } = hasPassword
    ? secretOfPair(hit.end, colonAt, at)
    : { start: hit.end, end: at };
  const value = unescapePercent(text.slice(start, end));
  if (value === "" || references().test(value)) return;
  if (start > hit.end ? isAnyones(text.slice(hit.end, at)) : !isTokenUser(value)) return;
  noteNamed(scan, {
    start,
    end,
    kind: kindOfScheme(text, hit.start) ?? hit.rule.kind,
    ruleId: hit.rule.id,
    canonical: value,
    confidence: "high",
    layer: text.slice(start, end).includes("%") ? "percent" : "plain",
  });
}

/** The password of a pair; a token may stand as the user, and no more than a colon after it. */
function secretOfPair(from: number, colonAt: number, at: number): { start: number; end: number } {
  return colonAt + 1 === at ? { start: from, end: colonAt } : { start: colonAt + 1, end: at };
}

/** What servers let everyone in with, as their manuals say: it opens nothing that is closed. */
function isAnyones(pair: string): boolean {
  return pair === "guest:guest" || pair === "anonymous:anonymous";
}

/** What the password of a URL opens, by the scheme: `postgresql+asyncpg` is PostgreSQL too. */
function kindOfScheme(text: string, colonAt: number): string | undefined {
  const from = Math.max(0, colonAt - schemeCharsMax);
  const window = text.slice(from, colonAt);
  const start = from + window.lastIndexOf("\\") + 1;
  const before = start > from ? text.slice(skipEscapeTail(text, start, colonAt), colonAt) : window;
  const scheme = /([a-z]+)(?:[+:][a-z0-9]+)?$/i.exec(before)?.[1];
  return scheme === undefined ? undefined : urlPasswordKinds.get(scheme.toLowerCase());
}

/** Longest user before the password of a URL that was cut off. */
const userCharsMax = 48;

/** Place at which a URL of a database was cut off within a password that looks drawn, or -1. */
function endOfCut(scan: Scan, hit: Hit): number {
  const { text } = scan;
  // Nearly every URL has a host there, and no colon after it.
  let colonAt = hit.end;
  while (colonAt - hit.end < userCharsMax && isAt(text, colonAt, charClasses.name)) colonAt++;
  spend(scan, colonAt - hit.end + 1);
  if (text.charCodeAt(colonAt) !== 58 || kindOfScheme(text, hit.start) === undefined) return -1;
  const cut = /^[\w.-]{1,48}:([\w.~!$%^&*+-]{12,128}?)(?=\.{3}|…|$)/.exec(
    text.slice(hit.end, hit.end + 180),
  );
  return cut !== null && isTokenUser(cut[1] as string) ? hit.end + cut[0].length : -1;
}

function isTokenUser(value: string): boolean {
  return value.length >= 16 && /^[\w.~-]+$/.test(value) && (isMixed(value) || looksRandom(value));
}

/** Place of the last `@` of the authority that begins at `start`, or -1. */
function endOfUserInfo(scan: Scan, start: number): number {
  const { text } = scan;
  let found = -1;
  let hasColon = false;
  let at = start;
  const stop = Math.min(text.length, start + authorityCharsMax);
  for (; at < stop; at++) {
    if ((bitsAt(text, at) & charClasses.dotted) !== 0) continue;
    const code = text.charCodeAt(at);
    if (code === 64) found = at;
    else if (code === 58) hasColon = true;
    else if (endsWord(code)) break;
    else if (isDelimiter(code)) {
      if (!hasColon || !hasLateHost(text, { start, found, at })) break;
    }
  }
  spend(scan, at - start + 1);
  return found;
}

function endsWord(code: number): boolean {
  return code <= 32 || code === 34 || code === 39 || code === 96 || code === 92;
}

function isDelimiter(code: number): boolean {
  return code === 47 || code === 63 || code === 35 || code === 60 || code === 62 || code === 44;
}

interface Late {
  readonly start: number;
  /** Place of an at sign met before, or -1. */
  readonly found: number;
  readonly at: number;
}

/**
 * A bare slash or hash inside the password: `user:` stands before it and `@host` follows. Paths of
 * the web hold at signs as well, so that there the first host is the host.
 */
function hasLateHost(text: string, { start, found, at }: Late): boolean {
  const before = text.slice(start, at);
  const isUser = found < 0 ? /^[^:@/]*:[^@/]+$/.test(before) : /^[^:@/]*:[^/]+$/.test(before);
  if (!isUser || /:\d{1,5}$/.test(before)) return false;
  if (found >= 0 && (isWeb(text, start) || /[.:]/.test(text.slice(found, at)))) return false;
  const rest = text.slice(at + 1, at + 96);
  const host = /^[^\s"'`\\/?#@<>=&:]{0,40}@[A-Za-z0-9]/;
  return (isWeb(text, start) ? host : /^[^\s"'`\\@<>=&:]{0,40}@[A-Za-z0-9]/).test(rest);
}

function isWeb(text: string, start: number): boolean {
  return /https?:\\{0,15}\/\\{0,15}\/$/i.test(text.slice(Math.max(0, start - 40), start));
}
