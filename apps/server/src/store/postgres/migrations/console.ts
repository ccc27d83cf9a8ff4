import type { Migration } from "./index.ts";

/** What the console needs. */
export const consoleMigration: Migration = {
  id: "0013_console",
  sql: `CREATE TABLE "tidemark"."console_keys" (
	"hash" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"device_id" text NOT NULL,
	"made_at_ms" bigint NOT NULL,
	"seen_at_ms" bigint NOT NULL,
	"ends_at_ms" bigint NOT NULL
);
--> statement-breakpoint
CREATE INDEX "console_keys_device" ON "tidemark"."console_keys" USING btree ("device_id");--> statement-breakpoint
CREATE INDEX "console_keys_end" ON "tidemark"."console_keys" USING btree ("ends_at_ms");--> statement-breakpoint
CREATE INDEX "records_conflicts" ON "tidemark"."records" USING btree ("namespace_id","seq") WHERE collection = 'conflict' and not forgotten;`,
};
