import { sql } from "drizzle-orm";
import {
  blob,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";

/*
 * The client's database. drizzle-kit makes the migrations from this file, and the row types of the
 * hand-written SQL are inferred from it (`rows.ts`), hence the column names as keys. Nothing that a
 * hook loads imports it at run time. The full-text index `search` stands in a migration of its own.
 */

/** One row a namespace: what the sync engine knows of it and this store's place in it. */
export const replicas = sqliteTable("replicas", {
  namespace: text().primaryKey(),
  name: text().notNull(),
  kind: text({ enum: ["personal", "team", "local"] }).notNull(),
  role: text({ enum: ["reader", "writer", "admin", "owner"] }),
  server: text(),
  status: text({ enum: ["active", "unpaired", "parked"] }).notNull(),
  /** This store's writer here; minted with the first op and after a fork. */
  writer: text(),
  /** The `n` of the last op made, and the running hash there. */
  made: integer().notNull().default(0),
  chain: text().notNull().default(""),
  /** The `n` of the last op that the server has consumed, and the running hash there. */
  acked: integer().notNull().default(0),
  acked_chain: text().notNull().default(""),
  lamport: integer().notNull().default(0),
  cursor: text().notNull().default(""),
  head: integer().notNull().default(0),
  /** Digest and count of the confirmed records. */
  digest: text().notNull(),
  count: integer().notNull().default(0),
  /** Not null: a heal is due, and why. */
  heal_why: text(),
  verified: integer().notNull().default(0),
  notice: text(),
  synced_at: integer(),
  /** The `n` up to which the writer's sealed ops may have been sent (EE11). */
  offered: integer(),
});

/** Confirmed records: what the server has said, and in `local` what was changed. */
export const records = sqliteTable(
  "records",
  {
    namespace: text().notNull(),
    id: text().notNull(),
    collection: text().notNull(),
    parent: text(),
    seq: integer(),
    /** The oldest clock and its wall time; `clocks` holds those of fields changed later. */
    lamport: integer().notNull(),
    writer: text().notNull(),
    at: integer().notNull(),
    fields: text().notNull(),
    clocks: text(),
    forgotten: integer().notNull(),
    digest: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.namespace, table.id] }),
    index("records_parent").on(table.namespace, table.parent),
    index("records_collection").on(table.namespace, table.collection),
  ],
);

/** Ops that are not yet seen to be part of their namespace: the overlay over the records. */
export const outbox = sqliteTable(
  "outbox",
  {
    namespace: text().notNull(),
    writer: text().notNull(),
    n: integer().notNull(),
    record: text().notNull(),
    parent: text(),
    collection: text().notNull(),
    op: text({ enum: ["put", "set", "forget"] }).notNull(),
    lamport: integer().notNull(),
    /** The op line, byte for byte as it is sent and hashed. */
    line: text().notNull(),
    /** The running hash after this op. */
    chain: text().notNull(),
    state: text({ enum: ["pending", "acked", "rejected", "unknown"] }).notNull(),
    code: text(),
    /** 1 once it was issued again after an `unknown-record`. */
    reissued: integer().notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.namespace, table.writer, table.n] }),
    index("outbox_record").on(table.namespace, table.record),
    index("outbox_parent").on(table.namespace, table.parent),
  ],
);

/**
 * When this store wrote over what waited of a record: a retry leaves that out. Each write has its own
 * row, for the newest may be given up, and those before it still stand.
 */
export const ownWrites = sqliteTable(
  "own_writes",
  {
    namespace: text().notNull(),
    record: text().notNull(),
    field: text().notNull(),
    lamport: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.namespace, table.record, table.field, table.lamport] })],
);

/** Values that were current here: proof of succession in a heal, and history while offline. */
export const past = sqliteTable(
  "past",
  {
    namespace: text().notNull(),
    record: text().notNull(),
    field: text().notNull(),
    lamport: integer().notNull(),
    writer: text().notNull(),
    hash: text().notNull(),
    value: text().notNull(),
    at: integer().notNull(),
  },
  (table) => [
    primaryKey({
      columns: [
        table.namespace,
        table.record,
        table.field,
        table.lamport,
        table.writer,
        table.hash,
      ],
    }),
  ],
);

/** Who is behind a writer, as pages tell it; `own` marks the incarnations of this store. */
export const writers = sqliteTable(
  "writers",
  {
    namespace: text().notNull(),
    writer: text().notNull(),
    own: integer().notNull().default(0),
    device: text(),
    device_name: text(),
    user: text(),
    user_name: text(),
    /** 1 for a machine, such as a CI job's; null where no server has said so. */
    machine: integer(),
    /** When the person became a member of a namespace that was there before, in milliseconds. */
    joined_at: integer(),
  },
  (table) => [primaryKey({ columns: [table.namespace, table.writer] })],
);

/** Devices whose words are hidden here, as `hello` told it last (QU1); `since` is for show. */
export const suspects = sqliteTable(
  "suspects",
  {
    namespace: text().notNull(),
    device: text().notNull(),
    /** Records with a `seq` above it are hidden. */
    above: integer().notNull(),
    since: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.namespace, table.device] })],
);

/** Keys of encrypted namespaces, base64url; under epoch 0 the one that hides names of fields. */
export const namespaceKeys = sqliteTable(
  "namespace_keys",
  {
    namespace: text().notNull(),
    epoch: integer().notNull(),
    key: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.namespace, table.epoch] })],
);

/** How far the membership log of an encrypted namespace was read; it may not go back behind that. */
export const namespaceLogs = sqliteTable("namespace_logs", {
  namespace: text().primaryKey(),
  length: integer().notNull(),
  head: text().notNull(),
  epoch: integer().notNull(),
  /** The name that its members give it; the server knows a label. */
  name: text(),
  /** Why what the server told of it is not believed; null: all is well. */
  trouble: text(),
  /** The entries as a JSON list: what a server that was set back gets again. */
  entries: text(),
});

/** 1 where an observation is neither archived nor superseded; `reads/runs.ts` asks for just this. */
const shown = sql`(archived = 0 AND superseded_by IS NULL)`;

/** The search side of the observations in view: narrow columns; `id` is the rowid in `search`. */
export const observations = sqliteTable(
  "observations",
  {
    id: integer().primaryKey(),
    namespace: text().notNull(),
    record: text().notNull(),
    kind: text().notNull(),
    project: text(),
    session: text(),
    origin: text().notNull(),
    pinned: integer().notNull(),
    /** 1 as well where it is in quarantine: hidden from every list, search and context (QU5). */
    archived: integer().notNull(),
    superseded_by: text(),
    /** Names the text that is indexed: most changes of a record leave it as it is. */
    text_hash: text().notNull(),
    created_at: integer().notNull(),
  },
  (table) => [
    uniqueIndex("observations_record").on(table.namespace, table.record),
    // In the order of time for each way that a list is narrowed (ST20), and no index more than that.
    index("observations_created").on(table.namespace, shown, table.kind, table.created_at),
    index("observations_project")
      .on(table.namespace, table.project, shown, table.kind, table.created_at)
      .where(sql`project IS NOT NULL`),
    // Few are pinned, and they are wanted however old they are (RC3).
    index("observations_pinned")
      .on(table.namespace, shown, table.created_at)
      .where(sql`pinned = 1`),
    index("observations_session")
      .on(table.session, table.created_at)
      .where(sql`session IS NOT NULL`),
  ],
);

/** Scrubbed events of an agent's session, until it is summed up. They never leave the device. */
export const agentEvents = sqliteTable(
  "agent_events",
  {
    id: integer().primaryKey(),
    key: text().notNull(),
    session: text().notNull(),
    at: integer().notNull(),
    payload: text().notNull(),
  },
  (table) => [
    uniqueIndex("agent_events_key").on(table.session, table.key),
    index("agent_events_at").on(table.at),
  ],
);

/**
 * What the embedder of this device made of observations, a row for each that has its vector (RC30).
 * Derived, as the full-text index is: never synced, and gone with the text that it was made of.
 */
export const vectors = sqliteTable("vectors", {
  /** That of the row in `observations`. */
  id: integer().primaryKey(),
  /** Names the command that made it. */
  model: text().notNull(),
  /** One signed byte a dimension; empty where the embedder made nothing of the text. */
  vector: blob().notNull(),
});

/** What a session was given, so that nothing is given twice. */
export const injections = sqliteTable(
  "injections",
  {
    session: text().notNull(),
    record: text().notNull(),
    at: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.session, table.record] })],
);

/** The namespace that a project's captures go to, where it is not the personal one. */
export const bindings = sqliteTable("bindings", {
  project: text().primaryKey(),
  namespace: text().notNull(),
});

/** Single facts of this store by name. */
export const meta = sqliteTable("meta", {
  key: text().primaryKey(),
  value: text().notNull(),
});
