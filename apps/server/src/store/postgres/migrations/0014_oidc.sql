CREATE TABLE "tidemark"."identities" (
	"issuer" text NOT NULL,
	"subject" text NOT NULL,
	"device_id" text NOT NULL,
	"connected_at_ms" bigint NOT NULL,
	CONSTRAINT "identities_issuer_subject_pk" PRIMARY KEY("issuer","subject")
);
--> statement-breakpoint
CREATE TABLE "tidemark"."oidc_flows" (
	"state_hash" text PRIMARY KEY NOT NULL,
	"session_hash" text,
	"ends_at_ms" bigint NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "identities_device" ON "tidemark"."identities" USING btree ("device_id");--> statement-breakpoint
CREATE INDEX "oidc_flows_end" ON "tidemark"."oidc_flows" USING btree ("ends_at_ms");