// Fills a server and a device with many records without the wire: through the server's own store,
// and with the rows that a pull would have written on the device. The next real sync compares both
// digests, so a mistake here would show as a heal.
import Sqlite from "better-sqlite3";
import {
  recordDigest,
  replaceInSet,
  type LiveRecord,
  type NamespaceId,
} from "../../packages/protocol/src/index.ts";
import { sha256 } from "../../apps/client/src/platform/hash.ts";
import { cursorText } from "../../apps/server/src/domain/cursor.ts";
import { bytesOfState } from "../../apps/server/src/domain/record-size.ts";
import type { Head, Store, StoredRecord } from "../../apps/server/src/store/port.ts";
import { clientRows, pageInserter, recordOf } from "../sync/limits.ts";
import { createObservations } from "../sync/observations.ts";

const recordsAtOnce = 1000;

/** A namespace that is filled on the server alone, or on a device too. */
export interface Filling {
  readonly store: Store;
  readonly namespace: NamespaceId;
  /** Undefined: no device holds it. */
  readonly database: string | undefined;
}

/** Adds generated records from place `from` up to `to`. */
export async function fill(filling: Filling, from: number, to: number): Promise<void> {
  const make = createObservations(from + 1);
  const db = filling.database === undefined ? undefined : new Sqlite(filling.database);
  db?.pragma("synchronous = OFF");
  const insert = db === undefined ? undefined : pageInserter(db);
  try {
    for (let at = from; at < to; at += recordsAtOnce) {
      const length = Math.min(recordsAtOnce, to - at);
      const records = Array.from({ length }, (_, index) => make(at + index)).map((each, index) =>
        recordOf(each, at + index),
      );
      const { head, stored } = await fillServer(filling, records);
      insert?.(
        stored.map(({ state, digest }) =>
          clientRows(filling.namespace, state as LiveRecord, digest),
        ),
      );
      if (db !== undefined) standAt(db, filling.namespace, head);
    }
  } finally {
    db?.pragma("wal_checkpoint(TRUNCATE)");
    db?.close();
  }
}

async function fillServer(
  { store, namespace }: Filling,
  records: readonly LiveRecord[],
): Promise<{ readonly head: Head; readonly stored: readonly StoredRecord[] }> {
  const filled = await store.writeNamespace(namespace, async (tx) => {
    let head = await tx.head();
    const stored = records.map((state): StoredRecord => {
      const digest = recordDigest(sha256, state);
      const bytes = bytesOfState(state);
      const seq = head.head + 1;
      head = {
        ...head,
        ...replaceInSet(head, undefined, digest),
        head: seq,
        liveCount: head.liveCount + 1,
        liveBytes: head.liveBytes + bytes,
      };
      return { seq, state, digest, bytes };
    });
    const lamport = Math.max(head.lamport, head.head);
    head = { ...head, lamport, mark: `mark${head.head}` };
    await tx.saveRecords(stored);
    await tx.saveHead(head);
    return { head, stored };
  });
  if (filled === undefined) throw new Error("there is no such namespace");
  return filled;
}

/** Sets the device's replica to where a pull up to this head would have left it. */
function standAt(db: Sqlite.Database, namespace: string, at: Head): void {
  const { head, mark, lamport, digest, count } = at;
  const cursor = cursorText({ seq: head, head, mark });
  db.prepare(
    `UPDATE replicas SET cursor = ?, head = ?, lamport = ?, digest = ?, count = ?, verified = 1
     WHERE namespace = ?`,
  ).run(cursor, head, lamport, digest, count, namespace);
}
