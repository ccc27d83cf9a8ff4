import type { Digest, UserId, WriterId } from "@tidemark/protocol";
import type { StoredRecord } from "../port.ts";
import { stateOfForm, type StoredForm } from "../stored-form.ts";

/** A row of `records`, as it is read. */
export type RecordRow = StoredForm & {
  readonly seq: number;
  readonly digest: Digest;
  readonly bytes: number;
  readonly via: WriterId | null;
  readonly author: UserId | null;
};

/** The record of a row. */
export function storedOfRow(row: RecordRow): StoredRecord {
  const { seq, digest, bytes, via, author } = row;
  return {
    seq,
    state: stateOfForm(row),
    digest,
    bytes,
    via: via ?? undefined,
    author: author ?? undefined,
  };
}
