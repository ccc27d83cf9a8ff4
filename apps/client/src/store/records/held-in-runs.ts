import { isTombstone, type RecordId, type RecordState } from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import type { RecordRow } from "../rows.ts";
import { readConfirmedMany, type Confirmed } from "./confirmed.ts";

/** Bytes of stored records that are taken apart at once; in memory they take up to thirteen times that. */
const runBytesMax = 4_194_304;

type Size = Pick<RecordRow, "seq" | "digest"> & { readonly id: string; readonly bytes: number };

/** What is held of the records that a page is of, and comes to be. */
export interface Held {
  /** What is held of a pulled record before it is applied; asked for in the page's order. */
  of(pulled: RecordState): Confirmed | undefined;
  take(id: RecordId, confirmed: Confirmed): void;
  /** Where what was taken stands. */
  seqOf(id: RecordId): number | null;
}

/**
 * What is held of records that are pulled, asked for in their order (ST26). A small page
 * may be of a thousand records of a megabyte: they are read in runs, and of one that is forgotten now
 * nothing is read of what it was.
 */
export function heldInRuns(
  context: StoreContext,
  namespace: string,
  pulled: readonly RecordState[],
): Held {
  const sizes = sizesOf(context, namespace, pulled);
  const rest = pulled.filter((state) => sizes.has(state.id) && !isTombstone(state));
  let run: ReadonlyMap<string, Confirmed> = new Map();
  let at = 0;
  const readRun = (): ReadonlyMap<string, Confirmed> => {
    const ids: RecordId[] = [];
    let bytes = 0;
    for (const { id } of rest.slice(at)) {
      bytes += sizes.get(id)?.bytes ?? 0;
      if (ids.length > 0 && bytes > runBytesMax) break;
      ids.push(id);
    }
    at += ids.length;
    return readConfirmedMany(context, namespace, ids);
  };
  const read = (state: RecordState): Confirmed | undefined => {
    const size = sizes.get(state.id);
    if (size === undefined) return undefined;
    if (isTombstone(state)) return { state, seq: size.seq, digest: size.digest };
    if (!run.has(state.id)) run = readRun();
    return run.get(state.id);
  };
  const taken = new Map<RecordId, Confirmed>();
  return {
    of: (state) => taken.get(state.id) ?? read(state),
    take: (id, confirmed) => {
      taken.set(id, confirmed);
    },
    seqOf: (id) => taken.get(id)?.seq ?? null,
  };
}

function sizesOf(
  context: StoreContext,
  namespace: string,
  pulled: readonly RecordState[],
): ReadonlyMap<string, Size> {
  const rows = context.db.all<Size>(
    `SELECT id, seq, digest, octet_length(fields) AS bytes FROM records
     WHERE namespace = ? AND id IN (SELECT value FROM json_each(?))`,
    namespace,
    JSON.stringify(pulled.map(({ id }) => id)),
  );
  return new Map(rows.map((row) => [row.id, row]));
}
