import { collections, type RecordId } from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import { migrations } from "../migrations/index.ts";
import { refreshViews } from "./projection.ts";
import { recreateSearch } from "./search-index.ts";

/** Builds projection and index anew, in one transaction; gives how many observations they hold. */
export function rebuildSearch(context: StoreContext): number {
  const { db } = context;
  return db.transact<number>(() => {
    const created = migrations.find(({ id }) => id === "0001_search");
    db.run("DELETE FROM observations");
    // They go by the rows' ids, which are given anew.
    db.run("DELETE FROM vectors");
    recreateSearch(context, created?.sql ?? "");
    const rows = db.all<{ namespace: string; id: RecordId }>(
      `SELECT namespace, id FROM records WHERE collection = ?1 AND forgotten = 0
       UNION SELECT namespace, record FROM outbox WHERE collection = ?1 ORDER BY 1, 2`,
      collections.observation,
    );
    for (const namespace of new Set(rows.map((row) => row.namespace))) {
      const ids = rows.filter((row) => row.namespace === namespace).map(({ id }) => id);
      refreshViews(context, namespace, ids);
    }
    return db.get<{ count: number }>("SELECT count(*) AS count FROM observations")?.count ?? 0;
  });
}
