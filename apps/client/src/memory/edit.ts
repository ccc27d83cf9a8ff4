import {
  collections,
  fail,
  idPattern,
  isPollutingKey,
  limits,
  ok,
  type JsonValue,
  type RecordId,
  type Result,
  type ValueError,
} from "@tidemark/protocol";
import type { Changed, FindError, RecordView } from "../store/store.ts";
import type { ChangeError } from "../store/local-store.ts";
import { partLimits, tooLong, type ContentField, type TooLong } from "./content.ts";
import type { MemoryDeps } from "./deps.ts";
import { memoryLimits } from "./limits.ts";
import { nearestWord } from "./nearest-word.ts";
import { reviewOf } from "../store/reads/review.ts";
import { scrubFields } from "./scrub-content.ts";

/** One field and the text of its new value. */
export interface Assignment {
  readonly field: string;
  readonly value: string;
}

/** Why an assignment was refused. */
export type AssignmentError =
  | { readonly kind: "not-an-assignment"; readonly text: string }
  | { readonly kind: "fixed-field"; readonly field: string }
  | {
      readonly kind: "unknown-field";
      readonly field: string;
      /** The field that was meant, where one is close. */
      readonly meant: string | undefined;
    }
  | { readonly kind: "bad-value"; readonly field: string; readonly expected: string }
  | TooLong;

/** Why an edit was refused; nothing was written. */
export type EditError = FindError | NotAnObservation | ChangeError | AssignmentError | ValueError;

/** What was named is a record of a collection that nothing would come of (CL97). */
export interface NotAnObservation {
  readonly kind: "not-an-observation";
  readonly id: RecordId;
  readonly collection: string;
}

/** Fields that say what an observation is or where it comes from; nobody edits them (CP61). */
const fixedFields: ReadonlySet<string> = new Set([
  "id",
  "namespace",
  "author",
  "trust",
  "lamport",
  "seq",
  "origin",
  "importedFrom",
  "editedOrigin",
  "pinnedOrigin",
  "pinnedOf",
  "agent",
  "session",
  "createdAt",
  "supersedes",
  "supersededBy",
]);
const listFields: ReadonlySet<string> = new Set([
  "facts",
  "concepts",
  "filesRead",
  "filesModified",
]);
/** Texts that every observation has; `save` refuses them empty too. */
const neededFields: ReadonlySet<string> = new Set(["title", "kind"]);
const switchFields: ReadonlySet<string> = new Set(["pinned", "archived"]);

/** Every field that a person or an agent may edit; what is not listed would be shown nowhere. */
export const editableFields: readonly string[] = [
  "title",
  "narrative",
  "kind",
  "project",
  ...listFields,
  ...switchFields,
];

/** Takes `field=value` apart at the first `=`. */
export function parseAssignment(text: string): Result<Assignment, AssignmentError> {
  const at = text.indexOf("=");
  const field = text.slice(0, Math.max(at, 0)).trim();
  if (at < 1 || !isFieldName(field)) return fail({ kind: "not-an-assignment", text });
  return ok({ field, value: text.slice(at + 1) });
}

/**
 * Changes fields of an observation in one step (CP62). Lists are written as a JSON array or one
 * member a line, switches as `true` or `false`; every other value is text.
 */
export function editRecord(
  deps: MemoryDeps,
  idOrPrefix: string,
  assignments: readonly Assignment[],
): Result<Changed, EditError> {
  const fields: Record<string, JsonValue> = {};
  for (const assignment of assignments) {
    const value = valueOf(assignment);
    if (!value.ok) return value;
    fields[assignment.field] = value.value;
  }
  // A person's pin is a review, whichever verb makes it (RC13).
  if (fields["pinned"] === true) {
    const found = deps.store.reads.find(idOrPrefix);
    if (!found.ok) return found;
    fields["pinnedOrigin"] = "user";
    fields["pinnedOf"] = reviewOf(deps.sha256, found.value.fields);
  }
  return setFields(deps, idOrPrefix, fields);
}

/**
 * Scrubs fields and sets them on the observation that an id or the beginning of one names. Other
 * records would take them, and nothing would come of it (CL97).
 */
export function setFields(
  deps: MemoryDeps,
  idOrPrefix: string,
  fields: Readonly<Record<string, JsonValue>>,
): Result<Changed, EditError> {
  const found = findObservation(deps, idOrPrefix);
  if (!found.ok) return found;
  const scrubbed = scrubFields(deps.scrub, fields);
  if (!scrubbed.ok) return scrubbed;
  const { id, namespace } = found.value;
  const change = { kind: "set", id, fields: scrubbed.value } as const;
  const changed = deps.store.changes.change(namespace, [change], deps.clock.nowMs());
  if (!changed.ok) return changed;
  const [only] = changed.value;
  return only === undefined ? fail({ kind: "unknown-record", id }) : ok(only);
}

/** The observation that an id or the beginning of one names; any other record is a refusal (CL97). */
export function findObservation(
  { store }: Pick<MemoryDeps, "store">,
  idOrPrefix: string,
): Result<RecordView, FindError | NotAnObservation | ChangeError> {
  const found = store.reads.find(idOrPrefix);
  if (!found.ok) return found;
  const { id, collection } = found.value;
  if (collection === collections.observation) return found;
  // A conflict is told with what settles it.
  if (collection === collections.conflict) return fail({ kind: "immutable", id });
  return fail({ kind: "not-an-observation", id, collection });
}

function valueOf({ field, value }: Assignment): Result<JsonValue, AssignmentError> {
  if (fixedFields.has(field)) return fail({ kind: "fixed-field", field });
  if (!editableFields.includes(field)) {
    return fail({ kind: "unknown-field", field, meant: nearestWord(field, editableFields) });
  }
  if (switchFields.has(field)) return switchValue(field, value);
  if (neededFields.has(field) && value.trim() === "") {
    return fail({ kind: "bad-value", field, expected: "a text that is not empty" });
  }
  const parsed = listFields.has(field) ? listValue(field, value) : ok(value);
  if (!parsed.ok) return parsed;
  const known = partLimits[field as ContentField] as (typeof partLimits)[ContentField] | undefined;
  const max = field === "kind" ? memoryLimits.kindCharsMax : memoryLimits.otherCharsMax;
  const long = tooLong(field, parsed.value, known ?? { unit: "characters", max });
  return long === undefined ? parsed : fail(long);
}

function switchValue(field: string, text: string): Result<JsonValue, AssignmentError> {
  if (text === "true" || text === "false") return ok(text === "true");
  return fail({ kind: "bad-value", field, expected: "true or false" });
}

function listValue(field: string, text: string): Result<JsonValue, AssignmentError> {
  if (!text.trimStart().startsWith("[")) {
    return ok(text.split("\n").filter((line) => line.trim() !== ""));
  }
  const expected = "a JSON array of texts, or one member a line";
  try {
    const list: unknown = JSON.parse(text);
    const isTexts = Array.isArray(list) && list.every((member) => typeof member === "string");
    return isTexts ? ok(list) : fail({ kind: "bad-value", field, expected });
  } catch {
    return fail({ kind: "bad-value", field, expected });
  }
}

function isFieldName(name: string): boolean {
  const isKnownShape = idPattern.test(name.replaceAll("/", "_")) && !isPollutingKey(name);
  return isKnownShape && name.length <= limits.fieldNameMax;
}
