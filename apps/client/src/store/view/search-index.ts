import type { StoreContext } from "../context.ts";
import type { Database, Sync } from "../sqlite.ts";
import type { SearchText } from "./search-side.ts";

const damagedKey = "search-damaged";

/**
 * A database whose transactions survive damage of the index (ST6): one that meets it is rolled back
 * whole, the damage is noted, and it runs again without the index, which is rebuilt from the records
 * later. Less does not do: a cursor on a ruined page spoils the rest of its transaction, and what
 * the index still holds in memory spoils the commit.
 */
export function guardIndex(db: Database, clock: { nowMs(): number }): Database {
  let isInside = false;
  const once = <T>(work: () => Sync<T>): T => {
    isInside = true;
    try {
      return db.transact(work);
    } finally {
      isInside = false;
    }
  };
  return {
    ...db,
    transact: (work) => {
      if (isInside) return db.transact(work);
      try {
        return once(work);
      } catch (error) {
        if (!isDamage(error)) throw error;
        // Another program may have met and noted it since this one began.
        noteDamage(db, clock);
        return once(work);
      }
    },
  };
}

/** Notes that the index is damaged; throws what keeps it from being written, such as a lock. */
function noteDamage(db: Database, clock: { nowMs(): number }): void {
  const sql = "INSERT OR IGNORE INTO meta (key, value) VALUES (?, ?)";
  db.run(sql, damagedKey, String(clock.nowMs()));
}

/** Indexes the text of one observation; nothing where the index waits to be rebuilt. */
export function indexText(context: StoreContext, id: number, text: SearchText): void {
  if (!isSearchDamaged(context)) writeText(context, id, text);
}

/** As {@link indexText}, where the caller has made sure that the index does not wait. */
export function writeText(context: StoreContext, id: number, text: SearchText): void {
  context.db.run(
    "INSERT OR REPLACE INTO search (rowid, title, text, tags) VALUES (?, ?, ?, ?)",
    id,
    text.title,
    text.text,
    text.tags,
  );
}

/** Takes one observation out of the index; nothing where the index waits to be rebuilt. */
export function unindexText(context: StoreContext, id: number): void {
  if (isSearchDamaged(context)) return;
  context.db.run("DELETE FROM search WHERE rowid = ?", id);
}

/** Whether the index was found damaged since it was built. */
export function isSearchDamaged(context: StoreContext): boolean {
  const row = context.db.get("SELECT value FROM meta WHERE key = ?", damagedKey);
  return row !== undefined;
}

/** What the index's own check says, and a write that is taken back; undefined when all is well. */
export function searchDamage(context: StoreContext): string | undefined {
  try {
    context.db.exec("INSERT INTO search (search) VALUES ('integrity-check')");
    tryWrite(context.db);
    return isSearchDamaged(context) ? "a write found the index damaged" : undefined;
  } catch (error) {
    if (!isDamage(error)) throw error;
    return error instanceof Error ? error.message : String(error);
  }
}

/** To its own check, an index whose list of segments is blank is an empty one; no write takes it for that. */
function tryWrite(db: Database): void {
  db.exec("SAVEPOINT try_write");
  try {
    db.exec("INSERT INTO search (rowid, title) VALUES (-1, 'tried')");
    db.exec("INSERT INTO search (search) VALUES ('flush')");
  } finally {
    db.exec("ROLLBACK TO try_write");
    db.exec("RELEASE try_write");
  }
}

/** An empty index in place of the present one, damaged or not. Part of the caller's transaction. */
export function recreateSearch(context: StoreContext, createSql: string): void {
  context.db.exec("DROP TABLE IF EXISTS search");
  context.db.exec(createSql);
  context.db.run("DELETE FROM meta WHERE key = ?", damagedKey);
}

/**
 * Whether an error means that the index is damaged, or the pages that it stands on. A key that is
 * refused without a table's name is one of the index's own: where its list of segments is blank, it
 * gives a new one a number that is taken.
 */
export function isDamage(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  const code = String(error.code);
  if (code.startsWith("SQLITE_CORRUPT")) return true;
  return code === "SQLITE_CONSTRAINT_PRIMARYKEY" && error.message === "constraint failed";
}
