import type { StoreContext } from "../context.ts";
import type { OwnWriteRow } from "../rows.ts";

/** A change of a record that has others which wait. */
interface OwnWrite {
  readonly record: string;
  readonly lamport: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * Notes that this store writes over what waits of a record, field by field (OP27). A writer's name does
 * not tell it: a copied home goes on under the same one, and a fork or a pairing begins another.
 */
export function noteOwnWrite(
  context: StoreContext,
  namespace: string,
  { record, lamport, fields }: OwnWrite,
): void {
  const waits = context.db.get(
    "SELECT 1 FROM outbox WHERE namespace = ? AND record = ? LIMIT 1",
    namespace,
    record,
  );
  if (waits === undefined) return;
  for (const field of Object.keys(fields)) {
    insertOwnWrite(context, { namespace, record, field, lamport });
  }
}

/** When this store last wrote over what waited of a record, by field. */
export function ownWrites(
  context: StoreContext,
  namespace: string,
  record: string,
): ReadonlyMap<string, number> {
  const rows = context.db.all<{ field: string; lamport: number }>(
    `SELECT field, max(lamport) AS lamport FROM own_writes
     WHERE namespace = ? AND record = ? GROUP BY field`,
    namespace,
    record,
  );
  return new Map(rows.map(({ field, lamport }) => [field, lamport]));
}

/** Forgets what nothing older waits for any more, so that they stay as few as what waits. */
export function tidyOwnWrites(context: StoreContext, namespace: string): void {
  context.db.run(
    `DELETE FROM own_writes WHERE namespace = ? AND NOT EXISTS (
       SELECT 1 FROM outbox
       WHERE outbox.namespace = own_writes.namespace AND outbox.record = own_writes.record
         AND outbox.lamport < own_writes.lamport)`,
    namespace,
  );
}

/**
 * Takes back what was noted of a write that a person has given up. Its clock alone names it: what is
 * sealed under a key that is gone does not say its fields.
 */
export function giveUpOwnWrite(
  context: StoreContext,
  namespace: string,
  { record, lamport }: Pick<OwnWrite, "record" | "lamport">,
): void {
  context.db.run(
    "DELETE FROM own_writes WHERE namespace = ? AND record = ? AND lamport = ?",
    namespace,
    record,
    lamport,
  );
}

/** Which lamports of a namespace become which others, and up to where they stay as they are. */
export interface MovedLamports {
  readonly kept: number;
  readonly byOld: ReadonlyMap<number, number>;
}

/** Lets notes go along with the ops whose lamports become others; of what is nowhere none is left. */
export function moveOwnWrites(
  context: StoreContext,
  namespace: string,
  { kept, byOld }: MovedLamports,
): void {
  const rows = context.db.all<OwnWriteRow>(
    "SELECT namespace, record, field, lamport FROM own_writes WHERE namespace = ? AND lamport > ?",
    namespace,
    kept,
  );
  context.db.run("DELETE FROM own_writes WHERE namespace = ? AND lamport > ?", namespace, kept);
  for (const row of rows) {
    const lamport = byOld.get(row.lamport);
    if (lamport !== undefined) insertOwnWrite(context, { ...row, lamport });
  }
}

function insertOwnWrite(
  context: StoreContext,
  { namespace, record, field, lamport }: OwnWriteRow,
): void {
  context.db.run(
    "INSERT OR IGNORE INTO own_writes (namespace, record, field, lamport) VALUES (?, ?, ?, ?)",
    namespace,
    record,
    field,
    lamport,
  );
}
