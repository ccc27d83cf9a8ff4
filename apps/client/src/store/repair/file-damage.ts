import { migrations } from "../migrations/index.ts";
import type { OpenOptions } from "../open.ts";
import { openDatabase } from "../sqlite.ts";
import { attempt } from "../store-error.ts";
import { schemaDamage } from "./examine.ts";
import { isForeignLog } from "./mend.ts";
import { longAt, pageImage, wordAt, type PageImage } from "./page-image.ts";
import type { RepairFiles } from "./repair-files.ts";
import { salvage } from "./salvage.ts";

/**
 * What is wrong with the files of a database that is not open here, and that SQLite would not say or
 * would make worse: it plays a log of another database into this one, drops what follows a ruined
 * part of a log, and takes an empty file for a new database.
 */
export function fileDamage(options: OpenOptions, files: RepairFiles): string | undefined {
  const { path, sha256 } = options;
  if (files.isEmptied(path)) return "the file is empty though its log is not";
  const file = files.source(path);
  const log = files.source(`${path}-wal`);
  try {
    if (file === undefined) return undefined;
    const image = pageImage(file, log);
    if (image.ruinedFrames > 0) return "a part of its log is not what was written";
    if (isEmpty(image) && files.wasChecked(path)) return "it is empty, and was not before";
    if (log === undefined || log.bytes === 0) return undefined;
    const isForeign = isForeignLog(salvage(pageImage(file), sha256), salvage(image, sha256));
    return isForeign ? "the log beside it belongs to another database" : undefined;
  } finally {
    file?.close();
    log?.close();
  }
}

// Without a page, or without a schema: a header that is ruined is for SQLite to tell.
function isEmpty(image: PageImage): boolean {
  const header = image.page(1);
  if (header === undefined) return true;
  return String.fromCodePoint(...header.subarray(0, 6)) === "SQLite" && longAt(header, 60) === 0;
}

/** What is wrong with header or schema, where SQL failed that a sound database understands. */
export function schemaTrouble(options: OpenOptions, files: RepairFiles): string | undefined {
  const header = headerTrouble(options.path, files);
  if (header !== undefined) return header;
  const { path, nativeBinding } = options;
  const checked = attempt(() => {
    const db = openDatabase({ path, nativeBinding, busyTimeoutMs: 5_000 });
    try {
      return schemaDamage(db, { migrations, nativeBinding });
    } finally {
      db.close();
    }
  });
  return checked.ok ? checked.value : undefined;
}

function headerTrouble(path: string, files: RepairFiles): string | undefined {
  const file = files.source(path);
  const log = files.source(`${path}-wal`);
  try {
    const header = file && pageImage(file, log).page(1);
    return header === undefined || isOwnHeader(header) ? undefined : "its header is damaged";
  } finally {
    file?.close();
    log?.close();
  }
}

// Write-ahead logging, no reserved bytes, the present format, UTF-8: what SQLite writes for us.
function isOwnHeader(header: Uint8Array): boolean {
  const isFormat = wordAt(header, 18) === 0x0202 && header[20] === 0;
  return isFormat && longAt(header, 44) === 4 && longAt(header, 56) === 1;
}
