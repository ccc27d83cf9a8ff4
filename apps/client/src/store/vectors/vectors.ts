import { fieldsOf, isEncryptedId, type NamespaceId, type RecordId } from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import type { ObservationFilter } from "../local-store.ts";
import type { Observation } from "../observation.ts";
import { searchTextOf } from "../view/search-side.ts";
import { isLiveView, ownView } from "../view/view.ts";
import { handedText } from "./handed-text.ts";
import { nearest } from "./nearest.ts";

/** Which texts go to an embedder. */
export interface Embedding {
  /** Names the embedder; vectors of two are never compared. */
  readonly model: string;
  /** Texts of encrypted namespaces too. */
  readonly includesEncrypted: boolean;
}

/** An observation whose text has no vector. */
export interface Unembedded {
  /** The row that the vector is kept for. */
  readonly id: number;
  readonly text: string;
}

/** The same with what the embedder made of it; undefined where it made nothing of it. */
export interface Embedded extends Unembedded {
  readonly vector: Int8Array | undefined;
}

/** Vectors of observations: derived, of this device alone (RC30, RC31). */
export interface Vectors {
  /** The newest observations in sight whose text has no vector of this embedder. */
  wanted(embedding: Embedding, limit: number): readonly Unembedded[];
  /** Keeps vectors of texts that are still as they were; gives how many. */
  keep(model: string, embedded: readonly Embedded[]): number;
  /**
   * Observations that a filter wants, the nearest to a vector first; those alone that stand out of all
   * that it wants. The filter's own window is not looked at.
   */
  nearest(
    model: string,
    vector: Int8Array,
    filter: ObservationFilter,
    limit: number,
  ): readonly Observation[];
  /** How many observations in sight have a vector, and how many have none. */
  counts(embedding: Embedding): { readonly kept: number; readonly wanted: number };
  /** Forgets all of them. */
  clear(): void;
}

/** The vectors of a store. */
export function createVectors(context: StoreContext): Vectors {
  return {
    wanted: (embedding, limit) => wanted(context, embedding, limit),
    keep: (model, embedded) =>
      context.db.transact<number>(
        () => embedded.filter((each) => keepOne(context, model, each)).length,
      ),
    nearest: (model, vector, filter, limit) => nearest(context, { model, vector, filter, limit }),
    counts: (embedding) => counts(context, embedding),
    clear: () => {
      context.db.transact(() => {
        context.db.run("DELETE FROM vectors");
      });
    },
  };
}

interface Row {
  readonly id: number;
  readonly namespace: NamespaceId;
  readonly record: RecordId;
}

/** Observations in sight of the namespaces whose text may be handed over. */
const inSightSql = `FROM observations AS o LEFT JOIN vectors AS v ON v.id = o.id AND v.model = ?
  WHERE o.archived = 0 AND o.superseded_by IS NULL
    AND o.namespace IN (SELECT value FROM json_each(?))`;

function wanted(context: StoreContext, embedding: Embedding, limit: number): readonly Unembedded[] {
  return context.db.snapshot<readonly Unembedded[]>(() =>
    context.db
      .all<Row>(
        `SELECT o.id, o.namespace, o.record ${inSightSql} AND v.id IS NULL ORDER BY o.id DESC LIMIT ?`,
        embedding.model,
        namespacesOf(context, embedding),
        limit,
      )
      .flatMap((row) => {
        const text = textOf(context, row);
        return text === undefined ? [] : [{ id: row.id, text }];
      }),
  );
}

function counts(context: StoreContext, embedding: Embedding): ReturnType<Vectors["counts"]> {
  const row = context.db.get<{ kept: number; all: number }>(
    `SELECT count(v.id) AS kept, count(*) AS "all" ${inSightSql}`,
    embedding.model,
    namespacesOf(context, embedding),
  );
  const { kept = 0, all = 0 } = row ?? {};
  return { kept, wanted: all - kept };
}

function namespacesOf({ db }: StoreContext, { includesEncrypted }: Embedding): string {
  const all = db.all<{ namespace: string }>("SELECT namespace FROM replicas");
  const open = all.filter(({ namespace }) => includesEncrypted || !isEncryptedId(namespace));
  return JSON.stringify(open.map(({ namespace }) => namespace));
}

function textOf(context: StoreContext, { namespace, record }: Row): string | undefined {
  const view = ownView(context, namespace, record);
  if (!isLiveView(view)) return undefined;
  const { title, text } = searchTextOf(fieldsOf(view.state));
  return handedText(`${title}\n${text}`);
}

/** While the embedder worked, the text may have changed, or its row may have become another's. */
function keepOne(context: StoreContext, model: string, { id, text, vector }: Embedded): boolean {
  const row = context.db.get<Row>(
    "SELECT id, namespace, record FROM observations WHERE id = ?",
    id,
  );
  if (row === undefined || textOf(context, row) !== text) return false;
  context.db.run(
    "INSERT OR REPLACE INTO vectors (id, model, vector) VALUES (?, ?, ?)",
    id,
    model,
    vector ?? new Int8Array(0),
  );
  return true;
}
