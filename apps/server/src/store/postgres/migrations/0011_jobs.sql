CREATE TABLE "tidemark"."job_tokens" (
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
CREATE INDEX "links_job" ON "tidemark"."links" USING btree ("job_issuer",lower("job_repository")) WHERE job_issuer is not null;