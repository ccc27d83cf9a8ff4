import { isEncryptedId, type NamespaceId, type RecordId } from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import { isLiveView, ownView } from "../view/view.ts";
import { createAuthors } from "./authors.ts";
import { observationOf } from "./observation-view.ts";
import { versionOf } from "./version.ts";

/** Where an observation belongs: its session, its project, its files. */
export interface Whereabouts {
  readonly id: RecordId;
  readonly namespace: NamespaceId;
  readonly kind: string;
  readonly project: string | null;
  readonly session: string | null;
  readonly createdAt: number;
  /** What it read or changed, each once. */
  readonly files: readonly string[];
}

interface Row {
  readonly id: number;
  readonly namespace: NamespaceId;
  readonly record: RecordId;
  readonly kind: string;
  readonly project: string | null;
  readonly session: string | null;
  readonly created_at: number;
  readonly text_hash: string;
}

const rowsSql = `SELECT id, namespace, record, kind, project, session, created_at, text_hash
  FROM observations WHERE archived = 0 AND superseded_by IS NULL`;

interface FilesRow extends Pick<Row, "id" | "namespace" | "record"> {
  readonly modified: string | null;
  readonly read: string | null;
  /** 0 where the files follow from several ops, or from ops and a record. */
  readonly whole: number;
}

const askedSql = "json_each(?) AS asked CROSS JOIN observations AS o ON o.id = asked.value";
const opsSql = "outbox AS c WHERE c.namespace = o.namespace AND c.record = o.record";

/** Files of what the server has said, where nothing waits in the outbox. */
const confirmedSql = `SELECT o.id, o.namespace, o.record, 1 AS whole,
    r.fields -> '$.filesModified' AS modified, r.fields -> '$.filesRead' AS read
  FROM ${askedSql} CROSS JOIN records AS r ON r.namespace = o.namespace AND r.id = o.record
  WHERE NOT EXISTS (SELECT 1 FROM ${opsSql})`;

/** Files of what waits there: a put and nothing else, as most do, is read from its line. */
const waitingSql = `SELECT o.id, o.namespace, o.record,
    b.line -> '$.fields.filesModified' AS modified, b.line -> '$.fields.filesRead' AS read,
    b.op = 'put' AND NOT EXISTS (SELECT 1 FROM ${opsSql} AND c.n <> b.n)
    AND NOT EXISTS (SELECT 1 FROM records AS r WHERE r.namespace = o.namespace AND r.id = o.record)
    AS whole
  FROM ${askedSql} CROSS JOIN outbox AS b ON b.namespace = o.namespace AND b.record = o.record`;

/** Files of a row, as long as its text is the one of this hash. */
interface Kept {
  readonly hash: string;
  readonly files: readonly string[];
}

/**
 * Gives where each observation in view belongs; hidden ones are left out. What needs no merge is
 * read without one, what has the text that it had the last time is not read again, and nothing is
 * where nobody has written since.
 */
export function createWhereabouts(context: StoreContext): () => readonly Whereabouts[] {
  let kept: ReadonlyMap<number, Kept> = new Map();
  let last: { readonly version: string; readonly all: readonly Whereabouts[] } | undefined;
  return () => {
    const version = versionOf(context);
    if (last?.version !== version) last = { version, all: read() };
    return last.all;
  };

  function read(): readonly Whereabouts[] {
    return context.db.snapshot<readonly Whereabouts[]>(() => {
      const rows = context.db.all<Row>(rowsSql);
      const isKnown = ({ id, text_hash }: Row): boolean => kept.get(id)?.hash === text_hash;
      const files = filesOf(
        context,
        rows.filter((row) => !isKnown(row)).map(({ id }) => id),
      );
      const next = new Map<number, Kept>();
      const found = rows.map((row): Whereabouts => {
        const { id, namespace, record, kind, project, session, created_at, text_hash } = row;
        const own = files.get(id) ?? kept.get(id)?.files ?? [];
        next.set(id, { hash: text_hash, files: own });
        return { id: record, namespace, kind, project, session, createdAt: created_at, files: own };
      });
      kept = next;
      return found;
    });
  }
}

function filesOf(
  context: StoreContext,
  ids: readonly number[],
): ReadonlyMap<number, readonly string[]> {
  const found = new Map<number, readonly string[]>();
  if (ids.length === 0) return found;
  const asked = JSON.stringify(ids);
  for (const sql of [confirmedSql, waitingSql]) {
    for (const row of context.db.all<FilesRow>(sql, asked)) {
      if (found.has(row.id)) continue;
      const isPlain = row.whole === 1 && !isEncryptedId(row.namespace);
      const files = isPlain ? [...texts(row.modified), ...texts(row.read)] : merged(context, row);
      found.set(row.id, files.length < 2 ? files : [...new Set(files)]);
    }
  }
  return found;
}

function merged(context: StoreContext, { namespace, record }: FilesRow): readonly string[] {
  const view = ownView(context, namespace, record);
  if (!isLiveView(view)) return [];
  const { filesModified, filesRead } = observationOf(createAuthors(context), namespace, view);
  return [...filesModified, ...filesRead];
}

function texts(json: string | null): readonly string[] {
  if (json === null) return [];
  const value: unknown = JSON.parse(json);
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}
