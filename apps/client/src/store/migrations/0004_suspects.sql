CREATE TABLE `suspects` (
	`namespace` text NOT NULL,
	`device` text NOT NULL,
	`above` integer NOT NULL,
	`since` integer NOT NULL,
	PRIMARY KEY(`namespace`, `device`)
);
