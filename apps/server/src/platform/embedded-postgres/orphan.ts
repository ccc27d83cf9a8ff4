import { realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { fail, ok } from "@tidemark/protocol";
import { readTextIfAny } from "../files.ts";
import type { Log } from "../log.ts";
import {
  processCommand,
  processesIn,
  processFolder,
  processStartMark,
  uncollectedProgram,
} from "../process-facts.ts";
import type { Timers } from "../timers.ts";
import { socketPath } from "./endpoint.ts";
import type { Attempt } from "./failure.ts";
import type { Folders } from "./folders.ts";

/** How long each way of asking an orphan to end is given, in milliseconds. */
const patienceMsBySignal = { SIGINT: 6_000, SIGQUIT: 3_000, SIGKILL: 2_000 } as const;
const pollMs = 50;

/**
 * Ends a PostgreSQL whose server was killed (PG26).
 *
 * Called under the data directory's lock, so no living server owns it. It is ended rather than
 * adopted: a child of ours is told apart from a stranger for certain, its log is read and its
 * settings are this version's. The pid in `postmaster.pid` may since belong to anybody; a process
 * is signalled only if it is a postgres that stands in this very folder.
 */
export async function stopOrphan(
  deps: { readonly timers: Timers; readonly log: Log },
  cluster: string,
): Promise<Attempt<void>> {
  const pid = await pidIn(join(cluster, "postmaster.pid"));
  if (pid === undefined || !(await isPostmasterOf(pid, cluster))) return ok(undefined);
  const mark = await processStartMark(pid);
  for (const signal of ["SIGINT", "SIGQUIT", "SIGKILL"] as const) {
    if (!sendSignal(pid, signal)) break;
    if (await isGoneWithin(deps.timers, { pid, mark }, patienceMsBySignal[signal])) {
      deps.log.warn("orphan-postgres-stopped", { pid, signal });
      return ok(undefined);
    }
  }
  return fail({
    kind: "orphan-survives",
    message: `an earlier PostgreSQL (process ${pid}) still runs on ${cluster} and does not end`,
    hint: `end it with: kill -QUIT ${pid}`,
  });
}

/**
 * Removes the lock files of a PostgreSQL that is dead but not collected by its parent, and those that
 * came along in a copy of a folder whose PostgreSQL runs on (PG26, PG40).
 *
 * Its server is dead too, so it waits for the system's first process, which in a container may
 * take seconds or never come; until then PostgreSQL believes its predecessor lives. A file goes
 * only when it names a dead postgres, or one that stands in another cluster, and none stands in this.
 */
export async function clearDeadLocks(folders: Folders): Promise<void> {
  for (const lock of [
    join(folders.cluster, "postmaster.pid"),
    socketPath(folders.socket, ".lock"),
  ]) {
    const pid = await pidIn(lock);
    if (pid === undefined) continue;
    const cluster = await realpath(folders.cluster);
    const isDead = (await uncollectedProgram(pid)) === "postgres";
    if (!isDead && !(await isPostgresElsewhere(pid, cluster))) continue;
    if ((await processesIn(cluster)).length === 0) await rm(lock, { force: true });
  }
}

async function pidIn(lock: string): Promise<number | undefined> {
  const pid = Number.parseInt((await readTextIfAny(lock)) ?? "", 10);
  return pid > 1 ? pid : undefined;
}

/** Linux only: elsewhere a process does not say where it stands. */
async function isPostgresElsewhere(pid: number, cluster: string): Promise<boolean> {
  const folder = processFolder(pid);
  if (folder === undefined || folder === cluster) return false;
  return isPostgres(await processCommand(pid));
}

function isPostgres(command: string | undefined): command is string {
  return command !== undefined && /postgres(?:\.exe)? /.test(`${command} `);
}

async function isPostmasterOf(pid: number, cluster: string): Promise<boolean> {
  const command = await processCommand(pid);
  if (!isPostgres(command)) return false;
  if (process.platform !== "linux") return command.includes(`-D ${cluster} `);
  return processFolder(pid) === (await realpath(cluster));
}

function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}

async function isGoneWithin(
  timers: Timers,
  orphan: { pid: number; mark: string | undefined },
  ms: number,
): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < ms; waitedMs += pollMs) {
    if ((await processStartMark(orphan.pid)) !== orphan.mark) return true;
    await timers.sleep(pollMs);
  }
  return false;
}
