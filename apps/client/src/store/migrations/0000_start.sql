CREATE TABLE `agent_events` (
	`id` integer PRIMARY KEY NOT NULL,
	`key` text NOT NULL,
	`session` text NOT NULL,
	`at` integer NOT NULL,
	`payload` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `agent_events_key` ON `agent_events` (`session`,`key`);--> statement-breakpoint
CREATE INDEX `agent_events_at` ON `agent_events` (`at`);--> statement-breakpoint
CREATE TABLE `bindings` (
	`project` text PRIMARY KEY NOT NULL,
	`namespace` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `injections` (
	`session` text NOT NULL,
	`record` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`session`, `record`)
);
--> statement-breakpoint
CREATE TABLE `meta` (
	`key` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `observations` (
	`id` integer PRIMARY KEY NOT NULL,
	`namespace` text NOT NULL,
	`record` text NOT NULL,
	`kind` text NOT NULL,
	`project` text,
	`session` text,
	`origin` text NOT NULL,
	`pinned` integer NOT NULL,
	`archived` integer NOT NULL,
	`superseded_by` text,
	`text_hash` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `observations_record` ON `observations` (`namespace`,`record`);--> statement-breakpoint
CREATE INDEX `observations_created` ON `observations` (`created_at`);--> statement-breakpoint
CREATE INDEX `observations_project` ON `observations` (`project`,`created_at`);--> statement-breakpoint
CREATE INDEX `observations_session` ON `observations` (`session`);--> statement-breakpoint
CREATE TABLE `outbox` (
	`namespace` text NOT NULL,
	`writer` text NOT NULL,
	`n` integer NOT NULL,
	`record` text NOT NULL,
	`parent` text,
	`collection` text NOT NULL,
	`op` text NOT NULL,
	`lamport` integer NOT NULL,
	`line` text NOT NULL,
	`chain` text NOT NULL,
	`state` text NOT NULL,
	`code` text,
	`reissued` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`namespace`, `writer`, `n`)
);
--> statement-breakpoint
CREATE INDEX `outbox_record` ON `outbox` (`namespace`,`record`);--> statement-breakpoint
CREATE INDEX `outbox_parent` ON `outbox` (`namespace`,`parent`);--> statement-breakpoint
CREATE TABLE `past` (
	`namespace` text NOT NULL,
	`record` text NOT NULL,
	`field` text NOT NULL,
	`lamport` integer NOT NULL,
	`writer` text NOT NULL,
	`hash` text NOT NULL,
	`value` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`namespace`, `record`, `field`, `lamport`, `writer`, `hash`)
);
--> statement-breakpoint
CREATE TABLE `records` (
	`namespace` text NOT NULL,
	`id` text NOT NULL,
	`collection` text NOT NULL,
	`parent` text,
	`seq` integer,
	`lamport` integer NOT NULL,
	`writer` text NOT NULL,
	`at` integer NOT NULL,
	`fields` text NOT NULL,
	`clocks` text,
	`forgotten` integer NOT NULL,
	`digest` text NOT NULL,
	PRIMARY KEY(`namespace`, `id`)
);
--> statement-breakpoint
CREATE INDEX `records_parent` ON `records` (`namespace`,`parent`);--> statement-breakpoint
CREATE INDEX `records_collection` ON `records` (`namespace`,`collection`);--> statement-breakpoint
CREATE TABLE `replicas` (
	`namespace` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`kind` text NOT NULL,
	`role` text,
	`server` text,
	`status` text NOT NULL,
	`writer` text,
	`made` integer DEFAULT 0 NOT NULL,
	`chain` text DEFAULT '' NOT NULL,
	`acked` integer DEFAULT 0 NOT NULL,
	`acked_chain` text DEFAULT '' NOT NULL,
	`lamport` integer DEFAULT 0 NOT NULL,
	`cursor` text DEFAULT '' NOT NULL,
	`head` integer DEFAULT 0 NOT NULL,
	`digest` text NOT NULL,
	`count` integer DEFAULT 0 NOT NULL,
	`heal_why` text,
	`verified` integer DEFAULT 0 NOT NULL,
	`notice` text,
	`synced_at` integer
);
--> statement-breakpoint
CREATE TABLE `writers` (
	`namespace` text NOT NULL,
	`writer` text NOT NULL,
	`own` integer DEFAULT 0 NOT NULL,
	`device` text,
	`device_name` text,
	`user` text,
	`user_name` text,
	PRIMARY KEY(`namespace`, `writer`)
);
