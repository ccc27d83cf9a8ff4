import {
  collections,
  isArray,
  oldestRegister,
  valueHash,
  type JsonValue,
  type LiveRecord,
  type RecordId,
} from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import type { Bound } from "../sqlite.ts";
import { descendantsOf, isLiveView, viewOf } from "./view.ts";
import { indexText, unindexText } from "./search-index.ts";

/**
 * Brings the search side of records in line with their view (ST5). Runs in the transaction that
 * changed the view, whatever changed it: a local op, a page, a heal, a fork, a rejection, a drop.
 */
export function refreshViews(
  context: StoreContext,
  namespace: string,
  ids: Iterable<RecordId>,
): void {
  for (const id of ids) refreshView(context, namespace, id);
}

/** As {@link refreshViews}, with everything below the records: where one was forgotten or came back. */
export function refreshTrees(
  context: StoreContext,
  namespace: string,
  roots: Iterable<RecordId>,
): void {
  for (const root of roots) {
    refreshView(context, namespace, root);
    refreshViews(context, namespace, descendantsOf(context, namespace, root));
  }
}

function refreshView(context: StoreContext, namespace: string, id: RecordId): void {
  const view = viewOf(context, namespace, id);
  if (isLiveView(view) && view.state.collection === collections.observation) {
    saveProjection(context, namespace, view.state);
  } else {
    deleteProjection(context, namespace, id);
  }
}

function saveProjection(context: StoreContext, namespace: string, record: LiveRecord): void {
  const { values, text, hash } = projectionOf(context, record);
  const before = context.db.get<{ text_hash: string }>(
    "SELECT text_hash FROM observations WHERE namespace = ? AND record = ?",
    namespace,
    record.id,
  );
  const row = context.db.get<{ id: number }>(
    `INSERT INTO observations (namespace, record, kind, project, session, origin, pinned, archived,
       superseded_by, text_hash, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (namespace, record) DO UPDATE SET kind = excluded.kind,
       project = excluded.project, session = excluded.session, origin = excluded.origin,
       pinned = excluded.pinned, archived = excluded.archived,
       superseded_by = excluded.superseded_by, text_hash = excluded.text_hash,
       created_at = excluded.created_at
     RETURNING id`,
    namespace,
    record.id,
    ...values,
  );
  if (row !== undefined && before?.text_hash !== hash) indexText(context, row.id, text);
}

/** The search side of an observation. */
export interface Projection {
  /** From `kind` to `created_at`, in the order of the table. */
  readonly values: readonly Bound[];
  readonly text: SearchText;
  readonly hash: string;
}

/** Makes the search side of an observation. */
export function projectionOf(
  context: Pick<StoreContext, "sha256">,
  record: LiveRecord,
): Projection {
  const value = (field: string): JsonValue => record.registers[field]?.value ?? null;
  const text = searchTextOf(record);
  const hash = valueHash(context.sha256, [text.title, text.text, text.tags]);
  const values = [
    textOf(value("kind")) ?? "note",
    textOf(value("project")),
    textOf(value("session")),
    textOf(value("origin")) ?? "",
    value("pinned") === true ? 1 : 0,
    value("archived") === true ? 1 : 0,
    textOf(value("supersededBy")),
    hash,
    createdAt(record),
  ];
  return { values, text, hash };
}

function deleteProjection(context: StoreContext, namespace: string, id: RecordId): void {
  const row = context.db.get<{ id: number }>(
    "DELETE FROM observations WHERE namespace = ? AND record = ? RETURNING id",
    namespace,
    id,
  );
  if (row !== undefined) unindexText(context, row.id);
}

/** When a record was made: the field of that name, else the wall time of its oldest register. */
export function createdAt(record: LiveRecord): number {
  const told = record.registers["createdAt"]?.value;
  if (typeof told === "number" && Number.isSafeInteger(told)) return told;
  return oldestRegister(record.registers)?.at ?? 0;
}

/** What the index holds of an observation, by column. */
export interface SearchText {
  readonly title: string;
  readonly text: string;
  readonly tags: string;
}

function searchTextOf(record: LiveRecord): SearchText {
  const words = (...fields: readonly string[]): string =>
    fields.flatMap((field) => wordsOf(record.registers[field]?.value ?? null)).join("\n");
  const editedTags = Object.entries(record.registers)
    .filter(([field, register]) => field.startsWith("tag/") && isShown(register.value))
    .map(([field]) => field.slice("tag/".length));
  const tags = words("kind", "concepts", "filesRead", "filesModified", "project");
  return {
    title: words("title"),
    text: words("narrative", "facts"),
    tags: [tags, ...editedTags].join("\n"),
  };
}

function isShown(value: JsonValue): boolean {
  return value !== null && value !== false;
}

function wordsOf(value: JsonValue): readonly string[] {
  if (typeof value === "string") return [value];
  return isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function textOf(value: JsonValue): string | null {
  return typeof value === "string" ? value : null;
}
