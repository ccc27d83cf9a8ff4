import type { StoreContext } from "../context.ts";
import type { SearchText } from "./projection.ts";

const damagedKey = "search-damaged";

/**
 * Indexes the text of one observation. Damage of the index is noted and blocks nothing (ST6): the
 * capture stands in the records, and the index is rebuilt from them.
 */
export function indexText(context: StoreContext, id: number, text: SearchText): void {
  guard(context, () => {
    context.db.run(
      "INSERT OR REPLACE INTO search (rowid, title, text, tags) VALUES (?, ?, ?, ?)",
      id,
      text.title,
      text.text,
      text.tags,
    );
  });
}

/** Takes one observation out of the index. */
export function unindexText(context: StoreContext, id: number): void {
  guard(context, () => {
    context.db.run("DELETE FROM search WHERE rowid = ?", id);
  });
}

/** Whether the index was found damaged since it was built. */
export function isSearchDamaged(context: StoreContext): boolean {
  const row = context.db.get("SELECT value FROM meta WHERE key = ?", damagedKey);
  return row !== undefined;
}

/** What the index's own check says; undefined when all is well. */
export function searchDamage(context: StoreContext): string | undefined {
  try {
    context.db.exec("INSERT INTO search (search) VALUES ('integrity-check')");
    return isSearchDamaged(context) ? "a write found the index damaged" : undefined;
  } catch (error) {
    if (!isIndexDamage(error)) throw error;
    return error instanceof Error ? error.message : String(error);
  }
}

/** An empty index in place of the present one, damaged or not. Part of the caller's transaction. */
export function recreateSearch(context: StoreContext, createSql: string): void {
  context.db.exec("DROP TABLE IF EXISTS search");
  context.db.exec(createSql);
  context.db.run("DELETE FROM meta WHERE key = ?", damagedKey);
}

/** Whether an error means that the index, and not the database, is damaged. */
export function isIndexDamage(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "SQLITE_CORRUPT_VTAB";
}

function guard(context: StoreContext, write: () => void): void {
  try {
    write();
  } catch (error) {
    if (!isIndexDamage(error)) throw error;
    context.db.run(
      "INSERT OR IGNORE INTO meta (key, value) VALUES (?, ?)",
      damagedKey,
      String(context.clock.nowMs()),
    );
  }
}
