import {
  collections,
  fieldsOf,
  isArray,
  oldestRegister,
  valueHash,
  type JsonObject,
  type JsonValue,
  type LiveRecord,
  type RecordId,
} from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import type { Bound } from "../sqlite.ts";
import { hasForgottenParent } from "./standing.ts";
import { descendantsOf, isLiveView, ownView } from "./view.ts";
import { dropVector } from "../vectors/drop.ts";
import { hidesIn, type Hides } from "./hidden.ts";
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
  const hides = hidesIn(context, namespace);
  for (const id of ids) refreshView(context, namespace, id, hides);
}

/** As {@link refreshViews}, with everything below the records: where one was forgotten or came back. */
export function refreshTrees(
  context: StoreContext,
  namespace: string,
  roots: Iterable<RecordId>,
): void {
  const hides = hidesIn(context, namespace);
  for (const root of roots) {
    for (const id of [root, ...descendantsOf(context, namespace, root)]) {
      refreshView(context, namespace, id, hides);
    }
  }
}

function refreshView(
  context: StoreContext,
  namespace: string,
  id: RecordId,
  hides: Hides | undefined,
): void {
  const view = ownView(context, namespace, id);
  const isObservation = isLiveView(view) && view.state.collection === collections.observation;
  if (isObservation && !hasForgottenParent(context, namespace, view.state)) {
    const isHidden = hides?.(view.state, view.seq) === true;
    saveProjection(context, namespace, projectionOf(view.state, isHidden), id);
  } else {
    deleteProjection(context, namespace, id);
  }
}

function saveProjection(
  context: StoreContext,
  namespace: string,
  { values, text }: Projection,
  record: RecordId,
): void {
  const hash = textHash(context, text);
  const before = context.db.get<{ text_hash: string }>(
    "SELECT text_hash FROM observations WHERE namespace = ? AND record = ?",
    namespace,
    record,
  );
  const row = context.db.get<{ id: number }>(
    `INSERT INTO observations (namespace, record, kind, project, session, origin, pinned, archived,
       superseded_by, created_at, text_hash)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (namespace, record) DO UPDATE SET kind = excluded.kind,
       project = excluded.project, session = excluded.session, origin = excluded.origin,
       pinned = excluded.pinned, archived = excluded.archived,
       superseded_by = excluded.superseded_by, text_hash = excluded.text_hash,
       created_at = excluded.created_at
     RETURNING id`,
    namespace,
    record,
    ...values,
    hash,
  );
  if (row === undefined || before?.text_hash === hash) return;
  indexText(context, row.id, text);
  if (before !== undefined) dropVector(context, row.id);
}

/** The search side of an observation. */
export interface Projection {
  /** From `kind` to `created_at`, in the order of {@link shownColumns}. */
  readonly values: readonly Bound[];
  readonly text: SearchText;
}

/** The columns of `observations` that follow from a record, but for the hash of its text. */
export const shownColumns =
  "kind, project, session, origin, pinned, archived, superseded_by, created_at";

/** Makes the search side of an observation; one in quarantine is hidden as an archived one is. */
export function projectionOf(record: LiveRecord, isHidden: boolean): Projection {
  const fields = fieldsOf(record);
  const value = (field: string): JsonValue => fields[field] ?? null;
  const values = [
    textOf(value("kind")) ?? "note",
    textOf(value("project")),
    textOf(value("session")),
    textOf(value("origin")) ?? "",
    value("pinned") === true ? 1 : 0,
    isHidden || value("archived") === true ? 1 : 0,
    textOf(value("supersededBy")),
    toldAt(fields) ?? createdAt(record),
  ];
  return { values, text: searchTextOf(fields) };
}

/** Names the text that the index holds, so that a change of something else leaves it alone. */
export function textHash({ sha256 }: Pick<StoreContext, "sha256">, text: SearchText): string {
  return valueHash(sha256, [text.title, text.text, text.tags]);
}

function deleteProjection(context: StoreContext, namespace: string, id: RecordId): void {
  const row = context.db.get<{ id: number }>(
    "DELETE FROM observations WHERE namespace = ? AND record = ? RETURNING id",
    namespace,
    id,
  );
  if (row === undefined) return;
  unindexText(context, row.id);
  dropVector(context, row.id);
}

/** When a record was made: the field of that name, else the wall time of its oldest register. */
export function createdAt(record: LiveRecord): number {
  const { createdAt: told } = record.registers;
  return toldAt({ createdAt: told?.value ?? null }) ?? oldestRegister(record.registers)?.at ?? 0;
}

function toldAt({ createdAt: told }: JsonObject): number | undefined {
  return typeof told === "number" && Number.isSafeInteger(told) ? told : undefined;
}

/** What the index holds of an observation, by column. */
export interface SearchText {
  readonly title: string;
  readonly text: string;
  readonly tags: string;
}

/** What the index holds of an observation with these fields. */
export function searchTextOf(fields: JsonObject): SearchText {
  const tags = wordsOf(fields, "kind", "concepts", "filesRead", "filesModified", "project");
  const edited = Object.keys(fields).filter(
    (field) => field.startsWith("tag/") && isShown(fields[field] ?? null),
  );
  return {
    title: wordsOf(fields, "title").join("\n"),
    text: wordsOf(fields, "narrative", "facts").join("\n"),
    tags: [tags.join("\n"), ...edited.map((field) => field.slice("tag/".length))].join("\n"),
  };
}

function isShown(value: JsonValue): boolean {
  return value !== null && value !== false;
}

function wordsOf(fields: JsonObject, ...names: readonly string[]): readonly string[] {
  const words: string[] = [];
  for (const name of names) {
    const value = fields[name] ?? null;
    if (typeof value === "string") words.push(value);
    else if (isArray(value)) words.push(...value.filter((item) => typeof item === "string"));
  }
  return words;
}

function textOf(value: JsonValue): string | null {
  return typeof value === "string" ? value : null;
}
