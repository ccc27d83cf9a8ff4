import type { StoreFiles, Suspicion } from "../open.ts";
import type { ByteSource } from "./page-image.ts";

/** What a repair does with the files of a database, as `platform/` does it. */
export interface RepairFiles extends StoreFiles {
  /** The bytes of a file; undefined where there is none. Must not be asked while it is open here. */
  source(path: string): (ByteSource & { close(): void }) | undefined;
  /** The word that was left for whoever opens next. */
  suspicion(path: string): Suspicion | undefined;
  /** Whether the last whole check that was noted is a day ago. */
  isCheckDue(path: string, nowMs: number): boolean;
  /** Notes a whole check that found nothing, and takes the word back that was left. */
  noteSound(path: string, nowMs: number): void;
  /** Whether the file is there and too short to hold a schema. */
  isBlank(path: string): boolean;
  /** Whether a whole check has ever been noted for this path. */
  wasChecked(path: string): boolean;
  /** A name of its own for a damaged database, with the time in it. */
  asideName(path: string, atMs: number): string;
  /** From here on everybody else leaves the database alone. */
  beginMending(path: string, aside: string): void;
  /** Puts the new database in the place of the damaged one, which goes aside with its side files. */
  swap(path: string, mended: string, aside: string): void;
  /** Ends a repair, or one that was cut off: it is done, or nothing of it is. */
  settle(path: string): void;
  /** Removes a database with its side files, such as one that was half made. */
  remove(path: string): void;
}
