ALTER TABLE "tidemark"."server" ADD COLUMN "nonce_key" text;--> statement-breakpoint
ALTER TABLE "tidemark"."signing_keys" ADD COLUMN "sealed" text;--> statement-breakpoint
ALTER TABLE "tidemark"."signing_keys" ADD COLUMN "master" text;--> statement-breakpoint
ALTER TABLE "tidemark"."signing_keys" ADD COLUMN "until_ms" bigint;--> statement-breakpoint
CREATE UNIQUE INDEX "signing_keys_signing" ON "tidemark"."signing_keys" USING btree ("master","status") WHERE status in ('next', 'signing');