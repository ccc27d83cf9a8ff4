import { isEncryptedId } from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";

/**
 * Epochs of a namespace's log whose keys are not here, in order (EE28): what is sealed under them is
 * shown nowhere.
 */
export function missingEpochs({ db }: StoreContext, namespace: string): readonly number[] {
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

/**
 * How many records have values that are sealed under keys which are not here. Reads all of them where
 * a key is missing, and none else.
 */
export function countClosed(context: StoreContext, namespace: string): number {
  const missing = missingEpochs(context, namespace);
  if (missing.length === 0) return 0;
  const row = context.db.get<{ count: number }>(
    `SELECT count(*) AS count FROM records
     WHERE namespace = ? AND forgotten = 0 AND EXISTS (
       SELECT 1 FROM json_each(?) AS epoch
       WHERE instr(fields, '"sealed1.' || epoch.value || '.') > 0)`,
    namespace,
    JSON.stringify(missing),
  );
  return row?.count ?? 0;
}
