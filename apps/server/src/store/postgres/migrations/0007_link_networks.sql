ALTER TABLE "tidemark"."devices" ADD COLUMN "networks" text;--> statement-breakpoint
ALTER TABLE "tidemark"."links" ADD COLUMN "networks" text;