// Runs the server's PostgreSQL tests, and the built server, on another PostgreSQL than the one it brings:
// version 15, the oldest that is supported. It stands apart from the tests, because those binaries are not
// everywhere and a test that passes without them would say nothing.
//
//   node scripts/check-postgres-15.mjs [folder of the binaries]
import { spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const serverProgram = join(root, "apps/server/dist/main.js");
const binaries = process.argv[2] ?? "/usr/lib/postgresql/15/bin";
const suites = [
  "apps/server/src/store",
  "apps/server/src/domain",
  "apps/server/src/platform/head-notices",
];
const readyMsMax = 30_000;

process.exitCode = await main();

async function main() {
  if (!existsSync(join(binaries, "initdb"))) {
    return fail(`there is no PostgreSQL in ${binaries}`, "name the folder that holds initdb");
  }
  if (!existsSync(serverProgram)) return fail("the server is not built", "npm run build");
  const folder = mkdtempSync(join(tmpdir(), "tidemark-postgres-15-"));
  const user = unprivilegedUser();
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const port = await freePort();
  const postmaster = startCluster(join(folder, "data"), port, user);
  try {
    const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
    await untilReady(port);
    say(version());
    const isGood = runSuites(url);
    return (await serveOn(url, join(folder, "server"))) && isGood ? 0 : 1;
  } finally {
    postmaster.kill("SIGINT");
    await new Promise((resolve) => postmaster.once("exit", resolve));
    rmSync(folder, { recursive: true, force: true });
  }
}

function startCluster(data, port, user) {
  // Reached through the loopback address alone, for as long as this program runs.
  run("initdb", ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"], user);
  const settings = [
    `port=${port}`,
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "fsync=off",
  ];
  const args = [
    "-D",
    data,
    ...[...settings, "max_connections=200"].flatMap((text) => ["-c", text]),
  ];
  return spawn(join(binaries, "postgres"), args, { cwd: "/", stdio: "ignore", ...user });
}

async function untilReady(port) {
  const until = Date.now() + readyMsMax;
  while (
    spawnSync(join(binaries, "pg_isready"), ["-h", "127.0.0.1", "-p", String(port)]).status !== 0
  ) {
    if (Date.now() > until) throw new Error("PostgreSQL does not start");
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
  }
}

function runSuites(url) {
  const { status } = spawnSync("npx", ["vitest", "run", "--project", "postgres", ...suites], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, TIDEMARK_TEST_DATABASE_URL: url },
  });
  return status === 0;
}

/** The built program migrates an empty database, serves on it and stops. */
async function serveOn(url, dataDir) {
  run("psql", ["-q", url, "-c", "create database served"]);
  const database = new URL(url);
  database.pathname = "/served";
  const args = [serverProgram, "serve", "--port", "0", "--data-dir", dataDir];
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, DATABASE_URL: database.href },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const listening = new Promise((resolve) => {
    let said = "";
    child.stdout.on("data", (chunk) => {
      said += chunk;
      const found = /^Tidemark listens on (\S+)/m.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    void ended.then(() => resolve(undefined));
  });
  const address = await listening;
  if (address === undefined) return false;
  const { status } = await fetch(`${address}/readyz`);
  child.kill("SIGTERM");
  const code = await ended;
  say(`The built server: /readyz ${status}, exit ${code}`);
  return status === 200 && code === 0;
}

/** PostgreSQL does not run as root. */
function unprivilegedUser() {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag) => Number(spawnSync("id", [flag, "nobody"], { encoding: "utf8" }).stdout);
  return { uid: idOf("-u"), gid: idOf("-g") };
}

function version() {
  return spawnSync(join(binaries, "postgres"), ["--version"], { encoding: "utf8" }).stdout.trim();
}

function run(program, args, user = {}) {
  const ended = spawnSync(join(binaries, program), args, { cwd: "/", encoding: "utf8", ...user });
  if (ended.status !== 0) throw new Error(`${program}: ${ended.stderr}`);
}

async function freePort() {
  return await new Promise((resolve) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function say(line) {
  process.stdout.write(`${line}\n`);
}

function fail(message, hint) {
  process.stderr.write(`error: ${message}\nhint: ${hint}\n`);
  return 1;
}
