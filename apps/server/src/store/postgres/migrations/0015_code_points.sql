-- What an index holds is compared by code point, so that no update of the system's collations
-- leaves it out of order. This makes each index anew, one that was left so included.
DROP POLICY "key_wraps_namespace" ON "tidemark"."key_wraps";
--> statement-breakpoint
DROP POLICY "membership_log_namespace" ON "tidemark"."membership_log";
--> statement-breakpoint
ALTER TABLE "tidemark"."attempts" ALTER COLUMN "what" TYPE text COLLATE "C";
--> statement-breakpoint
ALTER TABLE "tidemark"."audit" ALTER COLUMN "about_user" TYPE text COLLATE "C", ALTER COLUMN "actor_user" TYPE text COLLATE "C", ALTER COLUMN "namespace_id" TYPE text COLLATE "C";
--> statement-breakpoint
ALTER TABLE "tidemark"."console_keys" ALTER COLUMN "hash" TYPE text COLLATE "C", ALTER COLUMN "device_id" TYPE text COLLATE "C";
--> statement-breakpoint
ALTER TABLE "tidemark"."devices" ALTER COLUMN "id" TYPE text COLLATE "C", ALTER COLUMN "user_id" TYPE text COLLATE "C", ALTER COLUMN "thumbprint" TYPE text COLLATE "C", ALTER COLUMN "link_id" TYPE text COLLATE "C";
--> statement-breakpoint
ALTER TABLE "tidemark"."former_members" ALTER COLUMN "namespace_id" TYPE text COLLATE "C", ALTER COLUMN "user_id" TYPE text COLLATE "C";
--> statement-breakpoint
ALTER TABLE "tidemark"."identities" ALTER COLUMN "issuer" TYPE text COLLATE "C", ALTER COLUMN "subject" TYPE text COLLATE "C", ALTER COLUMN "device_id" TYPE text COLLATE "C";
--> statement-breakpoint
ALTER TABLE "tidemark"."job_tokens" ALTER COLUMN "hash" TYPE text COLLATE "C";
--> statement-breakpoint
ALTER TABLE "tidemark"."key_wraps" ALTER COLUMN "namespace_id" TYPE text COLLATE "C", ALTER COLUMN "recipient" TYPE text COLLATE "C";
--> statement-breakpoint
ALTER TABLE "tidemark"."links" ALTER COLUMN "id" TYPE text COLLATE "C", ALTER COLUMN "job_issuer" TYPE text COLLATE "C", ALTER COLUMN "job_repository" TYPE text COLLATE "C";
--> statement-breakpoint
ALTER TABLE "tidemark"."membership_log" ALTER COLUMN "namespace_id" TYPE text COLLATE "C";
--> statement-breakpoint
ALTER TABLE "tidemark"."members" ALTER COLUMN "namespace_id" TYPE text COLLATE "C", ALTER COLUMN "user_id" TYPE text COLLATE "C";
--> statement-breakpoint
ALTER TABLE "tidemark"."migrations" ALTER COLUMN "id" TYPE text COLLATE "C";
--> statement-breakpoint
ALTER TABLE "tidemark"."oidc_flows" ALTER COLUMN "state_hash" TYPE text COLLATE "C";
--> statement-breakpoint
ALTER TABLE "tidemark"."pairings" ALTER COLUMN "id" TYPE text COLLATE "C", ALTER COLUMN "code" TYPE text COLLATE "C";
--> statement-breakpoint
ALTER TABLE "tidemark"."revisions" ALTER COLUMN "hash" TYPE text COLLATE "C";
--> statement-breakpoint
ALTER TABLE "tidemark"."setup_secrets" ALTER COLUMN "secret_hash" TYPE text COLLATE "C";
--> statement-breakpoint
ALTER TABLE "tidemark"."signing_keys" ALTER COLUMN "kid" TYPE text COLLATE "C", ALTER COLUMN "status" TYPE text COLLATE "C", ALTER COLUMN "master" TYPE text COLLATE "C";
--> statement-breakpoint
ALTER TABLE "tidemark"."suspects" ALTER COLUMN "namespace_id" TYPE text COLLATE "C", ALTER COLUMN "device_id" TYPE text COLLATE "C";
--> statement-breakpoint
ALTER TABLE "tidemark"."users" ALTER COLUMN "id" TYPE text COLLATE "C";
--> statement-breakpoint
ALTER TABLE "tidemark"."waiting_members" ALTER COLUMN "namespace_id" TYPE text COLLATE "C", ALTER COLUMN "user_id" TYPE text COLLATE "C";
--> statement-breakpoint
ALTER TABLE "tidemark"."writers" ALTER COLUMN "device_id" TYPE text COLLATE "C";
--> statement-breakpoint
CREATE POLICY "key_wraps_namespace" ON "tidemark"."key_wraps"
  USING (namespace_id = nullif(current_setting('tidemark.namespace_id', true), ''))
  WITH CHECK (namespace_id = nullif(current_setting('tidemark.namespace_id', true), ''));
--> statement-breakpoint
CREATE POLICY "membership_log_namespace" ON "tidemark"."membership_log"
  USING (namespace_id = nullif(current_setting('tidemark.namespace_id', true), ''))
  WITH CHECK (namespace_id = nullif(current_setting('tidemark.namespace_id', true), ''));
