import { lchown, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fail, ok } from "@tidemark/protocol";
import { isErrno, readTextIfAny, syncDir } from "../files.ts";
import type { Random } from "../random.ts";
import type { Binaries } from "./binaries.ts";
import { adminRole, appRole, databaseName, type Endpoint, ownerRole } from "./endpoint.ts";
import type { Attempt } from "./failure.ts";
import { type Folders, makeGivenDir, standIn } from "./folders.ts";
import type { OsUsers } from "./os-user.ts";
import { runProgram } from "./run-program.ts";

/** What a cluster is made with. */
export interface ClusterDeps {
  readonly random: Random;
  readonly binaries: Binaries;
  readonly users: OsUsers;
  readonly folders: Folders;
  readonly endpoint: Endpoint;
}

/** Unfinished clusters carry this in front; they are swept at the next start. */
const stagingPrefix = "unfinished-";

/**
 * Makes the database folder if there is none, checks it otherwise, and writes who may connect.
 *
 * A new cluster is built beside its place and renamed into it, so a first start that is cut short
 * leaves nothing that looks like a database (PG20). A folder that is not ours is never touched.
 */
export async function ensureCluster(deps: ClusterDeps): Promise<Attempt<{ isNew: boolean }>> {
  await sweepUnfinished(deps.folders);
  const state = await inspectCluster(deps);
  if (!state.ok) return state;
  if (state.value === "absent") {
    const made = await initCluster(deps);
    if (!made.ok) return made;
  }
  await writeAccessRules(deps);
  return ok({ isNew: state.value === "absent" });
}

async function inspectCluster(deps: ClusterDeps): Promise<Attempt<"absent" | "present">> {
  const { cluster } = deps.folders;
  const version = (await readTextIfAny(join(cluster, "PG_VERSION")))?.trim();
  if (version === undefined) {
    const entries = await readdir(cluster).catch((cause: unknown) => {
      if (isErrno(cause, "ENOENT")) return undefined;
      throw cause;
    });
    if (entries === undefined) return ok("absent");
    return fail({
      kind: "folder-not-a-database",
      message: `${cluster} exists but holds no PostgreSQL database`,
      hint: "move that folder away, or choose another --data-dir",
    });
  }
  if (version === String(deps.binaries.major)) return ok("present");
  return fail({
    kind: "other-major-version",
    message: `${cluster} was made by PostgreSQL ${version}; this server brings PostgreSQL ${deps.binaries.major}`,
    hint: "make a backup with the server version that made it, and restore it with this one",
  });
}

async function initCluster(deps: ClusterDeps): Promise<Attempt<void>> {
  const { folders, users, endpoint } = deps;
  const suffix = Buffer.from(deps.random.bytes(6)).toString("hex");
  const staging = join(folders.home, stagingPrefix + suffix);
  await makeGivenDir(staging, users.runAs);
  const { folder, dataArgument } = standIn(staging, users.runAs);
  const passwordName = `${stagingPrefix}password`;
  const passwordFile = join(folders.home, passwordName);
  const auth =
    endpoint.kind === "socket"
      ? ["--auth=peer"]
      : ["--auth=scram-sha-256", `--pwfile=../${passwordName}`];
  if (endpoint.kind === "loopback") await writeGiven(passwordFile, endpoint.password, users);
  const end = await runProgram(
    deps.binaries.initdb,
    [
      "-D",
      dataArgument,
      "-U",
      adminRole,
      "--encoding=UTF8",
      "--locale=C",
      "--no-instructions",
      ...auth,
    ],
    { folder, runAs: users.runAs },
  );
  await rm(passwordFile, { force: true });
  if (end.code !== 0) {
    await rm(staging, { recursive: true, force: true });
    return fail({
      kind: "initdb-failed",
      message: `cannot make the database: ${end.output}`,
      hint: "check that the disk is not full and that the data directory is on a local file system",
    });
  }
  await rename(staging, folders.cluster);
  await syncDir(folders.home);
  return ok(undefined);
}

/** Written at each start, for the name of the server's user may have changed. */
async function writeAccessRules(deps: ClusterDeps): Promise<void> {
  const { folders, users, endpoint } = deps;
  const [type, host, method] =
    endpoint.kind === "socket"
      ? ["local", "", "peer map=tidemark"]
      : ["host", "127.0.0.1/32", "scram-sha-256"];
  const rules = [
    [type, databaseName, `${ownerRole},${appRole}`, host, method],
    [type, "all", adminRole, host, method],
  ];
  const serverName = `"${users.serverName.replaceAll('"', '""')}"`;
  const names = [adminRole, ownerRole, appRole].map((role) => ["tidemark", serverName, role]);
  await writeGiven(join(folders.cluster, "pg_hba.conf"), toLines(rules), users);
  await writeGiven(join(folders.cluster, "pg_ident.conf"), toLines(names), users);
}

function toLines(rows: readonly (readonly (string | undefined)[])[]): string {
  return rows.map((row) => `${row.join(" ")}\n`).join("");
}

async function writeGiven(path: string, text: string, users: OsUsers): Promise<void> {
  await rm(path, { force: true });
  await writeFile(path, text, { mode: 0o600, flag: "wx" });
  if (users.runAs !== undefined) await lchown(path, users.runAs.uid, users.runAs.gid);
}

async function sweepUnfinished(folders: Folders): Promise<void> {
  for (const name of await readdir(folders.home)) {
    if (!name.startsWith(stagingPrefix)) continue;
    await rm(join(folders.home, name), { recursive: true, force: true });
  }
}
