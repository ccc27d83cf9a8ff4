import { count, fields, findNames, id, wallTime, type NamePlaces } from "./canonical-text.ts";
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
  #names: NamePlaces | undefined;
  #fields: JsonObject | undefined;

  /** @param names where the names stand in the text, as far as that was looked for */
  constructor(head: PutHead, fieldsText: string, names?: NamePlaces) {
    this.n = head.n;
    this.record = head.record;
    this.collection = head.collection;
    if (head.parent !== undefined) this.parent = head.parent;
    this.lamport = head.lamport;
    this.at = head.at;
    this.fieldsText = fieldsText;
    this.#names = names;
  }

  /** Where the names stand in the text. */
  get names(): NamePlaces {
    this.#names ??= findNames(this.fieldsText) ?? [];
    return this.#names;
  }

  get fields(): JsonObject {
    this.#fields ??= JSON.parse(this.fieldsText) as JsonObject;
    return this.#fields;
  }
}

/** A put but for its fields. */
export interface PutHead extends Pick<PutOp, "n" | "record" | "collection" | "lamport" | "at"> {
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
  const names = findNames(fieldsText);
  if (names === undefined) return undefined;
  const head: PutHead = {
    n,
    record: record as RecordId,
    collection,
    parent: parent as RecordId | undefined,
    lamport: Number(lamport),
    at: Number(at),
  };
  return new CanonicalPut(head, fieldsText, names);
}

const putLine = new RegExp(
  String.raw`^\{"at":${wallTime},"collection":${id},"fields":${fields},"lamport":${count},` +
    String.raw`"n":${count},"op":"put"(?:,"parent":${id})?,"record":${id}\}$`,
);
