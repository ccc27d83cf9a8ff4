CREATE TABLE `own_writes` (
	`namespace` text NOT NULL,
	`record` text NOT NULL,
	`field` text NOT NULL,
	`lamport` integer NOT NULL,
	PRIMARY KEY(`namespace`, `record`, `field`)
);
