CREATE TABLE "tidemark"."attempts" (
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
