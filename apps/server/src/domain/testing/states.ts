import {
  compactState,
  type BaseEntry,
  type LiveRecord,
  type RecordId,
  type RecordState,
  type WriterId,
} from "@tidemark/protocol";

/** An observation of some fields, each `[value, lamport, writer]`. */
export function live(
  record: string,
  fields: Readonly<Record<string, readonly [string, number, WriterId]>>,
): LiveRecord {
  return {
    id: record as RecordId,
    collection: "observation",
    registers: Object.fromEntries(
      Object.entries(fields).map(([field, [value, lamport, writer]]) => [
        field,
        { value, clock: { lamport, writer }, at: 7 },
      ]),
    ),
  };
}

/** A state as a heal delivers it. */
export function lineOf(
  state: RecordState,
  past?: Readonly<Record<string, readonly BaseEntry[]>>,
): string {
  return JSON.stringify({ ...compactState(state), ...(past === undefined ? {} : { past }) });
}
