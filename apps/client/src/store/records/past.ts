import {
  canonicalJson,
  limits,
  valueHash,
  type BaseEntry,
  type Overwritten,
  type PastClocks,
  type WriterId,
} from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import type { PastRow } from "../rows.ts";

/**
 * Keeps values that were current and no longer are (HL20): in a heal they prove that the newer
 * value's author had seen them, and they are what history can show offline. The newest
 * `limits.pastClocksMax` of a field stay; beyond it a heal may make noise, never a loss.
 */
export function addPast(
  context: StoreContext,
  namespace: string,
  overwritten: readonly Pick<Overwritten, "record" | "field" | "register">[],
): void {
  for (const { record, field, register } of overwritten) {
    context.db.run(
      `INSERT OR IGNORE INTO past (namespace, record, field, lamport, writer, hash, value, at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      namespace,
      record,
      field,
      register.clock.lamport,
      register.clock.writer,
      valueHash(context.sha256, register.value),
      canonicalJson(register.value),
      register.at,
    );
    trimField(context, namespace, record, field);
  }
}

function trimField(context: StoreContext, namespace: string, record: string, field: string): void {
  context.db.run(
    `DELETE FROM past WHERE namespace = ?1 AND record = ?2 AND field = ?3 AND rowid NOT IN (
       SELECT rowid FROM past WHERE namespace = ?1 AND record = ?2 AND field = ?3
       ORDER BY lamport DESC, writer DESC LIMIT ?4)`,
    namespace,
    record,
    field,
    limits.pastClocksMax,
  );
}

/** A record's past values, newest first. */
export function readPast(
  context: StoreContext,
  namespace: string,
  record: string,
): readonly PastRow[] {
  return context.db.all<PastRow>(
    `SELECT namespace, record, field, lamport, writer, hash, value, at FROM past
     WHERE namespace = ? AND record = ? ORDER BY lamport DESC, writer DESC`,
    namespace,
    record,
  );
}

/** A record's past clocks, as a heal delivers them. */
export function pastClocks(context: StoreContext, namespace: string, record: string): PastClocks {
  const clocks: Record<string, BaseEntry[]> = {};
  for (const row of readPast(context, namespace, record)) {
    (clocks[row.field] ??= []).push([row.lamport, row.writer as WriterId, row.hash]);
  }
  return clocks;
}

/** Erases the past of a forgotten record. */
export function erasePast(context: StoreContext, namespace: string, record: string): void {
  context.db.run("DELETE FROM past WHERE namespace = ? AND record = ?", namespace, record);
}
