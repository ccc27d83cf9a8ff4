CREATE TABLE "tidemark"."waiting_members" (
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
CREATE INDEX "waiting_members_user" ON "tidemark"."waiting_members" USING btree ("user_id");