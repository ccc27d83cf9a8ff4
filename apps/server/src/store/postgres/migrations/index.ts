import { codePointsMigration } from "./code-points.ts";
import { consoleMigration } from "./console.ts";
import { oidcMigration } from "./oidc.ts";
import { sealedMigration } from "./sealed.ts";

/** One step of the schema; ids rise. */
export interface Migration {
  readonly id: string;
  readonly sql: string;
}

/**
 * Every migration as text, so that a bundle carries them. Equal to the `.sql` files beside this
 * module, which drizzle-kit writes; a test says so.
 */
export const migrations: readonly Migration[] = [
  {
    id: "0000_tables",
    sql: `CREATE SCHEMA IF NOT EXISTS "tidemark";
--> statement-breakpoint
CREATE TABLE "tidemark"."devices" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"name" text NOT NULL,
	"platform" text NOT NULL,
	"public_key" text NOT NULL,
	"thumbprint" text NOT NULL,
	"status" text NOT NULL,
	"mac" text,
	"link_id" text,
	"paired_at_ms" bigint NOT NULL,
	"last_seen_at_ms" bigint
);
--> statement-breakpoint
CREATE TABLE "tidemark"."links" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"auth_hash" text NOT NULL,
	"created_by" text NOT NULL,
	"created_by_device" text NOT NULL,
	"namespace_id" text,
	"role" text,
	"expires_at_ms" bigint NOT NULL,
	"used_at_ms" bigint
);
--> statement-breakpoint
CREATE TABLE "tidemark"."marks" (
	"namespace_id" text NOT NULL,
	"head" bigint NOT NULL,
	"mark" text NOT NULL,
	"created_at_ms" bigint NOT NULL,
	CONSTRAINT "marks_namespace_id_head_pk" PRIMARY KEY("namespace_id","head")
);
--> statement-breakpoint
CREATE TABLE "tidemark"."members" (
	"namespace_id" text NOT NULL,
	"user_id" text NOT NULL,
	"role" text NOT NULL,
	"joined_at_ms" bigint NOT NULL,
	CONSTRAINT "members_namespace_id_user_id_pk" PRIMARY KEY("namespace_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "tidemark"."namespaces" (
	"namespace_id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"kind" text NOT NULL,
	"head" bigint NOT NULL,
	"mark" text NOT NULL,
	"lamport" bigint NOT NULL,
	"digest" bigint NOT NULL,
	"count" bigint NOT NULL,
	"live_count" bigint NOT NULL,
	"live_bytes" bigint NOT NULL,
	"created_at_ms" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tidemark"."records" (
	"namespace_id" text NOT NULL,
	"id" text NOT NULL,
	"collection" text NOT NULL,
	"parent" text,
	"seq" bigint NOT NULL,
	"lamport" bigint,
	"writer" text,
	"at" bigint,
	"fields" text,
	"clocks" text,
	"forgotten" boolean NOT NULL,
	"bucket" smallint NOT NULL,
	"digest" bigint NOT NULL,
	"bytes" integer NOT NULL,
	"via" text,
	CONSTRAINT "records_namespace_id_id_pk" PRIMARY KEY("namespace_id","id")
);
--> statement-breakpoint
CREATE TABLE "tidemark"."revisions" (
	"namespace_id" text NOT NULL,
	"record_id" text NOT NULL,
	"field" text NOT NULL,
	"value" text NOT NULL,
	"lamport" bigint NOT NULL,
	"writer" text NOT NULL,
	"at" bigint NOT NULL,
	"hash" text NOT NULL,
	"replaced_by_lamport" bigint NOT NULL,
	"replaced_by_writer" text NOT NULL,
	"via" text,
	"created_at_ms" bigint NOT NULL,
	CONSTRAINT "revisions_namespace_id_record_id_field_lamport_writer_hash_pk" PRIMARY KEY("namespace_id","record_id","field","lamport","writer","hash")
);
--> statement-breakpoint
CREATE TABLE "tidemark"."server" (
	"singleton" boolean PRIMARY KEY NOT NULL,
	"id" text NOT NULL,
	"claimed_at_ms" bigint,
	"setup_secret_hash" text,
	"setup_expires_at_ms" bigint,
	CONSTRAINT "server_singleton" CHECK ("tidemark"."server"."singleton")
);
--> statement-breakpoint
CREATE TABLE "tidemark"."signing_keys" (
	"kid" text PRIMARY KEY NOT NULL,
	"jwk" text NOT NULL,
	"status" text NOT NULL,
	"created_at_ms" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tidemark"."users" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"created_at_ms" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tidemark"."writers" (
	"namespace_id" text NOT NULL,
	"writer" text NOT NULL,
	"device_id" text NOT NULL,
	"acked" bigint NOT NULL,
	"chain" text NOT NULL,
	"since" bigint NOT NULL,
	"results" text NOT NULL,
	CONSTRAINT "writers_namespace_id_writer_pk" PRIMARY KEY("namespace_id","writer")
);
--> statement-breakpoint
ALTER TABLE "tidemark"."devices" ADD CONSTRAINT "devices_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "tidemark"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "devices_thumbprint" ON "tidemark"."devices" USING btree ("thumbprint");--> statement-breakpoint
CREATE INDEX "devices_user" ON "tidemark"."devices" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "members_user" ON "tidemark"."members" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "records_seq" ON "tidemark"."records" USING btree ("namespace_id","seq");--> statement-breakpoint
CREATE INDEX "records_parent" ON "tidemark"."records" USING btree ("namespace_id","parent") WHERE parent is not null and not forgotten;--> statement-breakpoint
CREATE INDEX "records_bucket" ON "tidemark"."records" USING btree ("namespace_id","bucket");--> statement-breakpoint
CREATE INDEX "revisions_age" ON "tidemark"."revisions" USING btree ("namespace_id","created_at_ms");--> statement-breakpoint
CREATE UNIQUE INDEX "signing_keys_active" ON "tidemark"."signing_keys" USING btree ("status") WHERE status = 'active';`,
  },
  {
    id: "0001_walls",
    sql: `-- Ids are ASCII and compared by code point, on every machine alike.
ALTER TABLE "tidemark"."records" ALTER COLUMN "namespace_id" TYPE text COLLATE "C", ALTER COLUMN "id" TYPE text COLLATE "C", ALTER COLUMN "parent" TYPE text COLLATE "C";
--> statement-breakpoint
ALTER TABLE "tidemark"."revisions" ALTER COLUMN "namespace_id" TYPE text COLLATE "C", ALTER COLUMN "record_id" TYPE text COLLATE "C", ALTER COLUMN "field" TYPE text COLLATE "C", ALTER COLUMN "writer" TYPE text COLLATE "C";
--> statement-breakpoint
ALTER TABLE "tidemark"."writers" ALTER COLUMN "namespace_id" TYPE text COLLATE "C", ALTER COLUMN "writer" TYPE text COLLATE "C";
--> statement-breakpoint
ALTER TABLE "tidemark"."marks" ALTER COLUMN "namespace_id" TYPE text COLLATE "C";
--> statement-breakpoint
ALTER TABLE "tidemark"."namespaces" ALTER COLUMN "namespace_id" TYPE text COLLATE "C";
--> statement-breakpoint
-- The second wall between tenants: without the namespace that the one door sets, no row exists.
ALTER TABLE "tidemark"."records" ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE "tidemark"."records" FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY "records_namespace" ON "tidemark"."records"
  USING (namespace_id = nullif(current_setting('tidemark.namespace_id', true), ''))
  WITH CHECK (namespace_id = nullif(current_setting('tidemark.namespace_id', true), ''));
--> statement-breakpoint
ALTER TABLE "tidemark"."revisions" ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE "tidemark"."revisions" FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY "revisions_namespace" ON "tidemark"."revisions"
  USING (namespace_id = nullif(current_setting('tidemark.namespace_id', true), ''))
  WITH CHECK (namespace_id = nullif(current_setting('tidemark.namespace_id', true), ''));
--> statement-breakpoint
ALTER TABLE "tidemark"."marks" ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE "tidemark"."marks" FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY "marks_namespace" ON "tidemark"."marks"
  USING (namespace_id = nullif(current_setting('tidemark.namespace_id', true), ''))
  WITH CHECK (namespace_id = nullif(current_setting('tidemark.namespace_id', true), ''));
--> statement-breakpoint
ALTER TABLE "tidemark"."writers" ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE "tidemark"."writers" FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY "writers_namespace" ON "tidemark"."writers"
  USING (namespace_id = nullif(current_setting('tidemark.namespace_id', true), ''))
  WITH CHECK (namespace_id = nullif(current_setting('tidemark.namespace_id', true), ''));
`,
  },
  {
    id: "0002_author",
    sql: `ALTER TABLE "tidemark"."records" ADD COLUMN "author" text;`,
  },
  {
    id: "0003_setup_secrets",
    sql: `CREATE TABLE "tidemark"."setup_secrets" (
	"secret_hash" text PRIMARY KEY NOT NULL,
	"expires_at_ms" bigint NOT NULL
);
--> statement-breakpoint
-- A link that was printed before the update still opens the server.
INSERT INTO "tidemark"."setup_secrets" ("secret_hash", "expires_at_ms")
  SELECT "setup_secret_hash", "setup_expires_at_ms" FROM "tidemark"."server"
  WHERE "claimed_at_ms" IS NULL AND "setup_secret_hash" IS NOT NULL;
--> statement-breakpoint
ALTER TABLE "tidemark"."devices" ADD COLUMN "joined_name" text;
--> statement-breakpoint
-- The nearest that is known of devices that joined before.
UPDATE "tidemark"."devices" SET "joined_name" = "name";
--> statement-breakpoint
ALTER TABLE "tidemark"."devices" ALTER COLUMN "joined_name" SET NOT NULL;
--> statement-breakpoint
CREATE INDEX "devices_link" ON "tidemark"."devices" USING btree ("link_id");
--> statement-breakpoint
ALTER TABLE "tidemark"."server" DROP COLUMN "setup_secret_hash";
--> statement-breakpoint
ALTER TABLE "tidemark"."server" DROP COLUMN "setup_expires_at_ms";
`,
  },
  {
    id: "0004_identity",
    sql: `CREATE TABLE "tidemark"."attempts" (
	"what" text PRIMARY KEY NOT NULL,
	"count" integer NOT NULL,
	"window_ends_at_ms" bigint NOT NULL,
	"locked_until_ms" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tidemark"."audit" (
	"seq" bigint PRIMARY KEY NOT NULL,
	"at_ms" bigint NOT NULL,
	"event" text NOT NULL,
	"actor_user" text,
	"actor_device" text,
	"about_user" text,
	"namespace_id" text,
	"target" text,
	"network" text,
	"details" text NOT NULL,
	"hash" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tidemark"."audit_head" (
	"singleton" boolean PRIMARY KEY NOT NULL,
	"seq" bigint NOT NULL,
	"hash" text NOT NULL,
	CONSTRAINT "audit_head_singleton" CHECK ("tidemark"."audit_head"."singleton")
);
--> statement-breakpoint
CREATE TABLE "tidemark"."pairings" (
	"id" text PRIMARY KEY NOT NULL,
	"poll_hash" text NOT NULL,
	"code" text,
	"name" text NOT NULL,
	"platform" text NOT NULL,
	"public_key" text NOT NULL,
	"thumbprint" text NOT NULL,
	"mac" text NOT NULL,
	"salt" text NOT NULL,
	"network" text NOT NULL,
	"status" text NOT NULL,
	"created_at_ms" bigint NOT NULL,
	"expires_at_ms" bigint NOT NULL,
	"decided_by" text,
	"decided_by_device" text,
	"device_id" text
);
--> statement-breakpoint
ALTER TABLE "tidemark"."devices" ADD COLUMN "kind" text DEFAULT 'person' NOT NULL;--> statement-breakpoint
ALTER TABLE "tidemark"."devices" ADD COLUMN "only_namespace_id" text;--> statement-breakpoint
ALTER TABLE "tidemark"."devices" ADD COLUMN "role_max" text;--> statement-breakpoint
ALTER TABLE "tidemark"."devices" ADD COLUMN "counter" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "tidemark"."links" ADD COLUMN "uses_max" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "tidemark"."links" ADD COLUMN "uses" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "tidemark"."links" ADD COLUMN "revoked_at_ms" bigint;--> statement-breakpoint
ALTER TABLE "tidemark"."users" ADD COLUMN "is_owner" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "audit_about" ON "tidemark"."audit" USING btree ("about_user","seq");--> statement-breakpoint
CREATE INDEX "audit_actor" ON "tidemark"."audit" USING btree ("actor_user","seq");--> statement-breakpoint
CREATE INDEX "audit_namespace" ON "tidemark"."audit" USING btree ("namespace_id","seq");--> statement-breakpoint
CREATE UNIQUE INDEX "pairings_code" ON "tidemark"."pairings" USING btree ("code") WHERE code is not null;--> statement-breakpoint
CREATE INDEX "pairings_expiry" ON "tidemark"."pairings" USING btree ("expires_at_ms");
--> statement-breakpoint
-- Links that were used while they opened once.
UPDATE "tidemark"."links" SET "uses" = 1 WHERE "used_at_ms" IS NOT NULL;
--> statement-breakpoint
-- Who claimed the server before it knew the word.
UPDATE "tidemark"."users" SET "is_owner" = true WHERE "id" = (
  SELECT "id" FROM "tidemark"."users" ORDER BY "created_at_ms", "id" LIMIT 1);
--> statement-breakpoint
INSERT INTO "tidemark"."audit_head" ("singleton", "seq", "hash") VALUES (true, 0, '');
--> statement-breakpoint
-- What a grant of a server before this one cannot undo: rows of the audit are added and read.
ALTER TABLE "tidemark"."audit" ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY "audit_read" ON "tidemark"."audit" FOR SELECT USING (true);
--> statement-breakpoint
CREATE POLICY "audit_add" ON "tidemark"."audit" FOR INSERT WITH CHECK (true);
--> statement-breakpoint
ALTER TABLE "tidemark"."audit_head" ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY "audit_head_read" ON "tidemark"."audit_head" FOR SELECT USING (true);
--> statement-breakpoint
CREATE POLICY "audit_head_move" ON "tidemark"."audit_head" FOR UPDATE USING (true);
`,
  },
  {
    id: "0005_keys",
    sql: `ALTER TABLE "tidemark"."server" ADD COLUMN "nonce_key" text;--> statement-breakpoint
ALTER TABLE "tidemark"."signing_keys" ADD COLUMN "sealed" text;--> statement-breakpoint
ALTER TABLE "tidemark"."signing_keys" ADD COLUMN "master" text;--> statement-breakpoint
ALTER TABLE "tidemark"."signing_keys" ADD COLUMN "until_ms" bigint;--> statement-breakpoint
CREATE UNIQUE INDEX "signing_keys_signing" ON "tidemark"."signing_keys" USING btree ("master","status") WHERE status in ('next', 'signing');`,
  },
  {
    id: "0006_rights",
    sql: `CREATE TABLE "tidemark"."former_members" (
	"namespace_id" text NOT NULL,
	"user_id" text NOT NULL,
	"role" text NOT NULL,
	"joined_at_ms" bigint NOT NULL,
	CONSTRAINT "former_members_namespace_id_user_id_pk" PRIMARY KEY("namespace_id","user_id")
);
--> statement-breakpoint
ALTER TABLE "tidemark"."namespaces" ADD COLUMN "deleted_at_ms" bigint;--> statement-breakpoint
CREATE INDEX "former_members_user" ON "tidemark"."former_members" USING btree ("user_id");`,
  },
  {
    id: "0007_link_networks",
    sql: `ALTER TABLE "tidemark"."devices" ADD COLUMN "networks" text;--> statement-breakpoint
ALTER TABLE "tidemark"."links" ADD COLUMN "networks" text;`,
  },
  {
    id: "0008_device_days",
    sql: `ALTER TABLE "tidemark"."writers" ADD COLUMN "day" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "tidemark"."writers" ADD COLUMN "taken" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "writers_device" ON "tidemark"."writers" USING btree ("namespace_id","device_id");`,
  },
  {
    id: "0009_waiting",
    sql: `CREATE TABLE "tidemark"."waiting_members" (
	"namespace_id" text NOT NULL,
	"user_id" text NOT NULL,
	"role" text NOT NULL,
	"invited_by" text NOT NULL,
	"made_for" text,
	"device_id" text NOT NULL,
	"network" text,
	"since_ms" bigint NOT NULL,
	CONSTRAINT "waiting_members_namespace_id_user_id_pk" PRIMARY KEY("namespace_id","user_id")
);
--> statement-breakpoint
ALTER TABLE "tidemark"."links" ADD COLUMN "confirm" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "tidemark"."links" ADD COLUMN "made_for" text;--> statement-breakpoint
CREATE INDEX "waiting_members_user" ON "tidemark"."waiting_members" USING btree ("user_id");`,
  },
  {
    id: "0010_suspects",
    sql: `CREATE TABLE "tidemark"."suspects" (
	"namespace_id" text NOT NULL,
	"device_id" text NOT NULL,
	"above_seq" bigint NOT NULL,
	"since_ms" bigint NOT NULL,
	"set_by" text NOT NULL,
	"set_by_device" text NOT NULL,
	"set_at_ms" bigint NOT NULL,
	CONSTRAINT "suspects_namespace_id_device_id_pk" PRIMARY KEY("namespace_id","device_id")
);
`,
  },
  {
    id: "0011_jobs",
    sql: `CREATE TABLE "tidemark"."job_tokens" (
	"hash" text PRIMARY KEY NOT NULL,
	"device_id" text NOT NULL,
	"expires_at_ms" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "tidemark"."devices" ADD COLUMN "ephemeral" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "tidemark"."links" ADD COLUMN "ephemeral" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "tidemark"."links" ADD COLUMN "job_provider" text;--> statement-breakpoint
ALTER TABLE "tidemark"."links" ADD COLUMN "job_issuer" text;--> statement-breakpoint
ALTER TABLE "tidemark"."links" ADD COLUMN "job_repository" text;--> statement-breakpoint
ALTER TABLE "tidemark"."links" ADD COLUMN "job_repository_id" text;--> statement-breakpoint
ALTER TABLE "tidemark"."links" ADD COLUMN "job_ref" text;--> statement-breakpoint
ALTER TABLE "tidemark"."links" ADD COLUMN "job_environment" text;--> statement-breakpoint
CREATE INDEX "job_tokens_expiry" ON "tidemark"."job_tokens" USING btree ("expires_at_ms");--> statement-breakpoint
CREATE INDEX "devices_ephemeral" ON "tidemark"."devices" USING btree ("paired_at_ms") WHERE ephemeral and status <> 'revoked';--> statement-breakpoint
CREATE INDEX "links_job" ON "tidemark"."links" USING btree ("job_issuer",lower("job_repository")) WHERE job_issuer is not null;`,
  },
  sealedMigration,
  consoleMigration,
  oidcMigration,
  codePointsMigration,
];
