/** What the search side has of a record, made of its fields alone. */
import {
  fieldsOf,
  isArray,
  oldestRegister,
  valueHash,
  type JsonObject,
  type JsonValue,
  type LiveRecord,
} from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import type { Bound } from "../sqlite.ts";
import { PreparedRecord } from "../prepared/prepared-record.ts";

/** The search side of an observation. */
export interface Projection {
  /** From `kind` to `created_at`, in the order of {@link shownColumns}. */
  readonly values: readonly Bound[];
  readonly text: SearchText;
}

/** The columns of `observations` that follow from a record, but for the hash of its text. */
export const shownColumns =
  "kind, project, session, origin, pinned, archived, superseded_by, created_at";

/** The search side of an observation; one in quarantine is hidden as an archived one is. */
export function projectionOf(record: LiveRecord, isHidden: boolean): Projection {
  const made = record instanceof PreparedRecord ? record.projection : makeProjection(record);
  return isHidden ? { ...made, values: made.values.with(archivedPlace, 1) } : made;
}

/** Where `archived` stands in {@link shownColumns}. */
const archivedPlace = 5;

/** Makes the search side of an observation that nothing hides. */
export function makeProjection(record: LiveRecord): Projection {
  const fields = fieldsOf(record);
  const value = (field: string): JsonValue => fields[field] ?? null;
  const values = [
    textOf(value("kind")) ?? "note",
    textOf(value("project")),
    textOf(value("session")),
    textOf(value("origin")) ?? "",
    value("pinned") === true ? 1 : 0,
    value("archived") === true ? 1 : 0,
    textOf(value("supersededBy")),
    toldAt(fields) ?? createdAt(record),
  ];
  return { values, text: searchTextOf(fields) };
}

/** Names the text that the index holds, so that a change of something else leaves it alone. */
export function textHash({ sha256 }: Pick<StoreContext, "sha256">, text: SearchText): string {
  return valueHash(sha256, [text.title, text.text, text.tags]);
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
