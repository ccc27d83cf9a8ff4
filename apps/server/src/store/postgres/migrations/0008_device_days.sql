ALTER TABLE "tidemark"."writers" ADD COLUMN "day" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "tidemark"."writers" ADD COLUMN "taken" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "writers_device" ON "tidemark"."writers" USING btree ("namespace_id","device_id");