import Sqlite from "better-sqlite3";
import type { Observation } from "../../apps/client/src/store/observation.ts";

/** Finds the ids of the first ten for a question. */
export type Search = (question: string) => readonly string[];

/**
 * What SQLite gives to whoever just uses it: FTS5 with the porter stemmer over everything that an
 * observation says, each word of the question quoted, bm25 as it comes.
 */
export function plainSearch(
  observations: readonly Observation[],
  operator: "AND" | "OR",
  limit: number,
): Search {
  const db = new Sqlite(":memory:");
  db.exec(
    "CREATE VIRTUAL TABLE plain USING fts5(id UNINDEXED, text, tokenize = 'porter unicode61')",
  );
  const insert = db.prepare("INSERT INTO plain (id, text) VALUES (?, ?)");
  for (const observation of observations) insert.run(observation.id, textOf(observation));
  const select = db.prepare<[string, number], { id: string }>(
    "SELECT id FROM plain WHERE plain MATCH ? ORDER BY rank LIMIT ?",
  );
  return (question) => {
    const words = question.match(/[\p{L}\p{N}_]+/gu) ?? [];
    const match = words.map((word) => `"${word}"`).join(` ${operator} `);
    return match === "" ? [] : select.all(match, limit).map(({ id }) => id);
  };
}

function textOf(observation: Observation): string {
  const { title, narrative, facts, concepts, filesRead, filesModified, kind } = observation;
  return [kind, title, narrative, ...facts, ...concepts, ...filesRead, ...filesModified].join("\n");
}
