import type { CanonicalPut } from "./canonical-put.ts";
import { digestHead, digestOfText, digestStamp, recordDigest, type Digest } from "./digest.ts";
import type { Sha256 } from "./hash.ts";
import type { RecordId, WriterId } from "./ids.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import { registersOfOp } from "./op.ts";
import { isTombstone, type LiveRecord, type Registers, type RecordState } from "./record.ts";

/** A record as a canonical put made it. It has registers only once somebody asks for them. */
export class NewRecord implements LiveRecord {
  readonly id: RecordId;
  readonly collection: string;
  declare readonly parent?: RecordId;
  readonly #put: CanonicalPut;
  readonly #writer: WriterId;
  /** As far as it was made where the record was read. */
  readonly #digest: Digest | undefined;
  #registers: Registers | undefined;

  constructor(put: CanonicalPut, writer: WriterId, digest?: Digest) {
    this.id = put.record;
    this.collection = put.collection;
    if (put.parent !== undefined) this.parent = put.parent;
    this.#put = put;
    this.#writer = writer;
    this.#digest = digest;
  }

  get registers(): Registers {
    this.#registers ??= registersOfOp(this.#put, this.#writer);
    return this.#registers;
  }

  get fields(): JsonObject {
    return this.#put.fields;
  }

  get fieldCount(): number {
    return this.#put.names.length / 2;
  }

  /** Its compact form, but for what stands on the record itself; the one clock is of all fields. */
  get text(): {
    readonly lamport: number;
    readonly writer: WriterId;
    readonly at: number;
    readonly fields: string;
  } {
    const { lamport, at, fieldsText } = this.#put;
    return { lamport, writer: this.#writer, at, fields: fieldsText };
  }

  /** Its digest (DG1). */
  digest(sha256: Sha256): Digest {
    return this.#digest ?? digestOfText(sha256, this.#digestText());
  }

  #digestText(): string {
    const { lamport, at, fieldsText, names } = this.#put;
    const stamp = digestStamp({ clock: { lamport, writer: this.#writer }, at });
    let text = digestHead(this);
    let [start = 0] = names;
    for (let place = 1; place < names.length; place += 2) {
      const end = names[place] ?? 0;
      // Between a value and the next name stands a comma, and behind the last one the end.
      const next = names[place + 1] ?? fieldsText.length;
      text += `\n${fieldsText.slice(start, end)}${stamp}${fieldsText.slice(end + 1, next - 1)}`;
      start = next;
    }
    return text;
  }
}

/** A record's digest, as {@link recordDigest} gives it; of a new record from its text alone. */
export function digestOf(sha256: Sha256, state: RecordState): Digest {
  return state instanceof NewRecord ? state.digest(sha256) : recordDigest(sha256, state);
}

/** A record's values by field. */
export function fieldsOf(record: LiveRecord): JsonObject {
  if (record instanceof NewRecord) return record.fields;
  const fields: Record<string, JsonValue> = {};
  for (const [field, { value }] of Object.entries(record.registers)) fields[field] = value;
  return fields;
}

/** How many fields a record has; 0 for a tombstone. */
export function fieldCountOf(state: RecordState): number {
  if (state instanceof NewRecord) return state.fieldCount;
  return isTombstone(state) ? 0 : Object.keys(state.registers).length;
}
