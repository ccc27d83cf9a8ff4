import {
  emptyDigest,
  isSameSet,
  recordDigest,
  replaceInSet,
  type NamespaceId,
  type SetDigest,
} from "@tidemark/protocol";
import type { StoreContext } from "./context.ts";
import { openAnew } from "./exchange/open-anew.ts";
import { migrations } from "./migrations/index.ts";
import { highestConfirmedLamport, readConfirmed } from "./records/confirmed.ts";
import { versionOf } from "./reads/version.ts";
import { readReplicas } from "./records/replicas.ts";
import type { ReplicaRow } from "./rows.ts";
import { rebuildSearch } from "./view/rebuild-search.ts";
import { isSearchDamaged, searchDamage } from "./view/search-index.ts";

/** Something that a check of the store found. */
export interface StoreFinding {
  readonly kind: "database" | "search" | "digest" | "lamport";
  readonly message: string;
}

/** Facts of the database, for `doctor`. */
export interface StoreFacts {
  readonly sqliteVersion: string;
  readonly journalMode: string;
  readonly synchronous: number;
  readonly bytes: number;
}

/** What keeps a store well. */
export interface Upkeep {
  /** Builds projection and index anew from records and outbox; gives how many are indexed (ST5). */
  rebuildSearch(): number;
  /** Rebuilds the index where a write found it damaged. */
  repairSearch(): boolean;
  /** Shows what an earlier version could not open (EE4); gives whether there was anything to look at. */
  openAnew(): boolean;
  /** Checks all of it; reads everything. Empty: all is well. */
  check(): readonly StoreFinding[];
  facts(): StoreFacts;
  /** Brings the write-ahead log to nothing; for a long-running process that is idle. */
  checkpoint(): void;
  /** Writes a copy of the database to a path that does not exist. */
  backupTo(path: string): void;
  /** Whether a newer program has changed the schema since: nothing is written any more (ST4). */
  isOutgrown(): boolean;
  /** Another text after each write, whoever wrote. */
  version(): string;
  clearNotice(namespace: NamespaceId): void;
  meta(key: string): string | undefined;
  setMeta(key: string, value: string | undefined): void;
  /** Makes one value of another, whatever other processes write meanwhile. */
  changeMeta(key: string, change: (before: string | undefined) => string | undefined): void;
}

/** The upkeep side of the store. */
export function createUpkeep(context: StoreContext): Upkeep {
  const { db } = context;
  const meta: Upkeep["meta"] = (key) =>
    db.get<{ value: string }>("SELECT value FROM meta WHERE key = ?", key)?.value;
  const setMeta: Upkeep["setMeta"] = (key, value) => {
    // In a transaction, as each write: one alone goes to a file that was replaced as well (ST17).
    db.transact(() => {
      if (value === undefined) db.run("DELETE FROM meta WHERE key = ?", key);
      else db.run("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", key, value);
    });
  };
  return {
    rebuildSearch: () => rebuildSearch(context),
    repairSearch: () => isSearchDamaged(context) && rebuildSearch(context) >= 0,
    openAnew: () => openAnew(context),
    check: () => checkStore(context),
    facts: () => ({
      sqliteVersion: String(db.get<{ v: string }>("SELECT sqlite_version() AS v")?.v),
      journalMode: String(db.pragma("journal_mode")),
      synchronous: Number(db.pragma("synchronous")),
      bytes: Number(db.pragma("page_count")) * Number(db.pragma("page_size")),
    }),
    checkpoint: () => {
      db.pragma("wal_checkpoint(TRUNCATE)");
    },
    backupTo: (path) => {
      db.run("VACUUM INTO ?", path);
    },
    isOutgrown: () => Number(db.pragma("user_version")) > migrations.length,
    version: () => versionOf(context),
    clearNotice: (namespace) => {
      db.transact(() => {
        db.run("UPDATE replicas SET notice = NULL WHERE namespace = ?", namespace);
      });
    },
    meta,
    setMeta,
    changeMeta: (key, change) => {
      db.transact(() => {
        setMeta(key, change(meta(key)));
      });
    },
  };
}

function checkStore(context: StoreContext): readonly StoreFinding[] {
  const findings: StoreFinding[] = [];
  for (const row of context.db.all<{ integrity_check: string }>("PRAGMA integrity_check")) {
    const message = row.integrity_check;
    // SQLite asks the index as well; what it says is told below, for it can be rebuilt.
    const isWell = message === "ok" || message.startsWith("fts5:");
    if (!isWell) findings.push({ kind: "database", message });
  }
  const damage = searchDamage(context);
  if (damage !== undefined) findings.push({ kind: "search", message: damage });
  for (const replica of readReplicas(context)) findings.push(...checkReplica(context, replica));
  return findings;
}

function checkReplica(context: StoreContext, replica: ReplicaRow): readonly StoreFinding[] {
  const { namespace, digest, count, lamport } = replica;
  const findings: StoreFinding[] = [];
  if (!isSameSet({ digest, count }, recomputedDigest(context, namespace))) {
    findings.push({
      kind: "digest",
      message: `${namespace}: the records do not have the digest kept`,
    });
  }
  if (highestConfirmedLamport(context, namespace) > lamport) {
    findings.push({ kind: "lamport", message: `${namespace}: the clock is behind the records` });
  }
  return findings;
}

/** Digest and count of a namespace's confirmed records, computed from their contents. */
export function recomputedDigest(context: StoreContext, namespace: string): SetDigest {
  let set: SetDigest = { digest: emptyDigest, count: 0 };
  const ids = context.db.all<{ id: string }>(
    "SELECT id FROM records WHERE namespace = ?",
    namespace,
  );
  for (const { id } of ids) {
    const state = readConfirmed(context, namespace, id)?.state;
    if (state !== undefined) {
      set = replaceInSet(set, undefined, recordDigest(context.sha256, state));
    }
  }
  return set;
}
