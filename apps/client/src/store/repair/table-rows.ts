import { isEncryptedId } from "@tidemark/protocol";
import type { CellRow, CellValue } from "./cells.ts";

/** A row of the schema table. */
export interface SchemaEntry {
  readonly type: string;
  readonly name: string;
  readonly table: string;
  readonly root: number;
}

/** Columns of the tables that are saved, in the order in which a row holds them. */
export const savedColumns = {
  agent_events: ["id", "key", "session", "at", "payload"],
  bindings: ["project", "namespace"],
  injections: ["session", "record", "at"],
  meta: ["key", "value"],
  namespace_keys: ["namespace", "epoch", "key"],
  namespace_logs: ["namespace", "length", "head", "epoch", "name", "trouble", "entries"],
  outbox: [
    "namespace",
    "writer",
    "n",
    "record",
    "parent",
    "collection",
    "op",
    "lamport",
    "line",
    "chain",
    "state",
    "code",
    "reissued",
  ],
  own_writes: ["namespace", "record", "field", "lamport"],
  past: ["namespace", "record", "field", "lamport", "writer", "hash", "value", "at"],
  records: [
    "namespace",
    "id",
    "collection",
    "parent",
    "seq",
    "lamport",
    "writer",
    "at",
    "fields",
    "clocks",
    "forgotten",
    "digest",
  ],
  replicas: [
    "namespace",
    "name",
    "kind",
    "role",
    "server",
    "status",
    "writer",
    "made",
    "chain",
    "acked",
    "acked_chain",
    "lamport",
    "cursor",
    "head",
    "digest",
    "count",
    "heal_why",
    "verified",
    "notice",
    "synced_at",
    "offered",
  ],
  suspects: ["namespace", "device", "above", "since"],
  writers: [
    "namespace",
    "writer",
    "own",
    "device",
    "device_name",
    "user",
    "user_name",
    "machine",
    "joined_at",
  ],
} as const;

/** Last columns that a row may lack: SQLite leaves rows as they are when a column is added. */
const laterColumns: Partial<Readonly<Record<SavedTable, number>>> = {
  namespace_logs: 1,
  replicas: 1,
  writers: 2,
};

/** A table that is saved. */
export type SavedTable = keyof typeof savedColumns;

type Row = Readonly<Record<string, CellValue>>;

const isText = (value: CellValue | undefined): value is string => typeof value === "string";
const isCount = (value: CellValue | undefined): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
const isTextOrNull = (value: CellValue | undefined): boolean => value === null || isText(value);
const isJsonText = (value: CellValue | undefined): boolean => isText(value) && isJson(value);
const isEncrypted = (value: CellValue | undefined): boolean =>
  isText(value) && isEncryptedId(value);
const isAnyOf =
  (...texts: readonly string[]) =>
  (value: CellValue | undefined): boolean =>
    isText(value) && texts.includes(value);

/** What a row must look like to be one of a table: a page does not say whose it is. */
const looks: Readonly<Record<SavedTable, (row: Row) => boolean>> = {
  agent_events: ({ id, key, session, at, payload }) =>
    id === null && isText(key) && isText(session) && isCount(at) && isText(payload),
  bindings: ({ project, namespace }) =>
    isText(project) && isText(namespace) && /^(?:nse?_\w+|local|personal)$/.test(namespace),
  injections: ({ session, record, at }) => isText(session) && isText(record) && isCount(at),
  meta: ({ key, value }) => isText(key) && isText(value),
  namespace_keys: ({ namespace, epoch, key }) =>
    isEncrypted(namespace) && isCount(epoch) && isText(key) && /^[\w-]{43}$/.test(key),
  namespace_logs: ({ namespace, length, head, epoch, name, trouble, entries }) =>
    isEncrypted(namespace) &&
    isText(head) &&
    isCount(length) &&
    isCount(epoch) &&
    isTextOrNull(name) &&
    isTextOrNull(trouble) &&
    (entries === null || isJsonText(entries)),
  outbox: (row) =>
    areTexts(row, "namespace", "writer", "record", "collection", "line", "chain", "state") &&
    isCount(row["n"]) &&
    isAnyOf("put", "set", "forget")(row["op"]),
  own_writes: (row) => areTexts(row, "namespace", "record", "field") && isCount(row["lamport"]),
  past: (row) =>
    areTexts(row, "namespace", "record", "field", "writer", "hash", "value") &&
    isCount(row["lamport"]),
  records: (row) =>
    areTexts(row, "namespace", "id", "collection", "writer", "fields", "digest") &&
    isCount(row["lamport"]) &&
    isTextOrNull(row["parent"]) &&
    isTextOrNull(row["clocks"]),
  replicas: (row) =>
    areTexts(row, "namespace", "name", "chain", "acked_chain", "cursor", "digest") &&
    isAnyOf("personal", "team", "local")(row["kind"]) &&
    isAnyOf("active", "unpaired", "parked")(row["status"]) &&
    [row["made"], row["acked"], row["lamport"], row["count"]].every(isCount) &&
    (row["offered"] === null || isCount(row["offered"])),
  suspects: (row) =>
    areTexts(row, "namespace", "device") && [row["above"], row["since"]].every(isCount),
  writers: (row) =>
    areTexts(row, "namespace", "writer") &&
    isCount(row["own"]) &&
    ["device", "device_name", "user", "user_name"].every((name) => isTextOrNull(row[name])) &&
    (row["machine"] === null || isCount(row["machine"])) &&
    (row["joined_at"] === null || isCount(row["joined_at"])),
};

function areTexts(row: Row, ...names: readonly string[]): boolean {
  return names.every((name) => isText(row[name]));
}

// Bindings before meta: both are two texts, and a binding's second one is a namespace.
const tables = ["bindings", ...Object.keys(savedColumns)] as readonly SavedTable[];

/** The table that a row belongs to, with its values by column; undefined for rows of no use. */
export function savedRow(
  cell: CellRow,
): { readonly table: SavedTable; readonly row: Row } | undefined {
  for (const table of tables) {
    const columns = savedColumns[table];
    const lacking = columns.length - cell.values.length;
    if (lacking < 0 || lacking > (laterColumns[table] ?? 0)) continue;
    const row = Object.fromEntries(columns.map((name, at) => [name, cell.values[at] ?? null]));
    if (looks[table](row))
      return { table, row: table === "agent_events" ? { ...row, id: cell.rowid } : row };
  }
  return undefined;
}

/** The op that an entry of the outbox's own index names; undefined for entries of others. */
export function opEntry({
  values,
}: CellRow):
  | { readonly namespace: string; readonly writer: string; readonly n: number }
  | undefined {
  const [namespace, writer, n, rowid] = values;
  const isEntry = values.length === 4 && isText(namespace) && isText(writer) && isCount(rowid);
  return isEntry && isCount(n) ? { namespace, writer, n } : undefined;
}

/** A row of the schema table; undefined for any other. */
export function schemaEntry({ values }: CellRow): SchemaEntry | undefined {
  const [type, name, table, root] = values;
  const isEntry =
    values.length === 5 && (type === "table" || type === "index") && isText(name) && isText(table);
  return isEntry && isCount(root) ? { type, name, table, root } : undefined;
}

/** Whether a text is JSON: of a damaged one a piece may be missing. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
