-- A list reads its first rows from an index in the order of time, however many there are: one stretch
-- for each namespace and kind, of what is shown and of what is hidden. As many indexes as before.
DROP INDEX `observations_created`;--> statement-breakpoint
DROP INDEX `observations_project`;--> statement-breakpoint
DROP INDEX `observations_session`;--> statement-breakpoint
CREATE INDEX `observations_created` ON `observations` (`namespace`,(archived = 0 AND superseded_by IS NULL),`kind`,`created_at`);--> statement-breakpoint
CREATE INDEX `observations_project` ON `observations` (`namespace`,`project`,(archived = 0 AND superseded_by IS NULL),`kind`,`created_at`) WHERE project IS NOT NULL;--> statement-breakpoint
CREATE INDEX `observations_session` ON `observations` (`session`,`created_at`) WHERE session IS NOT NULL;
