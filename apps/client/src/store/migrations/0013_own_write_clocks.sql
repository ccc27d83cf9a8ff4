PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_own_writes` (
	`namespace` text NOT NULL,
	`record` text NOT NULL,
	`field` text NOT NULL,
	`lamport` integer NOT NULL,
	PRIMARY KEY(`namespace`, `record`, `field`, `lamport`)
);
--> statement-breakpoint
INSERT INTO `__new_own_writes`("namespace", "record", "field", "lamport") SELECT "namespace", "record", "field", "lamport" FROM `own_writes`;--> statement-breakpoint
DROP TABLE `own_writes`;--> statement-breakpoint
ALTER TABLE `__new_own_writes` RENAME TO `own_writes`;--> statement-breakpoint
PRAGMA foreign_keys=ON;