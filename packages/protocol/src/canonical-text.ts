import { limits } from "./limits.ts";

// As JSON.stringify writes it: what may stand raw does, the rest in the one short form; no NUL and
// no lone surrogate (CN1). The parts of a string exclude each other, so no text makes this slow.
const raw = String.raw`[^"\\\0-\x1F\uD800-\uDFFF]*`;
const escape = String.raw`\\["\\bfnrt]|\\u00(?:0[1-7bef]|1[\da-f])|[\uD800-\uDBFF][\uDC00-\uDFFF]`;
const string = `"${raw}(?:(?:${escape})${raw})*"`;
// Fifteen digits are always a safe integer; a fraction may be written in many ways.
const scalar = String.raw`(?:${string}|true|false|null|0|-?[1-9]\d{0,14})`;
const list = String.raw`\[(?:${scalar}(?:,${scalar})*)?\]`;
// A name that begins with a letter keeps its place among an object's keys; a number would not.
const inherited = [...Object.getOwnPropertyNames(Object.prototype), "prototype"].join("|");
const name = String.raw`"(?!(?:${inherited})")[A-Za-z_]\w{0,127}"`;
const field = `${name}:(?:${scalar}|${list})`;

/** Parts of a canonical line, as sources of a regular expression that captures each. */
export const fields: string = String.raw`(\{${field}(?:,${field})*\})`;
export const id: string = String.raw`"([\w-]{1,64})"`;
export const count: string = String.raw`([1-9]\d{0,14})`;
export const wallTime: string = String.raw`(0|[1-9]\d{0,14})`;

/**
 * How many fields a text that {@link fields} has matched holds; undefined where their names do not
 * ascend, or are too many.
 */
export function countFields(fieldsText: string): number | undefined {
  const names = fieldsText.match(fieldNames) ?? [];
  if (names.length > limits.fieldsMax) return undefined;
  let last = "";
  for (const name of names) {
    if (name <= last) return undefined;
    last = name;
  }
  return names.length;
}

// Nothing else in `fieldsText` looks like a name: within a string each quote stands behind a
// backslash, a string that is a value has `,`, `]` or `}` behind it, and no value is an object.
const fieldNames = /"\w+":/g;

/** The start of each field in the `fieldsText` of a put, its name captured with its quotes. */
export const fieldStarts: RegExp = /[,{]("\w+"):/g;
