import { type ChildProcess, spawn } from "node:child_process";
import { chmod, chown, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import postgres from "postgres";
import { afterEach, expect, test } from "vitest";
import { systemClock } from "../clock.ts";
import { silentLog } from "../log.ts";
import { postgresTarget } from "../../postgres-target.ts";
import { processStartMark } from "../process-facts.ts";
import { systemRandom } from "../random.ts";
import { systemTimers } from "../timers.ts";
import {
  type EmbeddedPostgres,
  findEmbeddedPostgres,
  startEmbeddedPostgres,
} from "./embedded-postgres.ts";

const deps = { clock: systemClock, random: systemRandom, timers: systemTimers, log: silentLog };
const isWindows = process.platform === "win32";
const isRoot = process.getuid?.() === 0;

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean();
});

async function makeDataDir(): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), "tidemark-pg-"));
  cleanups.push(() => rm(parent, { recursive: true, force: true }));
  return join(parent, "data");
}

async function start(dataDir: string): Promise<EmbeddedPostgres> {
  const started = await startEmbeddedPostgres(deps, { dataDir });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  cleanups.push(() => started.value.stop());
  return started.value;
}

function open(connectionString: string, max = 1): postgres.Sql {
  const { url, options } = postgresTarget(connectionString);
  const sql = postgres(url, { ...options, max, onnotice: () => {} });
  cleanups.push(() => sql.end({ timeout: 0 }));
  return sql;
}

interface TestServer {
  readonly child: ChildProcess;
  readonly said: Readonly<Record<string, unknown>>;
  readonly ended: Promise<number | null>;
}

/** Runs the test program as its own process, as `uid` if given, and waits for its first line. */
async function runServer(dataDir: string, uid?: number): Promise<TestServer> {
  const program = fileURLToPath(new URL("../testing/database-program.ts", import.meta.url));
  const loader = createRequire(import.meta.url).resolve("tsx");
  const child = spawn(
    process.execPath,
    ["--conditions=source", "--import", loader, program, dataDir],
    {
      env: { ...process.env, TSX_DISABLE_CACHE: "1" },
      stdio: ["ignore", "pipe", "inherit"],
      ...(uid === undefined ? {} : { uid, gid: uid }),
    },
  );
  cleanups.push(async () => child.kill("SIGTERM") && (await ended));
  const ended = new Promise<number | null>((resolve) => child.on("exit", resolve));
  const line = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", resolve);
    child.once("exit", () => reject(new Error("the program said nothing")));
  });
  return { child, said: JSON.parse(line), ended };
}

async function postmasterPid(dataDir: string): Promise<number> {
  return Number.parseInt(await readFile(join(dataDir, "postgres/data/postmaster.pid"), "utf8"), 10);
}

test("[PG20] the first start makes the database, later ones reopen it with its rows", async () => {
  const dataDir = await makeDataDir();
  const first = await start(dataDir);
  expect(first.isNew).toBe(true);
  await open(first.url)`create table kept as select 42 as answer`;
  await first.stop();
  const second = await start(dataDir);
  expect(second.isNew).toBe(false);
  expect(await open(second.url)`select answer from kept`).toMatchObject([{ answer: 42 }]);
  expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
});

test("[PG20] what a first start that was cut short left behind is swept", async () => {
  const dataDir = await makeDataDir();
  const first = await start(dataDir);
  await first.stop();
  await writeFile(join(dataDir, "postgres/unfinished-abc"), "half");
  await start(dataDir);
  expect((await readdir(join(dataDir, "postgres"))).toSorted()).toEqual(["data", "socket"]);
});

test("[PG20] a folder that holds something else is refused and left as it is", async () => {
  const dataDir = await makeDataDir();
  const first = await start(dataDir);
  await first.stop();
  await rm(join(dataDir, "postgres/data/PG_VERSION"));
  const again = await startEmbeddedPostgres(deps, { dataDir });
  expect(again).toMatchObject({ ok: false, error: { kind: "folder-not-a-database" } });
  await writeFile(join(dataDir, "postgres/data/PG_VERSION"), "12\n");
  const older = await startEmbeddedPostgres(deps, { dataDir });
  expect(older).toMatchObject({ ok: false, error: { kind: "other-major-version" } });
});

test.skipIf(isWindows)(
  "[PG21] a second server is refused by name and the first one serves on",
  async () => {
    const dataDir = await makeDataDir();
    const first = await runServer(dataDir);
    const second = await startEmbeddedPostgres(deps, { dataDir });
    expect(second).toMatchObject({ ok: false, error: { kind: "data-dir-in-use" } });
    expect(JSON.stringify(second)).toContain(`kill ${first.child.pid}`);
    expect(await open(String(first.said["url"]))`select 1 as one`).toMatchObject([{ one: 1 }]);
  },
);

test.skipIf(isWindows)(
  "[PG22] nothing listens on the network and only the server's user gets in",
  async () => {
    const server = await start(await makeDataDir());
    const sql = open(server.adminUrl);
    const settings = await sql`select name, setting from pg_settings where name in
    ('listen_addresses', 'fsync', 'full_page_writes', 'synchronous_commit') order by name`;
    expect(settings.map(({ name, setting }) => `${name}=${setting}`)).toEqual([
      "fsync=on",
      "full_page_writes=on",
      "listen_addresses=",
      "synchronous_commit=on",
    ]);
    const rules = await sql`select type, auth_method from pg_hba_file_rules`;
    expect(new Set(rules.map((rule) => `${rule["type"]} ${rule["auth_method"]}`))).toEqual(
      new Set(["local peer"]),
    );
  },
);

test("[PG22] on the loopback address a wrong password is refused", async () => {
  const dataDir = await makeDataDir();
  const started = await startEmbeddedPostgres(deps, { dataDir, listen: "loopback" });
  if (!started.ok) throw new Error(started.error.message);
  cleanups.push(() => started.value.stop());
  expect(await open(started.value.appUrl)`select 1 as one`).toMatchObject([{ one: 1 }]);
  const guess = new URL(started.value.appUrl);
  guess.password = "guess";
  await expect(open(guess.href)`select 1`).rejects.toThrow("password authentication failed");
  expect((await stat(join(dataDir, "postgres-password"))).mode & 0o777).toBe(0o600);
});

test.skipIf(isWindows)(
  "[PG22] a data directory too deep for a socket gets a short one elsewhere",
  async () => {
    const dataDir = join(await makeDataDir(), "deep".repeat(15), "deeper".repeat(10));
    const server = await start(dataDir);
    expect(await open(server.url)`select 1 as one`).toMatchObject([{ one: 1 }]);
    const folder = new URL(server.url).searchParams.get("host") ?? "";
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    await server.stop();
    await expect(stat(folder)).rejects.toThrow("ENOENT");
  },
);

test.runIf(isRoot)("[PG23] root hands PostgreSQL to an unprivileged user", async () => {
  const dataDir = await makeDataDir();
  const server = await start(dataDir);
  await open(server.url)`select 1`;
  const { uid } = await stat(join(dataDir, "postgres"));
  expect(uid).toBeGreaterThan(0);
  expect((await stat(`/proc/${await postmasterPid(dataDir)}`)).uid).toBe(uid);
});

test.runIf(isRoot)("[PG23] an ordinary user runs PostgreSQL itself", async () => {
  const nobody = 65_534;
  const dataDir = await makeDataDir();
  const parent = join(dataDir, "..");
  await chown(parent, nobody, nobody);
  await chmod(parent, 0o700);
  const server = await runServer(dataDir, nobody);
  expect(server.said).toMatchObject({ uid: nobody, url: expect.stringContaining("postgres:") });
  const pid = await postmasterPid(dataDir);
  expect((await stat(`/proc/${pid}`)).uid).toBe(nobody);
  server.child.kill("SIGTERM");
  expect(await server.ended).toBe(0);
  expect(await processStartMark(pid)).toBeUndefined();
});

test("[PG25] the app role owns nothing, bypasses nothing and makes nothing", async () => {
  const server = await start(await makeDataDir());
  const app = open(server.appUrl);
  const roles = await app`select rolname, rolsuper, rolbypassrls, rolcreatedb, rolcreaterole
    from pg_roles where rolname = current_user`;
  expect(roles).toEqual([
    {
      rolname: "tidemark_app",
      rolsuper: false,
      rolbypassrls: false,
      rolcreatedb: false,
      rolcreaterole: false,
    },
  ]);
  const owner = open(server.url);
  await owner`create table guarded (n int)`;
  await expect(app`select n from guarded`).rejects.toThrow("permission denied");
  await expect(app`create table own (n int)`).rejects.toThrow("permission denied");
  await expect(app`set role tidemark_owner`).rejects.toThrow("permission denied");
  await owner`set role tidemark_app`;
  await expect(owner`select n from guarded`).rejects.toThrow("permission denied");
});

test.skipIf(isWindows)(
  "[PG26] the orphan of a killed server is ended, and no committed row is lost",
  async () => {
    const dataDir = await makeDataDir();
    const killed = await runServer(dataDir);
    const sql = open(String(killed.said["url"]));
    await sql`create table kept as select 7 as n`;
    const orphan = await postmasterPid(dataDir);
    killed.child.kill("SIGKILL");
    await killed.ended;
    expect(await processStartMark(orphan)).toBeDefined();
    const server = await start(dataDir);
    expect(await processStartMark(orphan)).toBeUndefined();
    expect(await open(server.url)`select n from kept`).toMatchObject([{ n: 7 }]);
  },
);

test.skipIf(isWindows)(
  "[PG26] a start right after server and PostgreSQL were killed together succeeds",
  async () => {
    const dataDir = await makeDataDir();
    const killed = await runServer(dataDir);
    await open(String(killed.said["url"]))`create table kept as select 7 as n`;
    process.kill(await postmasterPid(dataDir), "SIGKILL");
    killed.child.kill("SIGKILL");
    await killed.ended;
    const server = await start(dataDir);
    expect(await open(server.url)`select n from kept`).toMatchObject([{ n: 7 }]);
  },
);

test.skipIf(isWindows)(
  "[PG26] a stranger with the pid an old PostgreSQL had is not signalled",
  async () => {
    const dataDir = await makeDataDir();
    const first = await start(dataDir);
    await first.stop();
    const stranger = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    cleanups.push(async () => stranger.kill("SIGKILL"));
    await writeFile(
      join(dataDir, "postgres/data/postmaster.pid"),
      `${stranger.pid}\n/x\n1\n5432\n`,
    );
    // PostgreSQL itself refuses such a file while that process lives, which is its own safety net.
    const again = await startEmbeddedPostgres(deps, { dataDir });
    if (again.ok) await again.value.stop();
    expect(stranger.exitCode).toBeNull();
    expect(stranger.signalCode).toBeNull();
  },
);

test.skipIf(isWindows)(
  "[PG27] a PostgreSQL that dies is started again at the same address",
  async () => {
    const dataDir = await makeDataDir();
    const server = await start(dataDir);
    const sql = open(server.url);
    await sql`create table kept as select 7 as n`;
    process.kill(await postmasterPid(dataDir), "SIGKILL");
    await expect
      .poll(() => sql`select n from kept`.catch(() => []), { timeout: 20_000 })
      .toMatchObject([{ n: 7 }]);
  },
);

test.skipIf(isWindows)(
  "[PG29] stops within 10 s while clients write, and keeps what they were told",
  async () => {
    const dataDir = await makeDataDir();
    const server = await start(dataDir);
    const sql = open(server.url, 8);
    await sql`create table kept (n int primary key)`;
    const acknowledged: number[] = [];
    const write = async (writer: number): Promise<void> => {
      for (let n = writer; n < 1e6; n += 8) {
        await sql`insert into kept values (${n})`;
        acknowledged.push(n);
      }
    };
    const writers = Promise.allSettled([0, 1, 2, 3, 4, 5, 6, 7].map(write));
    const idle = await open(server.url).reserve();
    await idle`begin`;
    await expect.poll(() => acknowledged.length).toBeGreaterThan(50);
    const startedAtMs = performance.now();
    await server.stop();
    expect(performance.now() - startedAtMs).toBeLessThan(10_000);
    await writers;
    const again = await start(dataDir);
    const rows = await open(again.url)`select n from kept`;
    const stored = new Set(rows.map((row) => row["n"]));
    expect(acknowledged.filter((n) => !stored.has(n))).toEqual([]);
  },
);

test("[PG21] other commands find the running database by the data directory", async () => {
  const dataDir = await makeDataDir();
  expect(await findEmbeddedPostgres(dataDir)).toBeUndefined();
  const server = await start(relative(process.cwd(), dataDir));
  const found = await findEmbeddedPostgres(dataDir);
  expect(found).toEqual({ url: server.url, appUrl: server.appUrl, adminUrl: server.adminUrl });
});
