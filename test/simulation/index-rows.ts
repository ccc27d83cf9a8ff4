import { createRequire } from "node:module";
import type { SimDevice } from "./sim-device.ts";

interface Reader {
  prepare(sql: string): { all(): readonly Record<string, unknown>[] };
  close(): void;
}

const Sqlite = createRequire(
  createRequire(import.meta.url).resolve("../../apps/client/package.json"),
)("better-sqlite3") as new (path: string, options: { readonly: boolean }) => Reader;

/**
 * What the projection and the index hold beyond the observations in view: one sentence each. A search
 * would leave such rows out, but words of what was forgotten stay in the file (ST5).
 */
export function strayIndexRows(device: SimDevice): readonly string[] {
  const { reads } = device.reader().store;
  const db = new Sqlite(device.path, { readonly: true });
  try {
    const stray = db
      .prepare("SELECT namespace, record FROM observations")
      .all()
      .filter(({ namespace, record }) => {
        const view = reads.get(namespace as never, record as never);
        return view === undefined || view.collection !== "observation";
      })
      .map(({ record }) => `${device.name} has a row of ${String(record)}, which is not there`);
    const orphans = db
      .prepare("SELECT id FROM search_docsize WHERE id NOT IN (SELECT id FROM observations)")
      .all()
      .map(({ id }) => `${device.name} indexes ${String(id)}, which no observation has`);
    return [...stray, ...orphans];
  } finally {
    db.close();
  }
}
