-- Ids are ASCII and compared by code point, on every machine alike.
ALTER TABLE "tidemark"."records" ALTER COLUMN "namespace_id" TYPE text COLLATE "C", ALTER COLUMN "id" TYPE text COLLATE "C", ALTER COLUMN "parent" TYPE text COLLATE "C";
--> statement-breakpoint
ALTER TABLE "tidemark"."revisions" ALTER COLUMN "namespace_id" TYPE text COLLATE "C", ALTER COLUMN "record_id" TYPE text COLLATE "C", ALTER COLUMN "field" TYPE text COLLATE "C", ALTER COLUMN "writer" TYPE text COLLATE "C";
--> statement-breakpoint
ALTER TABLE "tidemark"."writers" ALTER COLUMN "namespace_id" TYPE text COLLATE "C", ALTER COLUMN "writer" TYPE text COLLATE "C";
--> statement-breakpoint
ALTER TABLE "tidemark"."marks" ALTER COLUMN "namespace_id" TYPE text COLLATE "C";
--> statement-breakpoint
ALTER TABLE "tidemark"."namespaces" ALTER COLUMN "namespace_id" TYPE text COLLATE "C";
--> statement-breakpoint
-- The second wall between tenants: without the namespace that the one door sets, no row exists.
ALTER TABLE "tidemark"."records" ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE "tidemark"."records" FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY "records_namespace" ON "tidemark"."records"
  USING (namespace_id = nullif(current_setting('tidemark.namespace_id', true), ''))
  WITH CHECK (namespace_id = nullif(current_setting('tidemark.namespace_id', true), ''));
--> statement-breakpoint
ALTER TABLE "tidemark"."revisions" ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE "tidemark"."revisions" FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY "revisions_namespace" ON "tidemark"."revisions"
  USING (namespace_id = nullif(current_setting('tidemark.namespace_id', true), ''))
  WITH CHECK (namespace_id = nullif(current_setting('tidemark.namespace_id', true), ''));
--> statement-breakpoint
ALTER TABLE "tidemark"."marks" ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE "tidemark"."marks" FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY "marks_namespace" ON "tidemark"."marks"
  USING (namespace_id = nullif(current_setting('tidemark.namespace_id', true), ''))
  WITH CHECK (namespace_id = nullif(current_setting('tidemark.namespace_id', true), ''));
--> statement-breakpoint
ALTER TABLE "tidemark"."writers" ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE "tidemark"."writers" FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY "writers_namespace" ON "tidemark"."writers"
  USING (namespace_id = nullif(current_setting('tidemark.namespace_id', true), ''))
  WITH CHECK (namespace_id = nullif(current_setting('tidemark.namespace_id', true), ''));
