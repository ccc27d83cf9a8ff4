import { isSameStamp, stampOf } from "./compact.ts";
import { digestHead, digestLine, digestOfText, type Digest } from "./digest.ts";
import type { Sha256 } from "./hash.ts";
import type { WriterId } from "./ids.ts";
import { canonicalJson } from "./json.ts";
import { digestOf, NewRecord } from "./new-record.ts";
import { sortedFields, type LiveRecord } from "./record.ts";

/** A live record's compact form (MG7) with its maps as canonical text, and its digest (DG1). */
export interface StoredRecord {
  readonly lamport: number;
  readonly writer: WriterId;
  readonly at: number;
  readonly fields: string;
  /** Null where no field was changed later. */
  readonly clocks: string | null;
  readonly digest: Digest;
  /** The highest lamport that a register carries. */
  readonly lamportMax: number;
}

/**
 * Gives what a replica stores of a record. One walk for all of it: row and digest are made of the
 * same texts, and a first pull makes them ten thousand times.
 */
export function storedRecord(sha256: Sha256, record: LiveRecord): StoredRecord {
  if (record instanceof NewRecord) {
    const { lamport, writer, at, fields } = record.text;
    const digest = digestOf(sha256, record);
    return { lamport, writer, at, fields, clocks: null, digest, lamportMax: lamport };
  }
  const { registers } = record;
  const stamp = stampOf(registers);
  const fields: string[] = [];
  const clocks: string[] = [];
  let digestText = digestHead(record);
  let lamportMax = 0;
  for (const field of sortedFields(registers)) {
    const register = registers[field];
    if (register === undefined) continue;
    const { lamport, writer } = register.clock;
    const name = canonicalJson(field);
    const value = canonicalJson(register.value);
    fields.push(`${name}:${value}`);
    digestText += digestLine(name, register, value);
    lamportMax = Math.max(lamportMax, lamport);
    if (!isSameStamp(register, stamp))
      clocks.push(`${name}:[${lamport},"${writer}",${register.at}]`);
  }
  return {
    lamport: stamp.clock.lamport,
    writer: stamp.clock.writer,
    at: stamp.at,
    fields: `{${fields.join(",")}}`,
    clocks: clocks.length === 0 ? null : `{${clocks.join(",")}}`,
    digest: digestOfText(sha256, digestText),
    lamportMax,
  };
}
