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

/** Where the names of fields stand in their text: each one's first quote, and behind its last. */
export type NamePlaces = readonly number[];

/**
 * Where the names stand in a text that {@link fields} has matched; undefined where they do not ascend,
 * or are too many.
 */
export function findNames(fieldsText: string): NamePlaces | undefined {
  const places: number[] = [];
  let last = "";
  for (let at = fieldsText.indexOf(nameEnd); at !== -1; at = fieldsText.indexOf(nameEnd, at + 2)) {
    if (beforeOthers.includes(fieldsText[at - 1] ?? "")) continue;
    const start = fieldsText.lastIndexOf('"', at - 1);
    const name = fieldsText.slice(start, at + 1);
    if (name <= last) return undefined;
    last = name;
    places.push(start, at + 1);
  }
  return places.length > 2 * limits.fieldsMax ? undefined : places;
}

const nameEnd = '":';

// What else looks like the end of a name: a quote within a string stands behind a backslash, and one
// that begins a string behind what precedes a value. One that ends a value has `,`, `]` or `}` behind it,
// and no value is an object.
const beforeOthers = "\\:[,";
