CREATE TABLE `vectors` (
	`id` integer PRIMARY KEY NOT NULL,
	`model` text NOT NULL,
	`vector` blob NOT NULL
);
