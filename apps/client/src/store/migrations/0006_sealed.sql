CREATE TABLE `namespace_keys` (
	`namespace` text NOT NULL,
	`epoch` integer NOT NULL,
	`key` text NOT NULL,
	PRIMARY KEY(`namespace`, `epoch`)
);
--> statement-breakpoint
CREATE TABLE `namespace_logs` (
	`namespace` text PRIMARY KEY NOT NULL,
	`length` integer NOT NULL,
	`head` text NOT NULL,
	`epoch` integer NOT NULL,
	`name` text,
	`trouble` text
);
