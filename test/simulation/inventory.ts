/** Reads what is stored where, past all of the product's code: tables and maps as they are. */
import type { NamespaceId } from "../../packages/protocol/src/index.ts";
import type { AccountState } from "../../apps/server/src/store/memory/account-state.ts";
import type { Inspector } from "./inspector.ts";
import { sealedField } from "./glass.ts";
import { wordsIn } from "./oracle.ts";

/** What a device holds. */
export interface Holdings {
  /** Words in confirmed records. */
  readonly confirmed: ReadonlySet<string>;
  /** Words in ops that wait, whatever their state. */
  readonly waiting: ReadonlySet<string>;
  /** Keys of forgotten records, confirmed or waiting. */
  readonly dead: ReadonlySet<string>;
  /** Words of records and their past that this device has and may not deliver. */
  readonly stranded: ReadonlySet<string>;
  /** Ops that are neither acknowledged nor refused, by namespace. */
  readonly unsent: ReadonlyMap<string, number>;
}

const nothing: Holdings = {
  confirmed: new Set(),
  waiting: new Set(),
  dead: new Set(),
  stranded: new Set(),
  unsent: new Map(),
};

/** Looks into a device's database. */
export function holdingsOf(
  { inspector }: { readonly inspector: Inspector },
  personal: string,
): Holdings {
  // A process that died while it made its database leaves one without tables.
  const isMade = inspector.all("SELECT 1 FROM sqlite_master WHERE name = 'bindings'").length > 0;
  if (!isMade) return nothing;
  const unpaired = new Set(
    inspector
      .all("SELECT namespace FROM replicas WHERE status = 'unpaired'")
      .map(({ namespace }) => String(namespace)),
  );
  const namespaceOf = (name: unknown): string =>
    unpaired.has(String(name)) ? personal : String(name);
  const confirmed = new Set<string>();
  const waiting = new Set<string>();
  const dead = new Set<string>();
  const unsent = new Map<string, number>();
  for (const row of inspector.all("SELECT namespace, id, fields, forgotten FROM records")) {
    if (row["forgotten"] === 1) {
      dead.add(`dead ${namespaceOf(row["namespace"])}/${String(row["id"])}`);
    }
    for (const word of wordsIn(String(row["fields"]))) confirmed.add(word);
  }
  const acked = new Map(
    inspector
      .all("SELECT writer, acked FROM replicas")
      .map((row) => [row["writer"], Number(row["acked"])]),
  );
  for (const row of inspector.all(
    "SELECT namespace, writer, n, record, op, state, line FROM outbox",
  )) {
    const namespace = namespaceOf(row["namespace"]);
    if (row["op"] === "forget") dead.add(`dead ${namespace}/${String(row["record"])}`);
    for (const word of wordsIn(String(row["line"]))) waiting.add(word);
    // How far its writer is acknowledged tells that an op is, and nothing in its row.
    const isAcked = Number(row["n"]) <= (acked.get(row["writer"]) ?? 0);
    const isUnsent = (row["state"] === "pending" && !isAcked) || row["state"] === "unknown";
    if (isUnsent) unsent.set(namespace, (unsent.get(namespace) ?? 0) + 1);
  }
  return { confirmed, waiting, dead, stranded: strandedWords(inspector), unsent };
}

/** Records of a namespace that a device has as forgotten. */
export function gravesIn(
  { inspector }: { readonly inspector: Inspector },
  namespace: string,
): readonly string[] {
  return inspector
    .all("SELECT namespace, id FROM records WHERE forgotten = 1")
    .filter((row) => row["namespace"] === namespace)
    .map(({ id }) => String(id));
}

function strandedWords(inspector: Inspector): ReadonlySet<string> {
  const mute = inspector
    .all("SELECT namespace FROM replicas WHERE role = 'reader' OR status = 'parked'")
    .map(({ namespace }) => String(namespace));
  return mute.length === 0 ? new Set() : wordsHeldIn(inspector, new Set(mute));
}

/** Words of the records of some namespaces, and of their past, that a device has. */
export function wordsHeldIn(
  inspector: Inspector,
  namespaces: ReadonlySet<string>,
): ReadonlySet<string> {
  const rows = inspector.all(
    "SELECT namespace, fields AS held FROM records UNION ALL SELECT namespace, value FROM past",
  );
  const held = rows.filter(({ namespace }) => namespaces.has(String(namespace)));
  return new Set(held.flatMap((row) => wordsIn(String(row["held"]))));
}

/** What the server holds of one record. */
export interface ServerRecord {
  readonly id: string;
  readonly collection: string;
  readonly parent: string | undefined;
  /** Undefined: a tombstone. */
  readonly fields: Readonly<Record<string, unknown>> | undefined;
}

/** The records of a namespace on the server. */
export function serverRecords(state: AccountState, namespace: string): readonly ServerRecord[] {
  const found = state.namespaces.get(namespace as NamespaceId);
  return [...(found?.records.entries() ?? [])].map(([id, { form }]) => ({
    id,
    collection: form.collection,
    parent: form.parent ?? undefined,
    fields: form.fields === null ? undefined : readable(form.fields),
  }));
}

/**
 * Fields as members read them: a sealed one goes by the name that is sealed with it. What lost there
 * names its field beside the value.
 */
function readable(text: string): Record<string, unknown> {
  const read: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(JSON.parse(text) as Record<string, unknown>)) {
    const [field, held] = sealedField(value) ?? [name, value];
    const isLoser = name === "value" && field !== name;
    read[isLoser ? name : field] = held;
    if (isLoser) read["field"] = field;
  }
  return read;
}

/** Every word and tombstone that the server holds. */
export function serverHoldings(state: AccountState): ReadonlySet<string> {
  const held = new Set<string>();
  for (const namespace of state.namespaces.keys()) {
    for (const { id, fields } of serverRecords(state, namespace)) {
      const words = fields === undefined ? [] : wordsIn(JSON.stringify(fields));
      for (const each of fields === undefined ? [`dead ${namespace}/${id}`] : words) held.add(each);
    }
  }
  return held;
}

/** Values that were replaced, as the server keeps them for history. */
export function serverHistory(state: AccountState): ReadonlySet<string> {
  const held = new Set<string>();
  for (const { revisions } of state.namespaces.values()) {
    for (const { row } of revisions.values()) for (const word of wordsIn(row.value)) held.add(word);
  }
  return held;
}
