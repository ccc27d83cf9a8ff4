import {
  collections,
  decodeState,
  isCredibleTime,
  isTombstone,
  oldestRegister,
  type JsonValue,
  type LiveRecord,
  type NamespaceId,
  type RecordId,
} from "@tidemark/protocol";
import type { MemoryDeps } from "./deps.ts";
import { memoryLimits } from "./limits.ts";
import { scrubFields } from "./scrub-content.ts";

/** What came of an import, by count of lines. */
export interface ImportReport {
  readonly added: number;
  /** Records that this device has or has forgotten; they stay as they are. */
  readonly known: number;
  /** Lines that are no record, with their numbers, the first hundred. */
  readonly unreadable: readonly number[];
  /** Records that the namespace did not take. */
  readonly refused: number;
  /** Kept losing values, which belong to the history of where they were exported. */
  readonly conflicts: number;
  /** Records that were forgotten there. */
  readonly forgotten: number;
}

type Outcome = "added" | "known" | "unreadable" | "refused" | "conflicts" | "forgotten";

const unreadableMax = 100;

/**
 * Imports records of an export into a namespace (CP65): scrubbed here whatever the file's maker
 * did, with origin `import`, which nobody trusts highly. What this device has or has forgotten is
 * left alone; tombstones and conflicts are left out and counted, so a file can erase nothing.
 * `isDry` counts and changes nothing.
 */
export function importLines(
  deps: MemoryDeps,
  namespace: NamespaceId,
  lines: Iterable<string>,
  { isDry = false }: { readonly isDry?: boolean } = {},
): ImportReport {
  const counts: Record<Outcome, number> = {
    added: 0,
    known: 0,
    unreadable: 0,
    refused: 0,
    conflicts: 0,
    forgotten: 0,
  };
  const unreadable: number[] = [];
  let number = 0;
  for (const line of lines) {
    number += 1;
    if (line.trim() === "") continue;
    const outcome = importLine(deps, { namespace, isDry }, line);
    counts[outcome] += 1;
    if (outcome === "unreadable" && unreadable.length < unreadableMax) unreadable.push(number);
  }
  return { ...counts, unreadable };
}

interface Into {
  readonly namespace: NamespaceId;
  readonly isDry: boolean;
}

function importLine(deps: MemoryDeps, into: Into, line: string): Outcome {
  const decoded = decodeState(line);
  if (!decoded.ok || line.length > memoryLimits.importLineBytesMax) return "unreadable";
  const { state } = decoded.value;
  if (isTombstone(state)) return "forgotten";
  if (state.collection === collections.conflict) return "conflicts";
  if (!isClean(deps, [state.id, state.collection, state.parent ?? ""])) return "unreadable";
  if (isKnown(deps, into.namespace, state.id)) return "known";
  return putImported(deps, into, state);
}

/** What lies in a parked namespace alone may be taken along into another one (CP71). */
function isKnown({ store }: MemoryDeps, namespace: NamespaceId, id: RecordId): boolean {
  const found = store.reads.find(id);
  if (!found.ok) return found.error.kind !== "unknown-record";
  const { namespace: place } = found.value;
  const isParked = store.reads
    .namespaces()
    .some((one) => one.namespace === place && one.status === "parked");
  return place === namespace || !isParked;
}

function putImported(deps: MemoryDeps, { namespace, isDry }: Into, state: LiveRecord): Outcome {
  const nowMs = deps.clock.nowMs();
  const fields = scrubFields(deps.scrub, fieldsOf(state, nowMs));
  if (!fields.ok) return "unreadable";
  if (isDry) return "added";
  const { id, collection, parent } = state;
  const place = parent === undefined ? {} : { parent };
  const change = { kind: "put", id, collection, ...place, fields: fields.value } as const;
  const madeMs = oldestRegister(state.registers)?.at ?? nowMs;
  const atMs = isCredibleTime(madeMs, nowMs) ? madeMs : nowMs;
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
  if (collection !== collections.observation) return Object.fromEntries(values);
  // A pin that a file brings along is no review of the person that imports it (RC13).
  const pin = registers["pinnedOrigin"] === undefined ? {} : { pinnedOrigin: "import" };
  return { ...Object.fromEntries(values), origin: "import", ...pin };
}

function isTime(value: JsonValue, nowMs: number): boolean {
  return typeof value === "number" && isCredibleTime(value, nowMs);
}
