CREATE TABLE "tidemark"."setup_secrets" (
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
