import type { Config } from "../config/config.ts";
import { readBackupFile } from "../platform/backup-file.ts";
import { isoTime } from "../platform/clock.ts";
import { isErrno } from "../platform/files.ts";
import { createRunningHash } from "../platform/hash.ts";
import { readInstanceFile } from "../platform/instance-file.ts";
import { createLog } from "../platform/log.ts";
import {
  ArchiveDamaged,
  readArchive,
  type ArchiveFlaw,
  type BackupHeader,
} from "../store/postgres/backup/archive.ts";
import { loadDatabase, RowsRefused, type RestoreRefusal } from "../store/postgres/backup/load.ts";
import { migrate } from "../store/postgres/migrate.ts";
import { version } from "../version.ts";
import type { CommandDeps } from "./command-deps.ts";
import { databaseError } from "./database-error.ts";
import { rememberInstance } from "./instance-guard.ts";
import { openDatabase } from "./open-database.ts";
import { UserError } from "./user-error.ts";

/** What `restore` was told. */
interface RestoreOptions {
  readonly file: string;
  readonly isJson: boolean;
  /** Whether a server that is there may go. */
  readonly mayReplace: boolean;
}

/** `restore FILE`: the state of a backup, in whose place nothing else was (OPS81). */
export async function runRestore(
  deps: CommandDeps,
  config: Config,
  options: RestoreOptions,
): Promise<void> {
  const { file, isJson } = options;
  // The whole file first, so that one that is damaged costs nothing but this look.
  const header = await checkFile(file);
  await guardFolder(config, header, options);
  const log = createLog({ level: "error" });
  const database = await openDatabase({ ...deps, log }, config, false);
  try {
    const applied = await loading(database.ownerUrl, options);
    const instance = { serverId: header.serverId, isClaimed: header.isClaimed };
    await rememberInstance({ ...deps, log }, config.dataDir, instance);
    deps.terminal.print(
      isJson
        ? `${JSON.stringify({ ...told(header), applied })}\n`
        : `${spelled(header, applied)}${afterwards}`,
    );
  } finally {
    await database.stop();
  }
}

function told(header: BackupHeader): object {
  const { serverId, program, takenAtMs } = header;
  return { server: serverId, takenAt: takenAtMs, takenBy: program };
}

function spelled(header: BackupHeader, applied: readonly string[]): string {
  const { serverId, program, takenAtMs } = header;
  const at = isoTime(takenAtMs);
  const tables = applied.length === 0 ? "" : ` Brought up to date: ${applied.join(", ")}.`;
  return `Restored ${serverId} as it was at ${at}, written by ${program}.${tables}\n`;
}

const afterwards = [
  "Start the server; devices sign in anew by themselves, and give back what this state lacks.",
  "Who was shut out since then is in again: look at `tidemark device list`, `tidemark device links`",
  "and `tidemark namespace members NAME`. Who came since then pairs again by a new link.\n",
].join("\n");

async function checkFile(file: string): Promise<BackupHeader> {
  let header: BackupHeader | undefined;
  try {
    for await (const part of readArchive(createRunningHash(), readBackupFile(file))) {
      if (part.kind === "header") ({ header } = part);
    }
  } catch (cause) {
    throw unreadable(cause, file) ?? cause;
  }
  if (header === undefined) throw flawed("not-a-backup", file);
  return header;
}

/** A data directory that remembers another server is that one's. */
async function guardFolder(
  { dataDir }: Config,
  { serverId }: BackupHeader,
  { mayReplace }: RestoreOptions,
): Promise<void> {
  const known = await readInstanceFile(dataDir);
  if (mayReplace || known?.isClaimed !== true || known.serverId === serverId) return;
  throw new UserError({
    code: "other-server",
    message: `the data directory is that of server ${known.serverId}, the backup of ${serverId}`,
    hint: "choose another --data-dir; --replace lets the server that is there go",
  });
}

async function loading(
  url: string,
  { file, mayReplace }: RestoreOptions,
): Promise<readonly string[]> {
  const parts = readArchive(createRunningHash(), readBackupFile(file));
  try {
    const loaded = await loadDatabase(url, parts, { mayReplace });
    if (!loaded.ok) throw refused(loaded.error);
  } catch (cause) {
    throw unreadable(cause, file) ?? cause;
  }
  return (await migrate(url)).applied;
}

function refused(refusal: RestoreRefusal): UserError {
  switch (refusal) {
    case "newer-tables":
      return new UserError({
        code: "backup-newer",
        message: `the backup has tables that ${version} does not know`,
        hint: "restore it with the version of the server that wrote it, or a newer one",
      });
    case "in-use":
      return new UserError({
        code: "database-in-use",
        message: "a server is connected to the database",
        hint: "stop every tidemark-server on it, and restore again",
      });
    case "not-empty":
      return new UserError({
        code: "database-not-empty",
        message: "the database holds a server that has an owner",
        hint: "restore into an empty database, or let what is there go: --replace",
      });
  }
}

function unreadable(cause: unknown, file: string): UserError | undefined {
  if (cause instanceof ArchiveDamaged) return flawed(cause.flaw, file);
  if (cause instanceof RowsRefused) {
    const trouble = databaseError(cause.cause);
    if (trouble !== undefined) return trouble;
    return new UserError({
      code: "rows-refused",
      message: `${cause.message}; nothing was changed`,
      hint:
        'restore into a database of the encoding UTF8: psql -c "create database NAME owner USER ' +
        "template template0 encoding utf8 locale 'C'\"",
    });
  }
  // What gunzip says of bytes that are none of its own, or that end too soon.
  if (isErrno(cause, "Z_DATA_ERROR") && String(cause).includes("incorrect header check")) {
    return flawed("not-a-backup", file);
  }
  if (isErrno(cause, "Z_DATA_ERROR", "Z_BUF_ERROR")) return flawed("damaged", file);
  if (!isErrno(cause, "ENOENT", "EACCES", "EISDIR", "ENOTDIR")) return undefined;
  return new UserError({
    code: "file-not-read",
    message: `cannot read ${file}`,
    hint: "name a file that `tidemark-server backup` has written, and that this user may read",
  });
}

function flawed(flaw: ArchiveFlaw, file: string): UserError {
  if (flaw === "newer-layout") {
    const message = `${file} was written by a newer server than ${version}`;
    return new UserError({ code: "backup-newer", message, hint: "restore it with that version" });
  }
  const what = flaw === "damaged" ? "is damaged or cut off" : "is no backup of a server";
  return new UserError({
    code: `backup-${flaw === "damaged" ? "damaged" : "unknown"}`,
    message: `${file} ${what}; nothing was changed`,
    hint: "take another copy of it, or an older backup; pg_dump's files go to pg_restore",
  });
}
