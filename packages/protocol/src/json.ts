/** A value of a field: anything JSON can say. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/**
 * The one text of a JSON value (CN2): object keys sorted by code unit, no spaces, `-0` as `0`.
 *
 * Equal values give equal text on every replica, so hashes and ties can be decided on it.
 * Expects a value that {@link canonicalValue} has accepted: finite numbers, bounded depth.
 *
 * @example
 * ```ts
 * expect(canonicalJson({ b: 1, a: [true, null] })).toBe('{"a":[true,null],"b":1}');
 * ```
 */
export function canonicalJson(value: JsonValue): string {
  if (typeof value === "string" && !escaped().test(value)) return `"${value}"`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const members: string[] = [];
  for (const key of sortedTexts(Object.keys(value))) {
    const member = value[key];
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${canonicalJson(member)}`);
  }
  return `{${members.join(",")}}`;
}

// What JSON text escapes, and surrogates, whose halves it escapes alone. Most texts have none of
// them, and looking for one takes a fraction of what `JSON.stringify` takes.
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const escaped = (): RegExp => /["\\\u0000-\u001F\uD800-\uDFFF]/;

/** Orders two strings by UTF-16 code units: the same on every machine, whatever its locale. */
export function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Texts in the order of {@link compareText}; what is in order, as most is, comes back as it is. */
export function sortedTexts(texts: readonly string[]): readonly string[] {
  for (let index = 1; index < texts.length; index += 1) {
    if (compareText(texts[index - 1] ?? "", texts[index] ?? "") > 0) {
      return texts.toSorted(compareText);
    }
  }
  return texts;
}

/** Tells a JSON array from a JSON object, also for readonly arrays. */
export function isArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Tells a JSON object from every other JSON value. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
