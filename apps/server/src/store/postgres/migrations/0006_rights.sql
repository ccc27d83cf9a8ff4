CREATE TABLE "tidemark"."former_members" (
	"namespace_id" text NOT NULL,
	"user_id" text NOT NULL,
	"role" text NOT NULL,
	"joined_at_ms" bigint NOT NULL,
	CONSTRAINT "former_members_namespace_id_user_id_pk" PRIMARY KEY("namespace_id","user_id")
);
--> statement-breakpoint
ALTER TABLE "tidemark"."namespaces" ADD COLUMN "deleted_at_ms" bigint;--> statement-breakpoint
CREATE INDEX "former_members_user" ON "tidemark"."former_members" USING btree ("user_id");