import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fail, ok, type Result } from "@tidemark/protocol";
import { builtin } from "./builtin.ts";
import { errnoOf } from "./errno.ts";

/** A copy that only its owner can read. */
export interface PrivateCopy {
  readonly path: string;
  remove(): void;
}

/** How often a file is copied that changes meanwhile. */
const triesMax = 5;

/**
 * Copies a database with its write-ahead log, in a state that it was in: where either changed
 * meanwhile, both are copied again. The original is only read.
 */
export function copyDatabase(path: string): Result<PrivateCopy, string> {
  const folder = mkdtempSync(join(builtin.os().tmpdir(), "tidemark-import-"));
  const remove = (): void => {
    rmSync(folder, { recursive: true, force: true });
  };
  const copy = join(folder, "copy.db");
  try {
    for (let tries = 0; tries < triesMax; tries += 1) {
      const before = stateOf(path);
      rmSync(`${copy}-wal`, { force: true });
      copyFileSync(path, copy);
      if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`);
      if (stateOf(path) === before) return ok({ path: copy, remove });
    }
    remove();
    return fail("it changes while it is read; close what writes to it");
  } catch (cause) {
    remove();
    const code = errnoOf(cause);
    if (code === undefined) throw cause;
    return fail(code);
  }
}

function stateOf(path: string): string {
  return [path, `${path}-wal`]
    .map((each) => {
      const stats = statSync(each, { throwIfNoEntry: false });
      return stats === undefined ? "" : `${stats.size} ${stats.mtimeMs}`;
    })
    .join("/");
}
