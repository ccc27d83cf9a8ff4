import type { Result } from "@tidemark/protocol";
import { bareContext } from "../open-database.ts";
import { migrate } from "../migrate.ts";
import { migrations } from "../migrations/index.ts";
import type { OpenOptions } from "../open.ts";
import { openDatabase, type Database } from "../sqlite.ts";
import { attempt, hintOf, storeErrorOf, StoreFailure, type StoreError } from "../store-error.ts";
import { damageOf } from "./examine.ts";
import { pageImage } from "./page-image.ts";
import { refill } from "./refill.ts";
import type { RepairFiles } from "./repair-files.ts";
import { repairName, reportOf, type RepairReport } from "./report.ts";
import { salvage, type Salvage } from "./salvage.ts";

/** How long a repair waits for a program that writes, in milliseconds. */
const holdMsMax = 5_000;

/**
 * Replaces a damaged database (ST14): reads what can be read, fills a new one with it, and puts that
 * in the place of the damaged one, which is kept aside. Whatever fails on the way, such as a full
 * disk, leaves everything as it was. The caller holds the lock.
 */
export function mend(
  options: OpenOptions,
  files: RepairFiles,
  cause: string,
): Result<RepairReport, StoreError> {
  const { path } = options;
  const at = options.clock.nowMs();
  const aside = files.asideName(path, at);
  const mended = `${path}.mended`;
  return attempt(() => {
    files.beginMending(path, aside);
    const hold = holdWrites(options, files);
    try {
      const saved = readWhatIsLeft(options, files);
      const report = reportOf(saved, { at, cause, aside });
      files.remove(mended);
      makeFilled({ ...options, path: mended }, saved, report);
      files.swap(path, mended, aside);
      return report;
    } catch (error) {
      files.remove(mended);
      throw error;
    } finally {
      // Only now: whoever waits to write must find the file in another place.
      hold?.close();
      files.settle(path);
    }
  });
}

// A database that does not even open takes no writes from anybody else either.
function holdWrites(options: OpenOptions, files: RepairFiles): Database | undefined {
  const { path, nativeBinding } = options;
  if (files.isEmptied(path)) return undefined;
  const opened = attempt(() => openDatabase({ path, nativeBinding, busyTimeoutMs: holdMsMax }));
  if (!opened.ok) {
    if (isLocked(opened.error)) throw new StoreFailure(opened.error);
    return undefined;
  }
  const db = opened.value;
  try {
    db.exec("BEGIN IMMEDIATE");
    return db;
  } catch (error) {
    db.close();
    const trouble = storeErrorOf(error);
    if (trouble === undefined || isLocked(trouble)) throw error;
    return undefined;
  }
}

function isLocked({ kind }: StoreError): boolean {
  return kind === "busy";
}

function readWhatIsLeft(options: OpenOptions, files: RepairFiles): Salvage {
  const { path, sha256 } = options;
  const file = files.source(path);
  const log = files.source(`${path}-wal`);
  try {
    if (file === undefined) throw new StoreFailure(gone);
    const image = pageImage(file, log);
    const whole = salvage(image, sha256);
    if (log === undefined || log.bytes === 0 || image.ruinedFrames > 0) return whole;
    const alone = salvage(pageImage(file), sha256);
    return isForeignLog(alone, whole) ? alone : whole;
  } finally {
    file?.close();
    log?.close();
  }
}

const gone: StoreError = {
  kind: "cannot-open",
  message: "the database is gone",
  hint: hintOf("cannot-open"),
};

/**
 * Whether a log belongs to another database (ST18): a log adds writers and never takes one away, and
 * what it says of a namespace names a writer of its own store.
 */
export function isForeignLog(alone: Writers, whole: Writers): boolean {
  const known = ownWriters(whole);
  if ([...ownWriters(alone)].some((writer) => !known.has(writer))) return true;
  return hasStrangeWriter(whole) && !hasStrangeWriter(alone);
}

type Writers = Pick<Salvage, "replicas" | "writers">;

function ownWriters({ writers }: Writers): ReadonlySet<string> {
  return new Set(writers.flatMap(({ own, writer }) => (own === 1 ? [writer] : [])));
}

function hasStrangeWriter(found: Writers): boolean {
  const own = ownWriters(found);
  return found.replicas.some(({ writer }) => writer !== null && !own.has(writer));
}

function makeFilled(options: OpenOptions, saved: Salvage, report: RepairReport): void {
  const { path, nativeBinding, identity } = options;
  const created = options.createPrivateFile(path, "");
  if (!created.ok) throw new StoreFailure(cannotMake(created.error.kind));
  const db = openDatabase({ path, nativeBinding, busyTimeoutMs: holdMsMax });
  try {
    migrate(db, migrations);
    const context = bareContext(db, options, () => identity);
    refill(context, saved);
    db.run(
      "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)",
      repairName,
      JSON.stringify(report),
    );
    const damage = damageOf(context, { migrations, nativeBinding });
    if (damage !== undefined) throw new StoreFailure(notMended(damage));
    db.pragma("wal_checkpoint(TRUNCATE)");
  } finally {
    db.close();
  }
}

function cannotMake(kind: string): StoreError {
  const message = `a new database cannot be made (${kind})`;
  return { kind: "cannot-open", message, hint: hintOf("cannot-open") };
}

function notMended(damage: string): StoreError {
  const message = `what was saved does not make a sound database: ${damage}`;
  return { kind: "corrupt", message, hint: hintOf("corrupt") };
}
