import {
  canonicalJson,
  canonicalValue,
  compareClocks,
  localNamespace,
  unpairedNamespace,
  type Clock,
  type JsonValue,
  type LiveRecord,
  type NamespaceId,
  type RecordId,
} from "@tidemark/protocol";
import type { HistoryEntry } from "../store/local-store.ts";
import type { RecordView } from "../store/reads/record-view.ts";
import type { ScrubbedFields } from "../store/scrubbed-fields.ts";
import type { MemoryDeps } from "./deps.ts";

/** A field of a record that is here, of which a file says something else. */
export interface DifferingField {
  readonly field: string;
  /** The file has it of a later clock of the same namespace; false where none can tell. */
  readonly isNewer: boolean;
}

/** A record that is here, and what a file says otherwise of it. */
export interface DifferingRecord {
  readonly id: RecordId;
  readonly namespace: NamespaceId;
  readonly fields: readonly DifferingField[];
}

/** Fields that say where words come from: an import gives them values of its own (CP65). */
const ownFields: ReadonlySet<string> = new Set([
  "origin",
  "editedOrigin",
  "pinnedOrigin",
  "pinnedOf",
  "createdAt",
]);

/** A record as a file has it, scrubbed. */
interface FileRecord {
  readonly fields: ScrubbedFields;
  readonly state: LiveRecord;
  /** Where the file says that it was. */
  readonly namespace: JsonValue | undefined;
}

/**
 * What a file says otherwise of a record that is here (IM13). A value that was here and was replaced,
 * or lost a conflict, is none: nothing of it is missing.
 */
export function differencesOf(
  { store: { reads } }: Pick<MemoryDeps, "store">,
  here: RecordView,
  file: FileRecord,
): readonly DifferingField[] {
  const fields = Object.entries(file.fields)
    .map(([field, value]) => ({ field, text: textOf(value as unknown as JsonValue) }))
    .filter(({ field, text }) => !ownFields.has(field) && text !== textOf(here.fields[field]));
  if (fields.length === 0) return [];
  const history = reads.history(here.namespace, here.id);
  return fields.flatMap(({ field, text }) => {
    const clock = file.state.registers[field]?.clock;
    const entries = history.filter((entry) => entry.field === field);
    const current = entries.find(({ value }) => textOf(value) === textOf(here.fields[field]));
    const isSame = isSameLine(file.namespace, { here, clock, current });
    const isSeen = entries.some(
      (entry) => textOf(entry.value) === text && (!isSame || isAt(entry, clock)),
    );
    if (isSeen) return [];
    const isNewer =
      isSame && clock !== undefined && (current === undefined || compareClocks(clock, current) > 0);
    return [{ field, isNewer }];
  });
}

/**
 * Whether two clocks count the same changes. Every home calls what it keeps for itself by the same
 * names, so there only one writer's clocks can be compared.
 */
function isSameLine(
  namespace: JsonValue | undefined,
  {
    here,
    clock,
    current,
  }: {
    readonly here: RecordView;
    readonly clock: Clock | undefined;
    readonly current: HistoryEntry | undefined;
  },
): boolean {
  if (namespace !== here.namespace) return false;
  if (namespace !== localNamespace && namespace !== unpairedNamespace) return true;
  return clock?.writer === (current?.writer ?? here.writer);
}

function isAt({ lamport, writer }: HistoryEntry, clock: Clock | undefined): boolean {
  return clock?.lamport === lamport && clock.writer === writer;
}

/** One text for equal values; none for what is not there. */
function textOf(value: JsonValue | undefined): string | undefined {
  if (value === undefined) return undefined;
  const canonical = canonicalValue(value);
  return canonicalJson(canonical.ok ? canonical.value : value);
}
