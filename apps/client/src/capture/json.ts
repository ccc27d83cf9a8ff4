import type { JsonValue } from "@tidemark/protocol";

export type { JsonValue };

/** An object of unknown members, as `JSON.parse` gives it. */
export type Fields = Readonly<Record<string, unknown>>;

/** Deepest nesting that is kept of a payload; deeper values become `null`. */
const depthMax = 32;

/** Most values copied of one payload; the rest becomes `null`. Bounds the time of a hook. */
const valuesMax = 50_000;

/** Longest single text that is kept of a payload, in characters. */
const textCharsMax = 256 * 1024;

/** Tells an object with members from arrays, `null` and scalars. */
export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The text of a member, or `undefined` where it is absent, empty or of another type. */
export function textOf(fields: Fields, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = fields[name];
    if (typeof value === "string" && value !== "") return wholeText(value);
  }
  return undefined;
}

/**
 * Copies an unknown value into plain JSON, with bounded depth and size.
 *
 * Polluting keys and what JSON cannot say are left out; text becomes {@link wholeText}.
 */
export function toJsonValue(value: unknown): JsonValue {
  return copy(value, { left: valuesMax }, 0);
}

/**
 * Text of at most {@link textCharsMax} characters without NUL and lone surrogates, which SQLite,
 * Postgres and digests would read differently.
 */
export function wholeText(text: string): string {
  const start = text.slice(0, textCharsMax);
  if ((start as WellFormedText).isWellFormed() && !start.includes("\0")) return start;
  return start.replaceAll(/[\0\uD800-\uDFFF]/gu, "\uFFFD");
}

/** What ES2024 added to strings; every Node that runs this has it. */
type WellFormedText = string & { isWellFormed(): boolean };

interface Budget {
  left: number;
}

function copy(value: unknown, budget: Budget, depth: number): JsonValue {
  budget.left -= 1;
  if (budget.left < 0 || depth > depthMax) return null;
  if (typeof value === "string") return wholeText(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "boolean") return value;
  if (Array.isArray(value)) return value.map((member) => copy(member, budget, depth + 1));
  return isFields(value) ? copyFields(value, budget, depth) : null;
}

function copyFields(fields: Fields, budget: Budget, depth: number): JsonValue {
  const members: Record<string, JsonValue> = {};
  for (const [key, member] of Object.entries(fields)) {
    if (budget.left <= 0) break;
    if (key !== "__proto__" && member !== undefined) {
      members[wholeText(key)] = copy(member, budget, depth + 1);
    }
  }
  return members;
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The members that have a value: an absent member and one that is `undefined` are not the same. */
export function present<T extends object>(members: T): Present<T> {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Present<T>;
}
