import { join } from "node:path";
import { fail, ok, type Result } from "@tidemark/protocol";
import { makePrivateDir, readTextIfAny, writePrivateFile } from "./files.ts";
import type { Random } from "./random.ts";

/**
 * What the data directory remembers of the server, apart from its database.
 *
 * It guards against a second claim: a server that was claimed and meets an empty database (a lost
 * volume, a wrong address) must not offer itself to whoever comes first.
 */
export interface Instance {
  /** The server's id, as in the database. */
  readonly serverId: string;
  readonly isClaimed: boolean;
}

/** What the database says of itself; undefined when it is empty. */
export type InstanceInDatabase = Instance | undefined;

/** What to do at start, or why not to start. */
export type InstanceVerdict = Result<
  "agrees" | "write-file",
  {
    readonly kind: "database-lost" | "other-database";
    readonly message: string;
    readonly hint: string;
  }
>;

/** The file that remembers the server cannot be read as such; it is never guessed. */
export class InstanceFileDamaged extends Error {
  constructor(path: string) {
    super(`${path} is damaged`);
    this.name = "InstanceFileDamaged";
  }
}

/** Reads `instance.json`; undefined if there is none. Throws {@link InstanceFileDamaged}. */
export async function readInstanceFile(dataDir: string): Promise<Instance | undefined> {
  const text = await readTextIfAny(pathIn(dataDir));
  if (text === undefined) return undefined;
  const parsed = parseOrNothing(text);
  if (isInstance(parsed)) return { serverId: parsed.serverId, isClaimed: parsed.isClaimed };
  throw new InstanceFileDamaged(pathIn(dataDir));
}

/** Writes `instance.json`, whole or not at all, readable by the server alone. */
export async function writeInstanceFile(
  random: Random,
  dataDir: string,
  instance: Instance,
): Promise<void> {
  await makePrivateDir(dataDir);
  await writePrivateFile(random, pathIn(dataDir), `${JSON.stringify(instance)}\n`);
}

/**
 * Compares the file with the database at start (OPS4).
 *
 * A claimed server whose database is empty or another's refuses to start. A database that knows
 * more than the file (claimed meanwhile, file lost) is right, and the file is written back.
 */
export function compareInstance(
  file: Instance | undefined,
  database: InstanceInDatabase,
): InstanceVerdict {
  if (file?.isClaimed !== true) {
    const isSame = file?.serverId === database?.serverId && database?.isClaimed !== true;
    return ok(isSame || database === undefined ? "agrees" : "write-file");
  }
  if (database === undefined || !database.isClaimed) {
    return fail({
      kind: "database-lost",
      message: "this server has an owner, but its database is empty",
      hint: "check DATABASE_URL and the volume; if the data is gone: --i-have-lost-my-database",
    });
  }
  if (database.serverId === file.serverId) return ok("agrees");
  return fail({
    kind: "other-database",
    message: `the database is that of server ${database.serverId}, not of ${file.serverId}`,
    hint: "check DATABASE_URL and --data-dir; they belong to different servers",
  });
}

function pathIn(dataDir: string): string {
  return join(dataDir, "instance.json");
}

function parseOrNothing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isInstance(value: unknown): value is Instance {
  return (
    typeof value === "object" &&
    value !== null &&
    "serverId" in value &&
    typeof value.serverId === "string" &&
    "isClaimed" in value &&
    typeof value.isClaimed === "boolean"
  );
}
