import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  pgSchema,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";

/** Everything of Tidemark lies in a schema of its own, so that it may share a database. */
export const tidemark = pgSchema("tidemark");

const count = (name: string) => bigint(name, { mode: "number" });

/**
 * Records and tombstones in compact form. `fields` and `clocks` are text: a page splices them
 * into its lines unparsed. `digest` is a signed 64-bit number, so that `bit_xor` can sum a bucket.
 */
export const records = tidemark.table(
  "records",
  {
    namespaceId: text("namespace_id").notNull(),
    id: text("id").notNull(),
    collection: text("collection").notNull(),
    parent: text("parent"),
    seq: count("seq").notNull(),
    lamport: count("lamport"),
    writer: text("writer"),
    at: count("at"),
    fields: text("fields"),
    clocks: text("clocks"),
    forgotten: boolean("forgotten").notNull(),
    bucket: smallint("bucket").notNull(),
    digest: count("digest").notNull(),
    bytes: integer("bytes").notNull(),
    via: text("via"),
    author: text("author"),
  },
  (table) => [
    primaryKey({ columns: [table.namespaceId, table.id] }),
    uniqueIndex("records_seq").on(table.namespaceId, table.seq),
    index("records_parent")
      .on(table.namespaceId, table.parent)
      .where(sql`parent is not null and not forgotten`),
    index("records_bucket").on(table.namespaceId, table.bucket),
  ],
);

/** Where each namespace stands; locking its row orders all writes of the namespace (PL1). */
export const namespaces = tidemark.table("namespaces", {
  namespaceId: text("namespace_id").primaryKey(),
  name: text("name").notNull(),
  kind: text("kind").notNull(),
  head: count("head").notNull(),
  mark: text("mark").notNull(),
  lamport: count("lamport").notNull(),
  digest: count("digest").notNull(),
  count: count("count").notNull(),
  liveCount: count("live_count").notNull(),
  liveBytes: count("live_bytes").notNull(),
  createdAtMs: count("created_at_ms").notNull(),
});

/** The random value of every head that a replica may have been told (MK1). */
export const marks = tidemark.table(
  "marks",
  {
    namespaceId: text("namespace_id").notNull(),
    head: count("head").notNull(),
    mark: text("mark").notNull(),
    createdAtMs: count("created_at_ms").notNull(),
  },
  (table) => [primaryKey({ columns: [table.namespaceId, table.head] })],
);

/** How far the server has taken each writer's ops, and the results of its last accepted push. */
export const writers = tidemark.table(
  "writers",
  {
    namespaceId: text("namespace_id").notNull(),
    writer: text("writer").notNull(),
    deviceId: text("device_id").notNull(),
    acked: count("acked").notNull(),
    chain: text("chain").notNull(),
    since: count("since").notNull(),
    results: text("results").notNull(),
  },
  (table) => [primaryKey({ columns: [table.namespaceId, table.writer] })],
);

/** Values that fields once had, for history and heals. */
export const revisions = tidemark.table(
  "revisions",
  {
    namespaceId: text("namespace_id").notNull(),
    recordId: text("record_id").notNull(),
    field: text("field").notNull(),
    value: text("value").notNull(),
    lamport: count("lamport").notNull(),
    writer: text("writer").notNull(),
    at: count("at").notNull(),
    hash: text("hash").notNull(),
    replacedByLamport: count("replaced_by_lamport").notNull(),
    replacedByWriter: text("replaced_by_writer").notNull(),
    via: text("via"),
    createdAtMs: count("created_at_ms").notNull(),
  },
  (table) => [
    primaryKey({
      columns: [
        table.namespaceId,
        table.recordId,
        table.field,
        table.lamport,
        table.writer,
        table.hash,
      ],
    }),
    index("revisions_age").on(table.namespaceId, table.createdAtMs),
  ],
);

/** Who may do what in a namespace (NS1). */
export const members = tidemark.table(
  "members",
  {
    namespaceId: text("namespace_id").notNull(),
    userId: text("user_id").notNull(),
    role: text("role").notNull(),
    joinedAtMs: count("joined_at_ms").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.namespaceId, table.userId] }),
    index("members_user").on(table.userId),
  ],
);

/** People. */
export const users = tidemark.table("users", {
  id: text("id").primaryKey(),
  name: text("name").notNull(),
  createdAtMs: count("created_at_ms").notNull(),
});

/**
 * Installations and their public keys. `mac` lets a link's maker verify later the key and
 * `joined_name`, the name as it was at join.
 */
export const devices = tidemark.table(
  "devices",
  {
    id: text("id").primaryKey(),
    userId: text("user_id")
      .notNull()
      .references(() => users.id),
    name: text("name").notNull(),
    joinedName: text("joined_name").notNull(),
    platform: text("platform").notNull(),
    publicKey: text("public_key").notNull(),
    thumbprint: text("thumbprint").notNull(),
    status: text("status").notNull(),
    mac: text("mac"),
    linkId: text("link_id"),
    pairedAtMs: count("paired_at_ms").notNull(),
    lastSeenAtMs: count("last_seen_at_ms"),
  },
  (table) => [
    uniqueIndex("devices_thumbprint").on(table.thumbprint),
    index("devices_user").on(table.userId),
    index("devices_link").on(table.linkId),
  ],
);

/** One-time links, of whose secrets only hashes are kept. */
export const links = tidemark.table("links", {
  id: text("id").primaryKey(),
  kind: text("kind").notNull(),
  authHash: text("auth_hash").notNull(),
  createdBy: text("created_by").notNull(),
  createdByDevice: text("created_by_device").notNull(),
  namespaceId: text("namespace_id"),
  role: text("role"),
  expiresAtMs: count("expires_at_ms").notNull(),
  usedAtMs: count("used_at_ms"),
});

/** Keys that sign access tokens; at most one is active. */
export const signingKeys = tidemark.table(
  "signing_keys",
  {
    kid: text("kid").primaryKey(),
    jwk: text("jwk").notNull(),
    status: text("status").notNull(),
    createdAtMs: count("created_at_ms").notNull(),
  },
  (table) => [
    uniqueIndex("signing_keys_active")
      .on(table.status)
      .where(sql`status = 'active'`),
  ],
);

/** The server itself: one row. */
export const server = tidemark.table(
  "server",
  {
    singleton: boolean("singleton").primaryKey(),
    id: text("id").notNull(),
    claimedAtMs: count("claimed_at_ms"),
  },
  (table) => [check("server_singleton", sql`${table.singleton}`)],
);

/** Hashes of the secrets that make the owner; empty once there is one (AU1). */
export const setupSecrets = tidemark.table("setup_secrets", {
  secretHash: text("secret_hash").primaryKey(),
  expiresAtMs: count("expires_at_ms").notNull(),
});
