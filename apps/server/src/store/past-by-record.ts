import type { BaseEntry, RecordId } from "@tidemark/protocol";
import type { PastByRecord, Write } from "./port.ts";

/** Sorts what fields once held by record and field. */
export function pastByRecord(writes: readonly Write[]): PastByRecord {
  const past = new Map<RecordId, Record<string, BaseEntry[]>>();
  for (const { record, field, lamport, writer, hash } of writes) {
    const byField = past.get(record) ?? {};
    past.set(record, byField);
    (byField[field] ??= []).push([lamport, writer, hash]);
  }
  return past;
}
