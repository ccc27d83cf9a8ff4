import { isArray, type JsonObject, type JsonValue } from "./json.ts";
import { limits } from "./limits.ts";
import { fail, ok, type Result } from "./result.ts";

/** Why a value cannot be stored. */
export interface ValueError {
  readonly kind: "too-deep" | "bad-number" | "bad-key" | "not-json";
}

// NUL and lone surrogates. In unicode mode a surrogate matches only when it is not half of a pair.
const unstorable = /[\0\uD800-\uDFFF]/gu;

/**
 * Text that SQLite, Postgres and UTF-8 agree on (CN1): NUL and lone surrogates become U+FFFD,
 * nothing else changes (no NFC: file names and code must survive byte for byte).
 * Postgres refuses NUL and JSON.parse hides lone surrogates; one such value would block an
 * outbox for ever.
 */
export function canonicalText(text: string): string {
  return isStorableText(text) ? text : text.replace(unstorable, "\u{fffd}");
}

/**
 * The storable form of any parsed JSON (CN1, CN3): canonical text in values and keys, integers
 * safe, numbers finite, at most `limits.valueDepthMax` deep. Anything else is refused, never bent.
 */
export function canonicalValue(value: unknown, depth = 0): Result<JsonValue, ValueError> {
  if (depth > limits.valueDepthMax) return fail({ kind: "too-deep" });
  switch (typeof value) {
    case "string":
      return ok(canonicalText(value));
    case "boolean":
      return ok(value);
    case "number":
      return canonicalNumber(value);
    case "object":
      if (value === null) return ok(null);
      return Array.isArray(value) ? canonicalArray(value, depth) : canonicalObject(value, depth);
    default:
      return fail({ kind: "not-json" });
  }
}

function canonicalNumber(value: number): Result<JsonValue, ValueError> {
  if (!Number.isFinite(value)) return fail({ kind: "bad-number" });
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return fail({ kind: "bad-number" });
  return ok(Object.is(value, -0) ? 0 : value);
}

function canonicalArray(value: readonly unknown[], depth: number): Result<JsonValue, ValueError> {
  const items: JsonValue[] = [];
  for (const item of value) {
    const canonical = canonicalValue(item, depth + 1);
    if (!canonical.ok) return canonical;
    items.push(canonical.value);
  }
  return ok(items);
}

function canonicalObject(value: object, depth: number): Result<JsonValue, ValueError> {
  const members: [string, JsonValue][] = [];
  for (const [key, member] of Object.entries(value)) {
    if (isPollutingKey(key)) return fail({ kind: "bad-key" });
    const canonical = canonicalValue(member, depth + 1);
    if (!canonical.ok) return canonical;
    members.push([canonicalText(key), canonical.value]);
  }
  return ok(Object.fromEntries(members) satisfies JsonObject);
}

/** Keys that change an object's prototype when it is copied carelessly (security study, input rules). */
export function isPollutingKey(key: string): boolean {
  return key === "__proto__" || key === "constructor" || key === "prototype";
}

/** Whether the members of a field map are already as {@link canonicalValue} gives them. */
export function isCanonicalObject(fields: JsonObject): boolean {
  return Object.entries(fields).every(
    ([name, value]) => isStorableKey(name) && isCanonical(value, 0),
  );
}

/** Whether a value is already in the form that {@link canonicalValue} gives. */
export function isCanonical(value: JsonValue, depth = 0): boolean {
  if (depth > limits.valueDepthMax) return false;
  if (typeof value === "string") return isStorableText(value);
  if (typeof value === "number") return canonicalNumber(value).ok && !Object.is(value, -0);
  if (value === null || typeof value === "boolean") return true;
  if (isArray(value)) return value.every((item) => isCanonical(item, depth + 1));
  return Object.entries(value).every(
    ([key, member]) => isStorableKey(key) && isCanonical(member, depth + 1),
  );
}

function isStorableKey(key: string): boolean {
  return !isPollutingKey(key) && isStorableText(key);
}

/** The language's own test: a cold regular expression takes a thousand times as long. */
function isStorableText(text: string): boolean {
  return (text as WellFormedText).isWellFormed() && !text.includes("\0");
}

/** What ES2024 added to strings; every Node that runs this has it. */
type WellFormedText = string & { isWellFormed(): boolean };
