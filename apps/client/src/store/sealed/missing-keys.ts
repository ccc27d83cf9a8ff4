import { isEncryptedId } from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";

/** What is sealed under keys that are not here, and shown nowhere (EE28). */
export interface ClosedRecords {
  /** Epochs of the namespace's log whose keys are not here, in order. */
  readonly missing: readonly number[];
  /** Records that have values which are sealed under them. */
  readonly count: number;
}

function missingEpochs({ db }: StoreContext, namespace: string): readonly number[] {
  if (!isEncryptedId(namespace)) return [];
  const log = db.get<{ epoch: number }>(
    "SELECT epoch FROM namespace_logs WHERE namespace = ?",
    namespace,
  );
  const rows = db.all<{ epoch: number }>(
    "SELECT epoch FROM namespace_keys WHERE namespace = ?",
    namespace,
  );
  const here = new Set(rows.map(({ epoch }) => epoch));
  const newest = log?.epoch ?? 0;
  return Array.from({ length: newest }, (_, at) => at + 1).filter((epoch) => !here.has(epoch));
}

/** What of a namespace is closed here. Reads all of its records where a key is missing, and none else. */
export function closedRecords(context: StoreContext, namespace: string): ClosedRecords {
  const missing = missingEpochs(context, namespace);
  if (missing.length === 0) return { missing, count: 0 };
  const row = context.db.get<{ count: number }>(
    `SELECT count(*) AS count FROM records
     WHERE namespace = ? AND forgotten = 0 AND EXISTS (
       SELECT 1 FROM json_each(?) AS epoch
       WHERE instr(fields, '"sealed1.' || epoch.value || '.') > 0)`,
    namespace,
    JSON.stringify(missing),
  );
  return { missing, count: row?.count ?? 0 };
}
