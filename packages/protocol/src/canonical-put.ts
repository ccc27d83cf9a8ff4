import type { RecordId } from "./ids.ts";
import type { JsonObject } from "./json.ts";
import { limits } from "./limits.ts";
import type { PutOp } from "./op.ts";

/**
 * A put that was read from its canonical line (OP1). Most records are made once and never changed:
 * their fields go from the line into a row and a digest as text, and nobody has to parse them.
 */
export class CanonicalPut implements PutOp {
  readonly op = "put" as const;
  readonly n: number;
  readonly record: RecordId;
  readonly collection: string;
  declare readonly parent?: RecordId;
  readonly lamport: number;
  readonly at: number;
  /** Its fields' canonical text; names ascend, and each is a plain word. */
  readonly fieldsText: string;
  readonly fieldCount: number;
  #fields: JsonObject | undefined;

  constructor(head: PutHead, fieldsText: string, fieldCount: number) {
    this.n = head.n;
    this.record = head.record;
    this.collection = head.collection;
    if (head.parent !== undefined) this.parent = head.parent;
    this.lamport = head.lamport;
    this.at = head.at;
    this.fieldsText = fieldsText;
    this.fieldCount = fieldCount;
  }

  get fields(): JsonObject {
    this.#fields ??= JSON.parse(this.fieldsText) as JsonObject;
    return this.#fields;
  }
}

interface PutHead extends Pick<PutOp, "n" | "record" | "collection" | "lamport" | "at"> {
  readonly parent: RecordId | undefined;
}

/**
 * Reads a put from its line where the line is provably canonical: what `decodeOp` would give, and
 * the very text that `opLine` would write of it. Undefined says nothing of the line: it may be
 * another op, a wrong one, or a good one in a form that is not looked for here.
 */
export function readCanonicalPut(line: string, n: number): CanonicalPut | undefined {
  if (line.length > limits.opBytesMax) return undefined;
  const match = putLine.exec(line);
  if (match === null || Number(match[5]) !== n) return undefined;
  const [, at, collection = "", fieldsText = "", lamport, , parent, record = ""] = match;
  const fieldCount = countFields(fieldsText);
  if (fieldCount === undefined) return undefined;
  const head: PutHead = {
    n,
    record: record as RecordId,
    collection,
    parent: parent as RecordId | undefined,
    lamport: Number(lamport),
    at: Number(at),
  };
  return new CanonicalPut(head, fieldsText, fieldCount);
}

/** Undefined where names do not ascend, or are too many. */
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

const putLine = new RegExp(
  String.raw`^\{"at":${wallTime},"collection":${id},"fields":${fields},"lamport":${count},` +
    String.raw`"n":${count},"op":"put"(?:,"parent":${id})?,"record":${id}\}$`,
);
