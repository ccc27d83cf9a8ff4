import {
  chmodSync,
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from "node:fs";
import { dirname } from "node:path";
import { dateText } from "./date-text.ts";
import { fileMark } from "./file-mark.ts";
import { appendPrivateFile, createPrivateFile, readPrivateFile } from "./private-file.ts";
import { mendingPath, storeFiles, suspicionPath } from "./store-files.ts";

/** Bytes of a file, read where they stand. */
interface Source {
  readonly bytes: number;
  read(offset: number, length: number): Uint8Array;
  close(): void;
}

/** Time between two whole checks of a database, in milliseconds: a day. */
const checkMs = 86_400_000;
/** A database with a schema has more than its first page. */
const blankBytesMax = 4096;
const sideFiles = ["-wal", "-shm"] as const;

/** What opening and repairing a database ask of its files. */
export const repairFiles = {
  ...storeFiles,
  source: (path: string): Source | undefined => (existsSync(path) ? openSource(path) : undefined),
  suspicion: (path: string): "damaged" | "log-gone" | undefined => {
    const note = readPrivateFile(suspicionPath(path));
    if (note.ok && note.value === undefined) return undefined;
    return note.ok && note.value === "log-gone" ? "log-gone" : "damaged";
  },
  isCheckDue: (path: string, nowMs: number): boolean => {
    const lastMs = statSync(checkedPath(path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    return Math.abs(nowMs - lastMs) >= checkMs;
  },
  isBlank: (path: string): boolean =>
    (statSync(path, { throwIfNoEntry: false })?.size ?? blankBytesMax + 1) <= blankBytesMax,
  wasChecked: (path: string): boolean => existsSync(checkedPath(path)),
  noteSound: (path: string, nowMs: number): void => {
    rmSync(suspicionPath(path), { force: true });
    if (!appendPrivateFile(checkedPath(path), "", { durable: false }).ok) return;
    utimesSync(checkedPath(path), nowMs / 1000, nowMs / 1000);
  },
  asideName: (path: string, atMs: number): string => {
    const name = `${path}.damaged-${dateText(atMs).replaceAll(":", "-")}`;
    for (let n = 1; ; n += 1) {
      const candidate = n === 1 ? name : `${name}-${String(n)}`;
      if (!existsSync(candidate)) return candidate;
    }
  },
  beginMending: (path: string, aside: string): void => {
    const begun = createPrivateFile(mendingPath(path), aside);
    if (!begun.ok) throw Object.assign(new Error(begun.error.hint), { code: begun.error.code });
  },
  swap,
  settle,
  remove: (path: string): void => {
    for (const end of ["", ...sideFiles]) rmSync(`${path}${end}`, { force: true });
  },
} as const;

function checkedPath(path: string): string {
  return `${path}.checked`;
}

function openSource(path: string): Source {
  const file = openSync(path, "r");
  return {
    bytes: fstatSync(file).size,
    read: (offset, length) => {
      const bytes = new Uint8Array(length);
      return bytes.subarray(0, readSync(file, bytes, 0, length, offset));
    },
    close: () => {
      closeSync(file);
    },
  };
}

/**
 * The damaged file gets its second name before the new one takes its first, so that there is never
 * a moment without a database. The side files go before: a log beside a file that it does not belong
 * to would be played into it.
 */
function swap(path: string, mended: string, aside: string): void {
  try {
    linkSync(path, aside);
  } catch {
    // Some file systems know no second names; `settle` knows this state as well.
    renameSync(path, aside);
  }
  chmodSync(aside, 0o600);
  for (const end of sideFiles) {
    if (existsSync(`${path}${end}`)) renameSync(`${path}${end}`, `${aside}${end}`);
  }
  renameSync(mended, path);
  syncFolderOf(path);
}

function settle(path: string): void {
  const aside = asideOf(path);
  if (aside === undefined) return;
  const isSwapped = existsSync(path) && fileMark(path) !== fileMark(aside);
  if (existsSync(aside) && !isSwapped) {
    for (const end of sideFiles) {
      if (existsSync(`${aside}${end}`)) renameSync(`${aside}${end}`, `${path}${end}`);
    }
    if (existsSync(path)) rmSync(aside);
    else renameSync(aside, path);
  }
  syncFolderOf(path);
  rmSync(mendingPath(path), { force: true });
}

function asideOf(path: string): string | undefined {
  if (!existsSync(mendingPath(path))) return undefined;
  const name = readFileSync(mendingPath(path), "utf8");
  // A note that was cut off was made before anything was moved.
  return name.startsWith(`${path}.damaged-`) ? name : `${path}.damaged-none`;
}

function syncFolderOf(path: string): void {
  if (process.platform === "win32") return;
  const folder = openSync(dirname(path), "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
