import type { Migration } from "./index.ts";

/** What encrypted namespaces need: a file of its own, as the list has grown long. */
export const sealedMigration: Migration = {
  id: "0012_sealed",
  sql: `CREATE TABLE "tidemark"."key_wraps" (
	"namespace_id" text NOT NULL,
	"recipient" text NOT NULL,
	"epoch" bigint NOT NULL,
	"wrap" text NOT NULL,
	CONSTRAINT "key_wraps_namespace_id_recipient_epoch_pk" PRIMARY KEY("namespace_id","recipient","epoch")
);
--> statement-breakpoint
CREATE TABLE "tidemark"."membership_log" (
	"namespace_id" text NOT NULL,
	"place" bigint NOT NULL,
	"entry" text NOT NULL,
	"epoch" bigint NOT NULL,
	"created_at_ms" bigint NOT NULL,
	CONSTRAINT "membership_log_namespace_id_place_pk" PRIMARY KEY("namespace_id","place")
);
--> statement-breakpoint
ALTER TABLE "tidemark"."devices" ADD COLUMN "sealing_key" text;
--> statement-breakpoint
ALTER TABLE "tidemark"."key_wraps" ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE "tidemark"."key_wraps" FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY "key_wraps_namespace" ON "tidemark"."key_wraps"
  USING (namespace_id = nullif(current_setting('tidemark.namespace_id', true), ''))
  WITH CHECK (namespace_id = nullif(current_setting('tidemark.namespace_id', true), ''));
--> statement-breakpoint
ALTER TABLE "tidemark"."membership_log" ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE "tidemark"."membership_log" FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY "membership_log_namespace" ON "tidemark"."membership_log"
  USING (namespace_id = nullif(current_setting('tidemark.namespace_id', true), ''))
  WITH CHECK (namespace_id = nullif(current_setting('tidemark.namespace_id', true), ''));
`,
};
