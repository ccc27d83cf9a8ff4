import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { fail, ok } from "@tidemark/protocol";
import type { Clock } from "../clock.ts";
import { type DataDirLock, lockDataDir } from "../data-dir-lock.ts";
import { isErrno, makePrivateDir, readTextIfAny, writePrivateFile } from "../files.ts";
import type { Log } from "../log.ts";
import type { Random } from "../random.ts";
import type { Timers } from "../timers.ts";
import { type Binaries, locateBinaries, prepareBinaries, systemCacheDir } from "./binaries.ts";
import { ensureCluster } from "./cluster.ts";
import {
  adminRole,
  appRole,
  chooseEndpoint,
  databaseName,
  type Endpoint,
  endpointUrl,
  ownerRole,
} from "./endpoint.ts";
import { startFailed, type Attempt, type EmbeddedPostgresFailure } from "./failure.ts";
import { type Folders, foldersOf, makeFolders, removeShortDir } from "./folders.ts";
import { clearDeadLocks, stopOrphan } from "./orphan.ts";
import { chooseOsUsers, type OsUsers } from "./os-user.ts";
import { type Postmaster, type PostmasterDeps, startPostmaster } from "./postmaster.ts";
import { ensureRoles } from "./roles.ts";
import { supervise } from "./supervisor.ts";

/** What the embedded PostgreSQL needs from outside. */
export interface EmbeddedPostgresDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly timers: Timers;
  readonly log: Log;
}

/** Where and how it runs. */
export interface EmbeddedPostgresOptions {
  /** The server's data directory; made if absent, 0700. */
  readonly dataDir: string;
  /** Default: a socket, on Windows the loopback address. Fixed by the first start. */
  readonly listen?: Endpoint["kind"];
  /** PostgreSQL settings on top of ours, for tests. */
  readonly settings?: Readonly<Record<string, string>>;
}

/**
 * Connection strings by role; open them with `postgresTarget`.
 *
 * `url` belongs to the owner (migrations), `appUrl` to the role that serves requests and is bound
 * by row-level security, `adminUrl` to the superuser and its own database (backups, tests).
 */
export interface DatabaseUrls {
  readonly url: string;
  readonly appUrl: string;
  readonly adminUrl: string;
}

/** The running database. */
export interface EmbeddedPostgres extends DatabaseUrls {
  /** True when this start made the database. */
  readonly isNew: boolean;
  /** Resolves when it cannot be kept running: the server must exit with an error (PG27). */
  readonly failed: Promise<EmbeddedPostgresFailure>;
  /** Ends it within 8 s, clients connected or not, and gives the data directory free. */
  stop(): Promise<void>;
}

/** A killed PostgreSQL leaves shared memory behind for a moment; a start then fails and is retried. */
const startAttemptsMax = 8;
const startDelayMsMin = 100;
const startDelayMsMax = 4_000;
const passingTrouble =
  /shared memory|lock file|Address already in use|another (?:server|postmaster)/;

/**
 * Runs a real PostgreSQL in `<data-dir>/postgres` for this server alone.
 *
 * The first start makes the database; later ones reopen it, ending an orphan of a killed server
 * first (PG26). A second server on the same data directory is refused before anything is touched
 * (PG21). Expected failures are values with a message and a hint for the operator.
 */
export async function startEmbeddedPostgres(
  deps: EmbeddedPostgresDeps,
  options: EmbeddedPostgresOptions,
): Promise<Attempt<EmbeddedPostgres>> {
  const dataDir = resolve(options.dataDir);
  await makePrivateDir(dataDir);
  const lock = await lockDataDir(deps, dataDir);
  if (!lock.ok) return fail(inUse(dataDir, lock.error.pid));
  const started = await startLocked(deps, { ...options, dataDir }, lock.value);
  if (!started.ok) await lock.value.release();
  return started;
}

/** Whether a data directory has a database already, or something in its place. Makes nothing. */
export async function hasOwnDatabase(dataDir: string): Promise<boolean> {
  try {
    await stat(foldersOf(resolve(dataDir)).cluster);
    return true;
  } catch (cause) {
    if (isErrno(cause, "ENOENT")) return false;
    throw cause;
  }
}

/**
 * The database of the server that runs on this data directory, for commands beside it, or
 * undefined if none has been started. Whether it still answers shows when connecting.
 */
export async function findEmbeddedPostgres(dataDir: string): Promise<DatabaseUrls | undefined> {
  const folders = foldersOf(resolve(dataDir));
  const text = await readTextIfAny(folders.endpointFile);
  if (text === undefined) return undefined;
  const endpoint: Endpoint = JSON.parse(text);
  const isInFolder = endpoint.kind === "socket" && !endpoint.isShort;
  // A copy of the folder names the socket of the original, which is another server's (PG40).
  return urlsOf(isInFolder ? { ...endpoint, dir: folders.socket } : endpoint);
}

async function startLocked(
  deps: EmbeddedPostgresDeps,
  options: EmbeddedPostgresOptions,
  lock: DataDirLock,
): Promise<Attempt<EmbeddedPostgres>> {
  const place = await prepare(deps, options);
  if (!place.ok) return place;
  const { endpoint, folders, users } = place.value;
  const cluster = await ensureCluster({ random: deps.random, ...place.value });
  if (!cluster.ok) return cluster;
  const launchDeps: PostmasterDeps = {
    ...deps,
    ...place.value,
    runAs: users.runAs,
    settings: options.settings ?? {},
  };
  const first = await launch(launchDeps, new AbortController().signal);
  if (!first.ok) return first;
  const roles = await ensureRoles(endpoint);
  if (!roles.ok) {
    await first.value.stop();
    return roles;
  }
  await writePrivateFile(deps.random, folders.endpointFile, JSON.stringify(endpoint));
  const { pid } = first.value;
  deps.log.info("postgres-started", { pid, isNew: cluster.value.isNew });
  const supervisor = supervise(
    { ...deps, restart: async (signal) => await launch(launchDeps, signal) },
    first.value,
  );
  const close = async (): Promise<void> => {
    await supervisor.stop();
    if (endpoint.kind === "socket" && endpoint.isShort) await removeShortDir(endpoint.dir);
    await lock.release();
  };
  let closing: Promise<void> | undefined;
  return ok({
    ...urlsOf(endpoint),
    isNew: cluster.value.isNew,
    failed: supervisor.failed,
    stop: async () => {
      closing ??= close();
      await closing;
    },
  });
}

interface Place {
  readonly users: OsUsers;
  readonly folders: Folders;
  readonly binaries: Binaries;
  readonly endpoint: Endpoint;
}

async function prepare(
  deps: EmbeddedPostgresDeps,
  options: EmbeddedPostgresOptions,
): Promise<Attempt<Place>> {
  const folders = foldersOf(options.dataDir);
  const users = await chooseOsUsers();
  if (!users.ok) return users;
  const { runAs } = users.value;
  const installed = await locateBinaries();
  if (!installed.ok) return installed;
  const cacheDir = runAs === undefined ? folders.cache : systemCacheDir;
  const binaries = await prepareBinaries(deps.random, installed.value, { runAs, cacheDir });
  if (!binaries.ok) return binaries;
  await makeFolders(folders, runAs);
  const orphan = await stopOrphan(deps, folders.cluster);
  if (!orphan.ok) return orphan;
  const kind = options.listen ?? (process.platform === "win32" ? "loopback" : "socket");
  const endpoint = await chooseEndpoint(deps.random, folders, { kind, runAs });
  return ok({ users: users.value, folders, binaries: binaries.value, endpoint });
}

async function launch(deps: PostmasterDeps, signal: AbortSignal): Promise<Attempt<Postmaster>> {
  let delayMs = startDelayMsMin;
  for (let attempt = 1; ; attempt += 1) {
    await clearDeadLocks(deps.folders);
    const started = await startPostmaster(deps, signal);
    if (started.ok) return started;
    const isPassing = passingTrouble.test(started.error) || !started.error.includes("FATAL:");
    if (attempt === startAttemptsMax || !isPassing || signal.aborted) {
      return fail(startFailed(started.error, deps.folders.cluster));
    }
    deps.log.warn("postgres-start-retried", { attempt, delayMs });
    await deps.timers.sleep(delayMs, signal).catch(() => {});
    delayMs = Math.min(delayMs * 2, startDelayMsMax);
  }
}

function urlsOf(endpoint: Endpoint): DatabaseUrls {
  return {
    url: endpointUrl(endpoint, ownerRole, databaseName),
    appUrl: endpointUrl(endpoint, appRole, databaseName),
    adminUrl: endpointUrl(endpoint, adminRole, "postgres"),
  };
}

function inUse(dataDir: string, pid: number | undefined): EmbeddedPostgresFailure {
  const kind = "data-dir-in-use";
  return pid === undefined
    ? {
        kind,
        message: `another tidemark-server, in another container or machine, uses ${dataDir}`,
        hint: "stop it, or choose another --data-dir; after a crash, wait 20 seconds",
      }
    : {
        kind,
        message: `another tidemark-server (process ${pid}) uses ${dataDir}`,
        hint: `stop it with: kill ${pid} — or choose another --data-dir`,
      };
}
