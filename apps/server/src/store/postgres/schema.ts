/* oxlint-disable max-lines -- every table stands in one file, as drizzle-kit reads it */
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
    // Few among many, and the console lists them newest first.
    index("records_conflicts")
      .on(table.namespaceId, table.seq)
      .where(sql`collection = 'conflict' and not forgotten`),
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
  /** When an owner deleted it; its members are `former_members` until it is restored or purged. */
  deletedAtMs: count("deleted_at_ms"),
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
    /** The day, counted from 1970, that `taken` is of: changes that were stored then (QT4). */
    day: integer("day").notNull().default(0),
    taken: integer("taken").notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.namespaceId, table.writer] }),
    index("writers_device").on(table.namespaceId, table.deviceId),
  ],
);

/** The signed entries that say who is in an encrypted namespace, in their order (EE6). */
export const membershipLog = tidemark.table(
  "membership_log",
  {
    namespaceId: text("namespace_id").notNull(),
    /** From 0. */
    place: count("place").notNull(),
    entry: text("entry").notNull(),
    /** The epoch that the log stands at with it. */
    epoch: count("epoch").notNull(),
    createdAtMs: count("created_at_ms").notNull(),
  },
  (table) => [primaryKey({ columns: [table.namespaceId, table.place] })],
);

/** Keys of epochs, each sealed for one device (EE7): nothing that the server could open. */
export const keyWraps = tidemark.table(
  "key_wraps",
  {
    namespaceId: text("namespace_id").notNull(),
    recipient: text("recipient").notNull(),
    epoch: count("epoch").notNull(),
    wrap: text("wrap").notNull(),
  },
  (table) => [primaryKey({ columns: [table.namespaceId, table.recipient, table.epoch] })],
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

/**
 * Who was a member of a namespace when it was deleted. Moving the rows out of `members` makes it
 * absent to everything that asks for a role, in servers of before too; restoring moves them back.
 */
export const formerMembers = tidemark.table(
  "former_members",
  {
    namespaceId: text("namespace_id").notNull(),
    userId: text("user_id").notNull(),
    role: text("role").notNull(),
    joinedAtMs: count("joined_at_ms").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.namespaceId, table.userId] }),
    index("former_members_user").on(table.userId),
  ],
);

/**
 * Who opened an invite and waits for an admin's word (NS24). A table of its own: whatever asks for a
 * role reads `members`, so who waits has none, to servers of before too.
 */
export const waitingMembers = tidemark.table(
  "waiting_members",
  {
    namespaceId: text("namespace_id").notNull(),
    userId: text("user_id").notNull(),
    role: text("role").notNull(),
    invitedBy: text("invited_by").notNull(),
    /** For whom the invite was made, in its maker's words. */
    madeFor: text("made_for"),
    /** What opened it, and from which network. */
    deviceId: text("device_id").notNull(),
    network: text("network"),
    sinceMs: count("since_ms").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.namespaceId, table.userId] }),
    index("waiting_members_user").on(table.userId),
  ],
);

/**
 * Devices whose words are hidden in a namespace (QU1). It stands with the members and not with the
 * content: `hello` reads it over all namespaces of a person at once, and ids are all that is in it.
 */
export const suspects = tidemark.table(
  "suspects",
  {
    namespaceId: text("namespace_id").notNull(),
    deviceId: text("device_id").notNull(),
    /** Records above it are hidden: where the server stood at `since_ms`, which is for show (QU2). */
    aboveSeq: count("above_seq").notNull(),
    sinceMs: count("since_ms").notNull(),
    setBy: text("set_by").notNull(),
    setByDevice: text("set_by_device").notNull(),
    setAtMs: count("set_at_ms").notNull(),
  },
  (table) => [primaryKey({ columns: [table.namespaceId, table.deviceId] })],
);

/** People. */
export const users = tidemark.table("users", {
  id: text("id").primaryKey(),
  name: text("name").notNull(),
  /** Whether they own the server: its claim made them, and they see all of its audit (AD4). */
  isOwner: boolean("is_owner").notNull().default(false),
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
    /**
     * `active`, `revoked`, or `machine`: an active one of kind `ci`. A server of before fleets knows
     * `active` alone and would give a machine all that its person may, so it must not read that.
     */
    status: text("status").notNull(),
    mac: text("mac"),
    linkId: text("link_id"),
    /** `person`; `ci`: one that a link for fleets let in; `browser`: the actor of an identity. */
    kind: text("kind").notNull().default("person"),
    /** The one namespace that it may use, and the most it may do there; null: as its person. */
    onlyNamespaceId: text("only_namespace_id"),
    roleMax: text("role_max"),
    /** The networks that it is let in from, parted by blanks; null: from anywhere. */
    networks: text("networks"),
    /** Whether it is gone a day after it was last heard of (PR17). */
    ephemeral: boolean("ephemeral").notNull().default(false),
    /** Its key for wraps, as its own key signed it; null: it knows no encrypted namespaces. */
    sealingKey: text("sealing_key"),
    /** The highest counter that an assertion of its key has shown (AU16). */
    counter: count("counter").notNull().default(0),
    pairedAtMs: count("paired_at_ms").notNull(),
    lastSeenAtMs: count("last_seen_at_ms"),
  },
  (table) => [
    uniqueIndex("devices_thumbprint").on(table.thumbprint),
    index("devices_user").on(table.userId),
    index("devices_link").on(table.linkId),
    index("devices_ephemeral")
      .on(table.pairedAtMs)
      .where(sql`ephemeral and status <> 'revoked'`),
  ],
);

/**
 * One-time links, of whose secrets only hashes are kept; and rules by which jobs of a CI service come
 * in without any (PR15), whose hash is one of nothing.
 */
export const links = tidemark.table(
  "links",
  {
    id: text("id").primaryKey(),
    kind: text("kind").notNull(),
    authHash: text("auth_hash").notNull(),
    createdBy: text("created_by").notNull(),
    createdByDevice: text("created_by_device").notNull(),
    namespaceId: text("namespace_id"),
    role: text("role"),
    expiresAtMs: count("expires_at_ms").notNull(),
    /** How many devices it may let in, and how many it did. */
    usesMax: integer("uses_max").notNull().default(1),
    uses: integer("uses").notNull().default(0),
    /**
     * When it was last used; set from the start for machines and for invites that wait, and when a
     * link is revoked, so that a server that knows nothing of uses, of waiting and of revoking takes
     * none of them for one that opens.
     */
    usedAtMs: count("used_at_ms"),
    /** The networks that it opens from, parted by blanks; null: from anywhere. */
    networks: text("networks"),
    revokedAtMs: count("revoked_at_ms"),
    /** Whether who opens this invite waits for an admin's word, and for whom it was made (NS24). */
    confirm: boolean("confirm").notNull().default(false),
    madeFor: text("made_for"),
    /** Whether its machines are gone a day after they were last heard of (PR17). */
    ephemeral: boolean("ephemeral").notNull().default(false),
    /** The jobs that it takes: all that is not null has to be the same in their tokens. */
    jobProvider: text("job_provider"),
    jobIssuer: text("job_issuer"),
    jobRepository: text("job_repository"),
    /** The repository's number at the service; that of its first job where nobody said it. */
    jobRepositoryId: text("job_repository_id"),
    jobRef: text("job_ref"),
    jobEnvironment: text("job_environment"),
  },
  (table) => [
    index("links_job")
      .on(table.jobIssuer, sql`lower(${table.jobRepository})`)
      .where(sql`job_issuer is not null`),
  ],
);

/** Tokens of jobs that have let a machine in, until they expire (PR16); of each only a hash is kept. */
export const jobTokens = tidemark.table(
  "job_tokens",
  {
    hash: text("hash").primaryKey(),
    /** What it let in: asking again with the same key is no second use. */
    deviceId: text("device_id").notNull(),
    expiresAtMs: count("expires_at_ms").notNull(),
  },
  (table) => [index("job_tokens_expiry").on(table.expiresAtMs)],
);

/** Sign-in links and sessions of the console, by device; of their secrets only hashes are kept (CO1). */
export const consoleKeys = tidemark.table(
  "console_keys",
  {
    hash: text("hash").primaryKey(),
    /** `link`, which opens once, or `session`. */
    kind: text("kind").notNull(),
    deviceId: text("device_id").notNull(),
    madeAtMs: count("made_at_ms").notNull(),
    seenAtMs: count("seen_at_ms").notNull(),
    endsAtMs: count("ends_at_ms").notNull(),
  },
  (table) => [
    index("console_keys_device").on(table.deviceId),
    index("console_keys_end").on(table.endsAtMs),
  ],
);

/**
 * Accounts at a provider of OpenID Connect, by what cannot be changed there (CO10), and the actor
 * that stands for each among the devices.
 */
export const identities = tidemark.table(
  "identities",
  {
    issuer: text("issuer").notNull(),
    subject: text("subject").notNull(),
    deviceId: text("device_id").notNull(),
    connectedAtMs: count("connected_at_ms").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.issuer, table.subject] }),
    uniqueIndex("identities_device").on(table.deviceId),
  ],
);

/** Sign-ins that a browser has begun at the provider, by the hash of their `state`, each taken once. */
export const oidcFlows = tidemark.table(
  "oidc_flows",
  {
    stateHash: text("state_hash").primaryKey(),
    /** The session that asked to be connected; null: somebody signs in. */
    sessionHash: text("session_hash"),
    endsAtMs: count("ends_at_ms").notNull(),
  },
  (table) => [index("oidc_flows_end").on(table.endsAtMs)],
);

/**
 * Devices that show a code and wait for somebody's yes (PR1). The code is gone once it is decided;
 * of what the device polls with only a hash is kept.
 */
export const pairings = tidemark.table(
  "pairings",
  {
    id: text("id").primaryKey(),
    pollHash: text("poll_hash").notNull(),
    code: text("code"),
    name: text("name").notNull(),
    platform: text("platform").notNull(),
    publicKey: text("public_key").notNull(),
    thumbprint: text("thumbprint").notNull(),
    /** Binds key, name and server to the half of the code that no server sees (PR3). */
    mac: text("mac").notNull(),
    salt: text("salt").notNull(),
    network: text("network").notNull(),
    status: text("status").notNull(),
    createdAtMs: count("created_at_ms").notNull(),
    expiresAtMs: count("expires_at_ms").notNull(),
    decidedBy: text("decided_by"),
    decidedByDevice: text("decided_by_device"),
    deviceId: text("device_id"),
  },
  (table) => [
    uniqueIndex("pairings_code")
      .on(table.code)
      .where(sql`code is not null`),
    index("pairings_expiry").on(table.expiresAtMs),
  ],
);

/** How often something was tried in vain; in the database, so that a restart forgives nothing (PR6). */
export const attempts = tidemark.table("attempts", {
  /** What is counted, such as `approve:<user>`. */
  what: text("what").primaryKey(),
  count: integer("count").notNull(),
  windowEndsAtMs: count("window_ends_at_ms").notNull(),
  lockedUntilMs: count("locked_until_ms").notNull().default(0),
});

/**
 * Who did what, from where. Rows are added and never changed: the role that serves requests may
 * not, and each row's hash covers the one before it (AD1).
 */
export const audit = tidemark.table(
  "audit",
  {
    seq: count("seq").primaryKey(),
    atMs: count("at_ms").notNull(),
    event: text("event").notNull(),
    actorUser: text("actor_user"),
    actorDevice: text("actor_device"),
    /** Whose devices are told, where it is about a person's own. */
    aboutUser: text("about_user"),
    namespaceId: text("namespace_id"),
    /** The id of the device, person, link or key that it happened to. */
    target: text("target"),
    network: text("network"),
    /** Canonical JSON; no secret, no content. */
    details: text("details").notNull(),
    hash: text("hash").notNull(),
  },
  (table) => [
    index("audit_about").on(table.aboutUser, table.seq),
    index("audit_actor").on(table.actorUser, table.seq),
    index("audit_namespace").on(table.namespaceId, table.seq),
  ],
);

/** Where the audit ends: one row, whose lock makes it one chain. */
export const auditHead = tidemark.table(
  "audit_head",
  {
    singleton: boolean("singleton").primaryKey(),
    seq: count("seq").notNull(),
    hash: text("hash").notNull(),
  },
  (table) => [check("audit_head_singleton", sql`${table.singleton}`)],
);

/**
 * Keys that sign access tokens. `active` is a key in plain of a server of before; ours are `next`,
 * `signing` and `retiring`, with the public key in `jwk` and the private one in `sealed`.
 */
export const signingKeys = tidemark.table(
  "signing_keys",
  {
    kid: text("kid").primaryKey(),
    jwk: text("jwk").notNull(),
    status: text("status").notNull(),
    createdAtMs: count("created_at_ms").notNull(),
    sealed: text("sealed"),
    master: text("master"),
    untilMs: count("until_ms"),
  },
  (table) => [
    uniqueIndex("signing_keys_active")
      .on(table.status)
      .where(sql`status = 'active'`),
    uniqueIndex("signing_keys_signing")
      .on(table.master, table.status)
      .where(sql`status in ('next', 'signing')`),
  ],
);

/** The server itself: one row. */
export const server = tidemark.table(
  "server",
  {
    singleton: boolean("singleton").primaryKey(),
    id: text("id").notNull(),
    claimedAtMs: count("claimed_at_ms"),
    nonceKey: text("nonce_key"),
  },
  (table) => [check("server_singleton", sql`${table.singleton}`)],
);

/** Hashes of the secrets that make the owner; empty once there is one (AU1). */
export const setupSecrets = tidemark.table("setup_secrets", {
  secretHash: text("secret_hash").primaryKey(),
  expiresAtMs: count("expires_at_ms").notNull(),
});
