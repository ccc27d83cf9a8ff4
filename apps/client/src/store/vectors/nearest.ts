import type { NamespaceId, RecordId } from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import type { ObservationFilter } from "../local-store.ts";
import type { Observation } from "../observation.ts";
import { filterSql, whereOf } from "../reads/filter-sql.ts";
import { readAll } from "../reads/observations.ts";
import { closenessTo } from "./int8.ts";

/** Vectors that are compared at once, so that memory does not grow with the store. */
const scannedAtOnce = 4_096;

/**
 * What stands out is at least half as far above the average as the nearest one is. Measured:
 * `bench/recall.ts`.
 */
const outShare = 0.5;

interface Row {
  readonly id: number;
  readonly namespace: NamespaceId;
  readonly record: RecordId;
}

interface Near {
  readonly id: number;
  readonly closeness: number;
}

/** What is looked for near what. */
export interface Asked {
  readonly model: string;
  readonly vector: Int8Array;
  readonly filter: ObservationFilter;
  readonly limit: number;
}

/** Observations that a filter wants, the nearest to a vector first; those alone that stand out. */
export function nearest(context: StoreContext, asked: Asked): readonly Observation[] {
  return context.db.snapshot<readonly Observation[]>(() => {
    const ids = nearestIds(context, asked);
    const rows = context.db.all<Row>(
      "SELECT id, namespace, record FROM observations WHERE id IN (SELECT value FROM json_each(?))",
      JSON.stringify(ids),
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    return readAll(
      context,
      ids.flatMap((id) => byId.get(id) ?? []),
    );
  });
}

/** All vectors are compared: among 100,000 that takes a search less than its embedder does. */
function nearestIds(context: StoreContext, asked: Asked): readonly number[] {
  const { model, vector, filter, limit } = asked;
  const { terms, values } = filterSql(context, filter);
  const from =
    terms.length === 0 ? "vectors AS v" : "vectors AS v JOIN observations AS o ON o.id = v.id";
  const sql = `SELECT v.id, v.vector FROM ${from}
    ${whereOf(["v.model = ?", "v.id > ?", ...terms])} ORDER BY v.id LIMIT ?`;
  const closeness = closenessTo(vector);
  let best: readonly Near[] = [];
  let [sum, count, after] = [0, 0, 0];
  for (;;) {
    const rows = context.db.all<{ id: number; vector: Uint8Array }>(
      sql,
      model,
      after,
      ...values,
      scannedAtOnce,
    );
    for (const row of rows) {
      // Empty where nothing was made of the text; of another length where the command's model changed.
      if (row.vector.length !== vector.length) continue;
      const near = { id: row.id, closeness: closeness(signed(row.vector)) };
      sum += near.closeness;
      count += 1;
      const worst = best[limit - 1];
      if (worst === undefined || isNearer(near, worst)) best = inserted(best, near).slice(0, limit);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < scannedAtOnce) return standingOut(best, sum / count);
    after = last.id;
  }
}

/** Of the nearest, those that stand out of all that were compared: something is always the nearest. */
function standingOut(best: readonly Near[], mean: number): readonly number[] {
  const [first] = best;
  if (first === undefined) return [];
  // A mean of equal numbers may be rounded above them.
  const least = Math.min(mean + outShare * (first.closeness - mean), first.closeness);
  return best.filter(({ closeness }) => closeness >= least).map(({ id }) => id);
}

function isNearer(left: Near, right: Near): boolean {
  return (
    left.closeness > right.closeness || (left.closeness === right.closeness && left.id > right.id)
  );
}

function inserted(best: readonly Near[], near: Near): readonly Near[] {
  const at = best.findIndex((each) => isNearer(near, each));
  return at === -1 ? [...best, near] : best.toSpliced(at, 0, near);
}

function signed({ buffer, byteOffset, length }: Uint8Array): Int8Array {
  return new Int8Array(buffer, byteOffset, length);
}
