import {
  canonicalJson,
  collections,
  decodeState,
  isCredibleTime,
  isTombstone,
  oldestRegister,
  type JsonObject,
  type JsonValue,
  type LiveRecord,
  type NamespaceId,
  type RecordId,
} from "@tidemark/protocol";
import type { RecordView } from "../store/reads/record-view.ts";
import { stateFields } from "../store/reads/review.ts";
import type { ScrubbedFields } from "../store/scrubbed-fields.ts";
import type { MemoryDeps } from "./deps.ts";
import { differencesOf, type DifferingRecord } from "./import-differences.ts";
import { memoryLimits } from "./limits.ts";
import { scrubFields } from "./scrub-content.ts";

/** Which values of a file are put in where they differ from what is here. */
export type Differing = "keep" | "newer" | "file";

/** What an import may do beyond adding what is new here. */
export interface ImportOptions {
  /** Counts, and changes nothing. */
  readonly isDry?: boolean;
  readonly differing?: Differing;
  /** Erases here what was forgotten where the file was made. */
  readonly forgets?: boolean;
  /** A person named the namespace: what stands in one that they have left comes into it too (IM18). */
  readonly isNamed?: boolean;
  /** What files of this import have told as forgotten, by {@link placedId}: an older one revives none of it. */
  readonly toldForgotten?: Set<string>;
  /** Only to count what is left out until a person names the namespace (IM12). */
  readonly isLeftOut?: boolean;
}

/** What came of an import, by count of lines. */
export interface ImportReport {
  readonly added: number;
  /** Records that this device has or has forgotten; they stay as they are. */
  readonly known: number;
  /** Of the known ones, those that were forgotten here. */
  readonly gone: number;
  /** Records that were here and took values of the file. */
  readonly changed: number;
  /** Records that were here and went, as they had where the file was made. */
  readonly erased: number;
  /** Lines that are no record, by their numbers. */
  readonly unreadable: readonly number[];
  /** Records that the namespace did not take. */
  readonly refused: number;
  /** Kept losing values, which belong to the history of where they were exported. */
  readonly conflicts: number;
  /** Records that were forgotten there, and are not erased here by this import. */
  readonly forgotten: number;
  /** Known records in which the file says something else that was never here. */
  readonly differing: readonly DifferingRecord[];
  /** Records that were forgotten there and are here. */
  readonly alive: readonly Pick<DifferingRecord, "id" | "namespace">[];
}

type Outcome =
  | "added"
  | "known"
  | "gone"
  | "changed"
  | "erased"
  | "unreadable"
  | "refused"
  | "conflicts"
  | "forgotten";

/** Whose words an agent may be given: who made the file could put them in its mouth as a person's own. */
const wordCollections: ReadonlySet<string> = new Set([
  collections.observation,
  collections.session,
  collections.handoff,
]);

/**
 * Imports records of an export into a namespace (CP65): scrubbed here whatever the file's maker
 * did, with origin `import`, which nobody trusts highly. What this device has or has forgotten is
 * left alone and compared (IM13), unless a person wants the file's word (IM14, IM15); tombstones and
 * conflicts are left out and counted, so a file can erase nothing by itself.
 */
export function importLines(
  deps: MemoryDeps,
  namespace: NamespaceId,
  lines: Iterable<string>,
  options: ImportOptions = {},
): ImportReport {
  const counts: Record<Outcome, number> = {
    added: 0,
    known: 0,
    gone: 0,
    changed: 0,
    erased: 0,
    unreadable: 0,
    refused: 0,
    conflicts: 0,
    forgotten: 0,
  };
  const left = options.isNamed === true ? leftNamespaces(deps, namespace) : new Set<NamespaceId>();
  const run = { namespace, left, options, differing: [], alive: [] };
  const unreadable: number[] = [];
  let number = 0;
  for (const line of lines) {
    number += 1;
    if (line.trim() === "") continue;
    const outcome = importLine(deps, run, line);
    counts[outcome] += 1;
    if (outcome === "gone") counts.known += 1;
    if (outcome === "unreadable") unreadable.push(number);
  }
  const { differing, alive } = run;
  return { ...counts, unreadable, differing, alive };
}

/** Namespaces out of reach: a person who names another one wants what stands there in it. */
function leftNamespaces({ store }: MemoryDeps, wanted: NamespaceId): ReadonlySet<NamespaceId> {
  const left = store.reads.namespaces().filter(({ status }) => status === "parked");
  return new Set(left.map(({ namespace }) => namespace).filter((name) => name !== wanted));
}

interface Run {
  readonly namespace: NamespaceId;
  /** What stands there alone does not count as here. */
  readonly left: ReadonlySet<NamespaceId>;
  readonly options: ImportOptions;
  readonly differing: DifferingRecord[];
  readonly alive: { readonly id: RecordId; readonly namespace: NamespaceId }[];
}

function importLine(deps: MemoryDeps, run: Run, line: string): Outcome {
  const decoded = decodeState(line.replace(/^\uFEFF/u, ""));
  if (!decoded.ok || line.length > memoryLimits.importLineBytesMax) return "unreadable";
  const { state, line: told } = decoded.value;
  if (isTombstone(state)) return eraseImported(deps, run, { state, told });
  if (state.collection === collections.conflict) return "conflicts";
  if (!isClean(deps, [state.id, state.collection, state.parent ?? ""])) return "unreadable";
  const known = findHere(deps, run, state.id);
  if (known === "gone") return "gone";
  if (known === undefined) return newImported(deps, run, { state, told });
  if (known === "closed") return openImported(deps, run, state);
  return compareImported(deps, run, { state, told, known });
}

/** The record of a line as it is here, wherever that is; a person's own choice of a place first. */
function findHere(
  { store: { reads } }: MemoryDeps,
  { namespace, left }: Run,
  id: RecordId,
): RecordView | "gone" | "closed" | undefined {
  const found = reads.find(id, { isWhole: true });
  if (found.ok) return left.has(found.value.namespace) ? undefined : found.value;
  if (found.error.kind === "forgotten") return "gone";
  if (found.error.kind !== "ambiguous") return reads.isClosed(namespace, id) ? "closed" : undefined;
  const near = found.error.ids.find((one) => !left.has(one.namespace));
  return reads.get(namespace, id) ?? (near && reads.get(near.namespace, id));
}

/** A line of the file about a record that is here. */
interface Told<State> {
  readonly state: State;
  readonly told: JsonObject;
}

function eraseImported(
  deps: MemoryDeps,
  run: Run,
  { state, told }: Told<{ readonly id: RecordId }>,
): Outcome {
  const known = findHere(deps, run, state.id);
  if (known === undefined) run.options.toldForgotten?.add(placedId(state.id, told));
  if (known === undefined || typeof known === "string") return "forgotten";
  const { id, namespace } = known;
  if (run.options.forgets === true && isPlaceOf(run, known, told)) {
    if (run.options.isDry === true || forgetIn(deps, known)) return "erased";
  }
  run.alive.push({ id, namespace });
  return "forgotten";
}

/** A record where a file says that it was: an id may stand in several namespaces. */
function placedId(id: RecordId, told: JsonObject): string {
  return `${canonicalJson(told["namespace"] ?? null)} ${id}`;
}

function forgetIn(deps: MemoryDeps, { namespace, id }: RecordView): boolean {
  if (!deps.store.reads.mayForget(namespace, id)) return false;
  const change = { kind: "forget", id } as const;
  return deps.store.changes.change(namespace, [change], deps.clock.nowMs()).ok;
}

/** What a file says goes where the person said, or where it says that the record was; nowhere else. */
function isPlaceOf({ namespace }: Run, known: RecordView, told: JsonObject): boolean {
  return known.namespace === namespace || known.namespace === told["namespace"];
}

/**
 * A record of which nothing opens here cannot be compared: to put the file's values over it would
 * make each of them a conflict once the key comes (IM17).
 */
function openImported(deps: MemoryDeps, run: Run, state: LiveRecord): Outcome {
  if (run.options.isLeftOut === true) return "added";
  if (run.options.differing === "file") {
    const outcome = putImported(deps, run, state);
    return outcome === "added" ? "changed" : outcome;
  }
  const fields = scrubFields(deps.scrub, fieldsOf(state, deps.clock.nowMs()));
  if (!fields.ok) return "unreadable";
  const names = Object.keys(fields.value).map((field) => ({ field, isNewer: false }));
  run.differing.push({ id: state.id, namespace: run.namespace, fields: names });
  return "known";
}

function compareImported(
  deps: MemoryDeps,
  run: Run,
  { state, told, known }: Told<LiveRecord> & { readonly known: RecordView },
): Outcome {
  const nowMs = deps.clock.nowMs();
  const fields = scrubFields(deps.scrub, fieldsOf(state, nowMs));
  if (!fields.ok) return "unreadable";
  const differing = differencesOf(deps, known, {
    fields: fields.value,
    state,
    namespace: told["namespace"],
  });
  if (differing.length === 0) return "known";
  const { differing: mode = "keep", isDry = false } = run.options;
  const isMeant = mode !== "keep" && isPlaceOf(run, known, told);
  const wanted = isMeant ? differing.filter(({ isNewer }) => mode === "file" || isNewer) : [];
  const left = differing.filter((one) => !wanted.includes(one));
  const { id, namespace } = known;
  if (wanted.length > 0) {
    const names = new Set(wanted.map(({ field }) => field));
    const change = { kind: "set", id, fields: chosenOf(deps, state, fields.value, names) } as const;
    const atMs = credibleTime(newestOf(state, names), nowMs);
    if (!isDry && !deps.store.changes.change(namespace, [change], atMs).ok) {
      run.differing.push({ id, namespace, fields: differing });
      return "refused";
    }
  }
  if (left.length > 0) run.differing.push({ id, namespace, fields: left });
  return wanted.length > 0 ? "changed" : "known";
}

/** The fields that are put in, with what keeps their trust at that of a file. */
function chosenOf(
  deps: MemoryDeps,
  { collection }: LiveRecord,
  fields: ScrubbedFields,
  names: ReadonlySet<string>,
): ScrubbedFields {
  const chosen = Object.entries(fields).filter(([field]) => names.has(field));
  if (!wordCollections.has(collection)) return Object.fromEntries(chosen) as ScrubbedFields;
  const isText = [...names].some((field) => !stateFields.has(field));
  const marks = scrubFields(deps.scrub, {
    ...(isText ? { editedOrigin: "import" } : {}),
    ...(names.has("pinned") ? { pinnedOrigin: "import" } : {}),
  });
  return { ...Object.fromEntries(chosen), ...(marks.ok ? marks.value : {}) };
}

function newestOf({ registers }: LiveRecord, names: ReadonlySet<string>): number {
  return Math.max(0, ...[...names].map((field) => registers[field]?.at ?? 0));
}

function credibleTime(atMs: number, nowMs: number): number {
  return isCredibleTime(atMs, nowMs) ? atMs : nowMs;
}

function newImported(deps: MemoryDeps, run: Run, { state, told }: Told<LiveRecord>): Outcome {
  const isForgotten = run.options.toldForgotten?.has(placedId(state.id, told)) === true;
  return isForgotten ? "forgotten" : putImported(deps, run, state);
}

function putImported(
  deps: MemoryDeps,
  { namespace, options: { isDry = false } }: Run,
  state: LiveRecord,
): Outcome {
  const nowMs = deps.clock.nowMs();
  const fields = scrubFields(deps.scrub, fieldsOf(state, nowMs));
  if (!fields.ok) return "unreadable";
  if (isDry) return "added";
  const { id, collection, parent } = state;
  const place = parent === undefined ? {} : { parent };
  const change = { kind: "put", id, collection, ...place, fields: fields.value } as const;
  const atMs = credibleTime(oldestRegister(state.registers)?.at ?? nowMs, nowMs);
  return deps.store.changes.change(namespace, [change], atMs).ok ? "added" : "refused";
}

/** A file that no program of ours wrote may hold a secret where an id belongs. */
function isClean(deps: MemoryDeps, ids: readonly string[]): boolean {
  return ids.every((text) => deps.scrub.text(text) === text);
}

function fieldsOf(
  { collection, registers }: LiveRecord,
  nowMs: number,
): Readonly<Record<string, JsonValue>> {
  const values = Object.entries(registers)
    .map(([field, { value }]) => [field, value] as const)
    .filter(([field, value]) => field !== "createdAt" || isTime(value, nowMs));
  if (!wordCollections.has(collection)) return Object.fromEntries(values);
  // A pin that a file brings along is no review of the person that imports it (RC13).
  const pin = registers["pinnedOrigin"] === undefined ? {} : { pinnedOrigin: "import" };
  return { ...Object.fromEntries(values), origin: "import", ...pin };
}

function isTime(value: JsonValue, nowMs: number): boolean {
  return typeof value === "number" && isCredibleTime(value, nowMs);
}
