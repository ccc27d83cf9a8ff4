import {
  chainNext,
  chainStart,
  decodeOp,
  emptyDigest,
  isSameSet,
  recordDigest,
  replaceInSet,
  type Digest,
  type SetDigest,
  type WriterId,
} from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import { highestConfirmedLamport, readConfirmed } from "../records/confirmed.ts";
import { opsAfter } from "../records/outbox.ts";
import { readReplicas } from "../records/replicas.ts";
import type { ReplicaRow } from "../rows.ts";
import { openDatabase, type Database, type DatabaseOptions } from "../sqlite.ts";
import { migrate, type Migration } from "../migrate.ts";
import { storeErrorOf } from "../store-error.ts";
import { searchDamage } from "../view/search-index.ts";
import { rebuildSearch } from "../view/rebuild-search.ts";

/** How a database of this program is made, to compare with. */
export interface Made {
  readonly migrations: readonly Migration[];
  readonly nativeBinding?: DatabaseOptions["nativeBinding"];
}

/**
 * Says what is damaged in a database that opens; undefined where it is sound (ST16). SQLite checks
 * its trees; contents are checked by what the protocol keeps of them: the digests of records, the
 * running hash of ops. A search index is no damage: where it is ruined, it is built anew.
 */
export function damageOf(context: StoreContext, made: Made): string | undefined {
  const found = context.db.snapshot(
    () =>
      schemaDamage(context.db, made) ??
      treeDamage(context.db) ??
      payloadDamage(context.db) ??
      firstOf(readReplicas(context), (replica) => replicaDamage(context, replica)),
  );
  if (found === undefined && searchDamage(context) !== undefined) rebuildSearch(context);
  return found;
}

function firstOf<T>(
  items: readonly T[],
  find: (item: T) => string | undefined,
): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether a database has the schema of its version, word for word; undefined where it has. */
export function schemaDamage(
  db: Database,
  { migrations, nativeBinding }: Made,
): string | undefined {
  const version = Number(db.pragma("user_version"));
  const fresh = openDatabase({ path: ":memory:", busyTimeoutMs: 0, nativeBinding });
  try {
    migrate(fresh, migrations.slice(0, version));
    return schemaOf(fresh) === schemaOf(db) ? undefined : "the schema is not the one that was made";
  } finally {
    fresh.close();
  }
}

/** The schema as text, in an order that does not depend on how it came about. */
export function schemaOf(db: Database): string {
  const rows = db.all<{ type: string; name: string; sql: string | null }>(
    "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name",
  );
  return JSON.stringify(rows);
}

function treeDamage(db: Database): string | undefined {
  return db
    .all<{ integrity_check: string }>("PRAGMA integrity_check")
    .map(({ integrity_check: message }) => message)
    .find((message) => message !== "ok" && !message.startsWith("fts5:"));
}

function payloadDamage(db: Database): string | undefined {
  const row = db.get<{ count: number }>(
    "SELECT count(*) AS count FROM agent_events WHERE NOT json_valid(payload)",
  );
  return row?.count === 0 ? undefined : "events of sessions cannot be read";
}

function replicaDamage(context: StoreContext, replica: ReplicaRow): string | undefined {
  const { namespace } = replica;
  return (
    writerDamage(context, replica) ??
    opDamage(context, replica) ??
    recordDamage(context, namespace, replica)
  );
}

/** A writer of another store: a log that belongs to another database brings it. */
function writerDamage({ db }: StoreContext, { namespace, writer }: ReplicaRow): string | undefined {
  if (writer === null) return undefined;
  const own = db.get(
    "SELECT 1 FROM writers WHERE namespace = ? AND writer = ? AND own = 1",
    namespace,
    writer,
  );
  return own === undefined ? "a namespace has a writer that this store never made" : undefined;
}

function opDamage(context: StoreContext, replica: ReplicaRow): string | undefined {
  const { writer, acked, made, namespace } = replica;
  if (namespace === "local" || writer === null) return undefined;
  const rows = opsAfter(context, replica, { after: 0, upTo: Number.MAX_SAFE_INTEGER, limit: -1 });
  const unsent = rows.filter(({ n }) => n > acked).length;
  if (unsent !== made - acked) return "changes that wait to be sent are missing";
  let before: { readonly n: number; readonly chain: string } = {
    n: 0,
    chain: chainStart(context.sha256, writer as WriterId),
  };
  for (const row of rows) {
    if (row.n === acked + 1) before = { n: acked, chain: replica.acked_chain };
    const isNext = row.n === before.n + 1;
    const isChanged = isNext && chainNext(context.sha256, before.chain, row.line) !== row.chain;
    if (isChanged || !decodeOp(row.line, row.n).ok)
      return "a change that waits to be sent is not what was made";
    before = row;
  }
  return undefined;
}

function recordDamage(
  context: StoreContext,
  namespace: string,
  { digest, count, lamport }: ReplicaRow,
): string | undefined {
  let set: SetDigest = { digest: emptyDigest, count: 0 };
  const ids = context.db.all<{ id: string }>(
    "SELECT id FROM records WHERE namespace = ?",
    namespace,
  );
  for (const { id } of ids) {
    const computed = soundDigest(context, namespace, id);
    if (computed === undefined) return "a record is not what was stored";
    set = replaceInSet(set, undefined, computed);
  }
  if (!isSameSet({ digest, count }, set)) return "the records do not have the digest kept";
  return highestConfirmedLamport(context, namespace) > lamport
    ? "a clock is behind its records"
    : undefined;
}

function soundDigest(context: StoreContext, namespace: string, id: string): Digest | undefined {
  try {
    const held = readConfirmed(context, namespace, id);
    const computed = held && recordDigest(context.sha256, held.state);
    return computed === held?.digest ? computed : undefined;
  } catch (error) {
    // What SQLite says of the machine is told as such; what is no record any more is damage.
    if (storeErrorOf(error) !== undefined) throw error;
    return undefined;
  }
}
