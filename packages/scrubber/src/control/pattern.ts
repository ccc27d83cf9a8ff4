import { bitsAt } from "../chars.ts";
import { openMax, type Part } from "../rule.ts";

/** Why a pattern is refused, and how to write it otherwise. */
export interface PatternFault {
  readonly message: string;
  readonly hint: string;
}

type Read<T> =
  | { readonly ok: true; readonly value: T; readonly next: number }
  | { readonly ok: false; readonly fault: PatternFault };

interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** Longest pattern, in code units. */
const patternCharsMax = 512;
/** Most times that a plain character is repeated. */
const repeatMax = 64;

const groupsHint =
  "a class is made of the groups a-f, g-z, A-F, G-Z, 0-9 (or 2-7) and the characters - _ + / = . ~ % :";

const refusedSigns: Readonly<Record<string, PatternFault>> = {
  "(": {
    message: "groups and alternatives are not taken",
    hint: "write one rule for each alternative; a bracket itself is \\(",
  },
  "|": {
    message: "alternatives are not taken",
    hint: "write one rule for each alternative, or several anchors; a bar itself is \\|",
  },
  ".": {
    message: "a dot for any character is not taken",
    hint: "write a class such as [A-Za-z0-9]; a dot itself is \\.",
  },
  "^": {
    message: "a token is found by its anchor, not by a line's start",
    hint: "leave ^ out; the character itself is \\^",
  },
  $: {
    message: "a token ends where its last class ends",
    hint: "leave $ out; the character itself is \\$",
  },
};

const letters: Readonly<Record<string, string>> = {
  d: "0-9",
  w: "A-Za-z0-9_",
  h: "0-9a-f",
};

/**
 * Reads the body of a user's token: characters as they are, classes in brackets, and how often.
 *
 * `[A-Za-z0-9]{20,40}` is a run of a class; `{20}`, `{20,}`, `+`, `*` and `?` say how long it may
 * be, up to 4096. `\d`, `\w` and `\h` are digits, word characters and lower-case hexadecimal
 * digits; a backslash before a sign takes it as it is. Nothing else has a meaning, so that one
 * walk forward decides every token (SC4).
 */
export function readPattern(
  pattern: string,
): { ok: true; value: readonly Part[] } | { ok: false; error: PatternFault } {
  if (pattern.length > patternCharsMax) {
    const message = `the pattern is longer than ${patternCharsMax} characters`;
    return {
      ok: false,
      error: { message, hint: "say less of the token; the anchor does the most" },
    };
  }
  const parts: Part[] = [];
  for (let at = 0; at < pattern.length;) {
    const item = readItem(pattern, at);
    if (!item.ok) return { ok: false, error: item.fault };
    const last = parts.at(-1);
    if (typeof item.value === "string" && typeof last === "string") {
      parts[parts.length - 1] = last + item.value;
    } else {
      parts.push(item.value);
    }
    at = item.next;
  }
  return { ok: true, value: parts };
}

function readItem(pattern: string, at: number): Read<Part> {
  const sign = pattern[at] as string;
  if (sign === "[") return readClassRun(pattern, at);
  if (sign === "\\") return readEscaped(pattern, at + 1);
  const refused = refusedSigns[sign];
  if (refused !== undefined) return { ok: false, fault: refused };
  if (")]{}+*?".includes(sign)) {
    return refuse(`${sign} stands alone`, `the character itself is \\${sign}`);
  }
  return readPlain(pattern, sign, at + 1);
}

function readEscaped(pattern: string, at: number): Read<Part> {
  const sign = pattern[at];
  if (sign === undefined) {
    return refuse("the pattern ends in a backslash", "a backslash itself is \\\\");
  }
  const group = letters[sign];
  if (group !== undefined) return withBounds(pattern, at + 1, maskOf(group));
  if (/[A-Za-z0-9]/.test(sign)) {
    return refuse(`\\${sign} has no meaning here`, "write a class such as [A-Za-z0-9]");
  }
  return readPlain(pattern, sign, at + 1);
}

/** A character as it is; how often is a fixed number. */
function readPlain(pattern: string, char: string, next: number): Read<Part> {
  const bounds = readBounds(pattern, next);
  if (!bounds.ok) return bounds;
  const { min, max } = bounds.value;
  if (bounds.next === next) return { ok: true, value: char, next };
  if (min !== max || min < 1 || min > repeatMax) {
    return refuse(
      `${char} is repeated`,
      `write a class, [${char}], or a fixed number up to ${repeatMax}`,
    );
  }
  return { ok: true, value: char.repeat(min), next: bounds.next };
}

function readClassRun(pattern: string, at: number): Read<Part> {
  const end = pattern.indexOf("]", at + 2);
  if (end < 0) return refuse("a class is not closed", "close it: [A-Za-z0-9]");
  const inside = pattern.slice(at + 1, end);
  if (inside.startsWith("^")) return refuse("a class of all but … is not taken", groupsHint);
  const expanded = inside.replaceAll(/\\([dwh])/g, (_, letter: string) => letters[letter] ?? "");
  return withBounds(pattern, end + 1, maskOf(expanded.replaceAll(/\\(.)/gs, "$1")));
}

function withBounds(pattern: string, next: number, mask: number | PatternFault): Read<Part> {
  if (typeof mask !== "number") return { ok: false, fault: mask };
  const bounds = readBounds(pattern, next);
  if (!bounds.ok) return bounds;
  return { ok: true, value: { mask, ...bounds.value }, next: bounds.next };
}

function readBounds(pattern: string, at: number): Read<Bounds> {
  const sign = pattern[at];
  if (sign === "+") return ended(pattern, at + 1, { min: 1, max: openMax });
  if (sign === "*") return ended(pattern, at + 1, { min: 0, max: openMax });
  if (sign === "?") return ended(pattern, at + 1, { min: 0, max: 1 });
  if (sign !== "{") return { ok: true, value: { min: 1, max: 1 }, next: at };
  const written = /^\{(\d{1,4})(,?)(\d{0,4})\}/.exec(pattern.slice(at, at + 12));
  if (written === null) return refuse("a length cannot be read", "write {20}, {20,40} or {20,}");
  const [whole, least = "", comma, most] = written;
  const min = Number(least);
  const max = comma === "" ? min : Number(most === "" ? openMax : most);
  if (min > max || max > openMax || max === 0) {
    const hint = `the second number is not smaller than the first, and at most ${openMax}`;
    return refuse(`the length ${whole} is out of bounds`, hint);
  }
  return ended(pattern, at + whole.length, { min, max });
}

/** A second sign after a length would ask for lazy or possessive matching, or repeat a repeat. */
function ended(pattern: string, next: number, value: Bounds): Read<Bounds> {
  const sign = pattern[next] ?? "x";
  if (!"+*?{".includes(sign)) return { ok: true, value, next };
  return refuse(`a length is followed by ${sign}`, "a class has one length; leave the second out");
}

/** The bits of a class; a class that cuts through a group of characters is refused. */
function maskOf(inside: string): number | PatternFault {
  const chars = expandClass(inside);
  if (typeof chars === "string") {
    return { message: `the class [${inside}] holds ${chars}`, hint: groupsHint };
  }
  let mask = 0;
  for (const char of chars) mask |= bitsAt(char, 0);
  for (let code = 32; code < 127; code++) {
    const char = String.fromCharCode(code);
    if ((bitsAt(char, 0) & mask) === 0 || chars.has(char)) continue;
    const message = `the class [${inside}] takes part of a group of characters, without ${char}`;
    return { message, hint: groupsHint };
  }
  return mask;
}

/** All characters of a class, or in words what it may not hold. */
function expandClass(inside: string): ReadonlySet<string> | string {
  const chars = new Set<string>();
  for (let at = 0; at < inside.length; at++) {
    const from = inside.charCodeAt(at);
    const isRange = inside[at + 1] === "-" && at + 2 < inside.length;
    const to = isRange ? inside.charCodeAt(at + 2) : from;
    if (from > to || to > 126) return "a range that is none";
    for (let code = from; code <= to; code++) chars.add(String.fromCharCode(code));
    if (isRange) at += 2;
  }
  const strange = [...chars].find((char) => bitsAt(char, 0) === 0);
  if (strange !== undefined) return `the character ${JSON.stringify(strange)}`;
  return chars.size === 0 ? "nothing" : chars;
}

function refuse(message: string, hint: string): { ok: false; fault: PatternFault } {
  return { ok: false, fault: { message, hint } };
}
