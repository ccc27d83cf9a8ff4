import { createLog } from "../platform/log.ts";
import { writeBackupFile } from "../platform/backup-file.ts";
import { hasOwnDatabase } from "../platform/embedded-postgres/embedded-postgres.ts";
import { isErrno } from "../platform/files.ts";
import { createRunningHash } from "../platform/hash.ts";
import type { Config } from "../config/config.ts";
import { createArchiveWriter } from "../store/postgres/backup/archive.ts";
import { dumpDatabase, type Dumped } from "../store/postgres/backup/dump.ts";
import { version } from "../version.ts";
import type { CommandDeps } from "./command-deps.ts";
import { counted } from "./counted.ts";
import { openDatabase } from "./open-database.ts";
import { UserError } from "./user-error.ts";

/** What `backup` was told. */
interface BackupOptions {
  readonly file: string;
  readonly isJson: boolean;
}

/** `backup FILE`: all of the database at one moment, while the server runs or not (OPS80). */
export async function runBackup(
  deps: CommandDeps,
  config: Config,
  { file, isJson }: BackupOptions,
): Promise<void> {
  // Opening would make a database, in whatever folder was named.
  if (config.databaseUrl === undefined && !(await hasOwnDatabase(config.dataDir))) {
    throw nothingThere();
  }
  const log = createLog({ level: "error" });
  const database = await openDatabase({ ...deps, log }, config, true);
  try {
    const taken = await writing(deps, file, database.ownerUrl);
    const { serverId, namespaces, records, later } = taken;
    deps.terminal.print(
      isJson
        ? `${JSON.stringify({ file, server: serverId, namespaces, records, later })}\n`
        : spelled(taken, file),
    );
  } finally {
    await database.stop();
  }
}

/** What a person reads of it. */
export function spelled({ serverId, namespaces, records, later }: Dumped, file: string): string {
  const what = `${counted(namespaces, "namespace")} with ${counted(records, "record")}`;
  return `Backed up ${what} of ${serverId}: ${file}\n${later.length === 0 ? "" : newer}${beside}`;
}

const newer = `A newer version than ${version} has changed the tables: this one cannot restore the file, that one can.\n`;
const beside = "It holds all that the server can read: keep it as you keep the database.\n";

async function writing(deps: CommandDeps, file: string, url: string): Promise<Dumped> {
  const result: { taken?: Dumped | undefined } = {};
  try {
    await writeBackupFile(deps.random, file, async (write) => {
      const archive = createArchiveWriter(createRunningHash(), write);
      const facts = { program: version, takenAtMs: deps.clock.nowMs() };
      result.taken = await dumpDatabase(url, archive, facts);
      if (result.taken === undefined) throw nothingThere();
      await archive.end();
    });
  } catch (cause) {
    throw fileError(cause, file) ?? cause;
  }
  if (result.taken === undefined) throw nothingThere();
  return result.taken;
}

function nothingThere(): UserError {
  return new UserError({
    code: "nothing-to-back-up",
    message: "the database holds no server",
    hint: "check --data-dir or DATABASE_URL; they are those of `tidemark-server serve`",
  });
}

function fileError(cause: unknown, file: string): UserError | undefined {
  if (isErrno(cause, "EEXIST")) {
    return new UserError({
      code: "file-exists",
      message: `${file} is there already, and a backup replaces nothing`,
      hint: "choose another name, such as tidemark-$(date +%F).backup",
    });
  }
  const isUnwritable = isErrno(cause, "ENOENT", "EACCES", "EPERM", "EROFS", "ENOTDIR", "ENOSPC");
  if (
    !isUnwritable ||
    !(cause instanceof Error) ||
    !("path" in cause || isErrno(cause, "ENOSPC"))
  ) {
    return undefined;
  }
  return new UserError({
    code: "file-not-written",
    message: `cannot write ${file}: ${cause.message.replace(/,.*$/u, "")}`,
    hint: "name a file in a folder that is there, that this user may write to and that has room",
  });
}
