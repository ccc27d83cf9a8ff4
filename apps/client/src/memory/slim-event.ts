import {
  canonicalText,
  isArray,
  isObject,
  isPollutingKey,
  type JsonValue,
} from "@tidemark/protocol";

/** Longest text that is kept of a past event, in characters. */
const textCharsMax = 4_096;
/** Deepest nesting that is kept; a store takes no value deeper than eight. */
const depthMax = 7;

/**
 * A scrubbed event as the session's history keeps it (CP55): long texts without their middle,
 * deep and unstorable values as null. Rules look back on events; they never quote them whole.
 */
export function slimEvent(value: JsonValue, depth = 0): JsonValue {
  if (typeof value === "string") return clipped(value);
  if (typeof value === "number") return isStorable(value) ? value : null;
  if (value === null || typeof value === "boolean") return value;
  if (depth >= depthMax) return null;
  if (isArray(value)) return value.map((member) => slimEvent(member, depth + 1));
  return isObject(value) ? slimMembers(value, depth) : null;
}

function slimMembers(value: { readonly [key: string]: JsonValue }, depth: number): JsonValue {
  const members: [string, JsonValue][] = [];
  for (const [key, member] of Object.entries(value)) {
    if (!isPollutingKey(key)) members.push([clipped(key), slimEvent(member, depth + 1)]);
  }
  return Object.fromEntries(members);
}

function isStorable(number: number): boolean {
  return Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number));
}

function clipped(text: string): string {
  if (text.length <= textCharsMax) return canonicalText(text);
  const half = Math.floor(textCharsMax / 2);
  return canonicalText(`${text.slice(0, half)}\n…\n${text.slice(-half)}`);
}
