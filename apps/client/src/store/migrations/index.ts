import type { Migration } from "../migrate.ts";

/** The .sql files beside this one as text, so that they can be bundled; a test renders it. */
export const migrations: readonly Migration[] = [
  {
    id: "0000_start",
    sql: `CREATE TABLE \`agent_events\` (
	\`id\` integer PRIMARY KEY NOT NULL,
	\`key\` text NOT NULL,
	\`session\` text NOT NULL,
	\`at\` integer NOT NULL,
	\`payload\` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX \`agent_events_key\` ON \`agent_events\` (\`session\`,\`key\`);--> statement-breakpoint
CREATE INDEX \`agent_events_at\` ON \`agent_events\` (\`at\`);--> statement-breakpoint
CREATE TABLE \`bindings\` (
	\`project\` text PRIMARY KEY NOT NULL,
	\`namespace\` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE \`injections\` (
	\`session\` text NOT NULL,
	\`record\` text NOT NULL,
	\`at\` integer NOT NULL,
	PRIMARY KEY(\`session\`, \`record\`)
);
--> statement-breakpoint
CREATE TABLE \`meta\` (
	\`key\` text PRIMARY KEY NOT NULL,
	\`value\` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE \`observations\` (
	\`id\` integer PRIMARY KEY NOT NULL,
	\`namespace\` text NOT NULL,
	\`record\` text NOT NULL,
	\`kind\` text NOT NULL,
	\`project\` text,
	\`session\` text,
	\`origin\` text NOT NULL,
	\`pinned\` integer NOT NULL,
	\`archived\` integer NOT NULL,
	\`superseded_by\` text,
	\`text_hash\` text NOT NULL,
	\`created_at\` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX \`observations_record\` ON \`observations\` (\`namespace\`,\`record\`);--> statement-breakpoint
CREATE INDEX \`observations_created\` ON \`observations\` (\`created_at\`);--> statement-breakpoint
CREATE INDEX \`observations_project\` ON \`observations\` (\`project\`,\`created_at\`);--> statement-breakpoint
CREATE INDEX \`observations_session\` ON \`observations\` (\`session\`);--> statement-breakpoint
CREATE TABLE \`outbox\` (
	\`namespace\` text NOT NULL,
	\`writer\` text NOT NULL,
	\`n\` integer NOT NULL,
	\`record\` text NOT NULL,
	\`parent\` text,
	\`collection\` text NOT NULL,
	\`op\` text NOT NULL,
	\`lamport\` integer NOT NULL,
	\`line\` text NOT NULL,
	\`chain\` text NOT NULL,
	\`state\` text NOT NULL,
	\`code\` text,
	\`reissued\` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(\`namespace\`, \`writer\`, \`n\`)
);
--> statement-breakpoint
CREATE INDEX \`outbox_record\` ON \`outbox\` (\`namespace\`,\`record\`);--> statement-breakpoint
CREATE INDEX \`outbox_parent\` ON \`outbox\` (\`namespace\`,\`parent\`);--> statement-breakpoint
CREATE TABLE \`past\` (
	\`namespace\` text NOT NULL,
	\`record\` text NOT NULL,
	\`field\` text NOT NULL,
	\`lamport\` integer NOT NULL,
	\`writer\` text NOT NULL,
	\`hash\` text NOT NULL,
	\`value\` text NOT NULL,
	\`at\` integer NOT NULL,
	PRIMARY KEY(\`namespace\`, \`record\`, \`field\`, \`lamport\`, \`writer\`, \`hash\`)
);
--> statement-breakpoint
CREATE TABLE \`records\` (
	\`namespace\` text NOT NULL,
	\`id\` text NOT NULL,
	\`collection\` text NOT NULL,
	\`parent\` text,
	\`seq\` integer,
	\`lamport\` integer NOT NULL,
	\`writer\` text NOT NULL,
	\`at\` integer NOT NULL,
	\`fields\` text NOT NULL,
	\`clocks\` text,
	\`forgotten\` integer NOT NULL,
	\`digest\` text NOT NULL,
	PRIMARY KEY(\`namespace\`, \`id\`)
);
--> statement-breakpoint
CREATE INDEX \`records_parent\` ON \`records\` (\`namespace\`,\`parent\`);--> statement-breakpoint
CREATE INDEX \`records_collection\` ON \`records\` (\`namespace\`,\`collection\`);--> statement-breakpoint
CREATE TABLE \`replicas\` (
	\`namespace\` text PRIMARY KEY NOT NULL,
	\`name\` text NOT NULL,
	\`kind\` text NOT NULL,
	\`role\` text,
	\`server\` text,
	\`status\` text NOT NULL,
	\`writer\` text,
	\`made\` integer DEFAULT 0 NOT NULL,
	\`chain\` text DEFAULT '' NOT NULL,
	\`acked\` integer DEFAULT 0 NOT NULL,
	\`acked_chain\` text DEFAULT '' NOT NULL,
	\`lamport\` integer DEFAULT 0 NOT NULL,
	\`cursor\` text DEFAULT '' NOT NULL,
	\`head\` integer DEFAULT 0 NOT NULL,
	\`digest\` text NOT NULL,
	\`count\` integer DEFAULT 0 NOT NULL,
	\`heal_why\` text,
	\`verified\` integer DEFAULT 0 NOT NULL,
	\`notice\` text,
	\`synced_at\` integer
);
--> statement-breakpoint
CREATE TABLE \`writers\` (
	\`namespace\` text NOT NULL,
	\`writer\` text NOT NULL,
	\`own\` integer DEFAULT 0 NOT NULL,
	\`device\` text,
	\`device_name\` text,
	\`user\` text,
	\`user_name\` text,
	PRIMARY KEY(\`namespace\`, \`writer\`)
);
`,
  },
  {
    id: "0001_search",
    sql: `-- Full-text index over the observations in view; a row's id is the one in \`observations\`.
-- Contentless: the text stands in the records alone.
CREATE VIRTUAL TABLE search USING fts5(
  title, text, tags,
  content = '', contentless_delete = 1, tokenize = 'porter unicode61'
);
--> statement-breakpoint
-- What is forgotten leaves the index at once, not when its segments are merged one day.
INSERT INTO search (search, rank) VALUES ('secure-delete', 1);
`,
  },
  {
    id: "0002_first_namespaces",
    sql: `-- The namespace that never leaves the device, and the personal one as it is before pairing.
INSERT INTO replicas (namespace, name, kind, status, digest)
VALUES
  ('local', 'local', 'local', 'active', '0000000000000000'),
  ('personal', 'personal', 'personal', 'unpaired', '0000000000000000');
`,
  },
  {
    id: "0003_in_order",
    sql: `-- A list reads its first rows from an index in the order of time, however many there are: one stretch
-- for each namespace and kind, of what is shown and of what is hidden. As many indexes as before.
DROP INDEX \`observations_created\`;--> statement-breakpoint
DROP INDEX \`observations_project\`;--> statement-breakpoint
DROP INDEX \`observations_session\`;--> statement-breakpoint
CREATE INDEX \`observations_created\` ON \`observations\` (\`namespace\`,(archived = 0 AND superseded_by IS NULL),\`kind\`,\`created_at\`);--> statement-breakpoint
CREATE INDEX \`observations_project\` ON \`observations\` (\`namespace\`,\`project\`,(archived = 0 AND superseded_by IS NULL),\`kind\`,\`created_at\`) WHERE project IS NOT NULL;--> statement-breakpoint
CREATE INDEX \`observations_session\` ON \`observations\` (\`session\`,\`created_at\`) WHERE session IS NOT NULL;
`,
  },
  {
    id: "0004_suspects",
    sql: `CREATE TABLE \`suspects\` (
	\`namespace\` text NOT NULL,
	\`device\` text NOT NULL,
	\`above\` integer NOT NULL,
	\`since\` integer NOT NULL,
	PRIMARY KEY(\`namespace\`, \`device\`)
);
`,
  },
  {
    id: "0005_machines",
    sql: `ALTER TABLE \`writers\` ADD \`machine\` integer;`,
  },
  {
    id: "0006_sealed",
    sql: `CREATE TABLE \`namespace_keys\` (
	\`namespace\` text NOT NULL,
	\`epoch\` integer NOT NULL,
	\`key\` text NOT NULL,
	PRIMARY KEY(\`namespace\`, \`epoch\`)
);
--> statement-breakpoint
CREATE TABLE \`namespace_logs\` (
	\`namespace\` text PRIMARY KEY NOT NULL,
	\`length\` integer NOT NULL,
	\`head\` text NOT NULL,
	\`epoch\` integer NOT NULL,
	\`name\` text,
	\`trouble\` text
);
`,
  },
  {
    id: "0007_joined",
    sql: `ALTER TABLE \`writers\` ADD \`joined_at\` integer;`,
  },
  {
    id: "0008_log_entries",
    sql: `ALTER TABLE \`namespace_logs\` ADD \`entries\` text;`,
  },
  {
    id: "0009_offered",
    sql: `ALTER TABLE \`replicas\` ADD \`offered\` integer;`,
  },
  {
    id: "0010_vectors",
    sql: `CREATE TABLE \`vectors\` (
	\`id\` integer PRIMARY KEY NOT NULL,
	\`model\` text NOT NULL,
	\`vector\` blob NOT NULL
);
`,
  },
  {
    id: "0011_pinned",
    sql: `CREATE INDEX \`observations_pinned\` ON \`observations\` (\`namespace\`,(archived = 0 AND superseded_by IS NULL),\`created_at\`) WHERE pinned = 1;`,
  },
  {
    id: "0012_own_writes",
    sql: `CREATE TABLE \`own_writes\` (
	\`namespace\` text NOT NULL,
	\`record\` text NOT NULL,
	\`field\` text NOT NULL,
	\`lamport\` integer NOT NULL,
	PRIMARY KEY(\`namespace\`, \`record\`, \`field\`)
);
`,
  },
  {
    id: "0013_own_write_clocks",
    sql: `PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE \`__new_own_writes\` (
	\`namespace\` text NOT NULL,
	\`record\` text NOT NULL,
	\`field\` text NOT NULL,
	\`lamport\` integer NOT NULL,
	PRIMARY KEY(\`namespace\`, \`record\`, \`field\`, \`lamport\`)
);
--> statement-breakpoint
INSERT INTO \`__new_own_writes\`("namespace", "record", "field", "lamport") SELECT "namespace", "record", "field", "lamport" FROM \`own_writes\`;--> statement-breakpoint
DROP TABLE \`own_writes\`;--> statement-breakpoint
ALTER TABLE \`__new_own_writes\` RENAME TO \`own_writes\`;--> statement-breakpoint
PRAGMA foreign_keys=ON;`,
  },
];
