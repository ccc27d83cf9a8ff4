-- Full-text index over the observations in view; a row's id is the one in `observations`.
-- Contentless: the text stands in the records alone.
CREATE VIRTUAL TABLE search USING fts5(
  title, text, tags,
  content = '', contentless_delete = 1, tokenize = 'porter unicode61'
);
--> statement-breakpoint
-- What is forgotten leaves the index at once, not when its segments are merged one day.
INSERT INTO search (search, rank) VALUES ('secure-delete', 1);
