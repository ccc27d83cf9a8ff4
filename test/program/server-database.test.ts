import { appendFileSync, existsSync, readFileSync, readdirSync } from "node:fs";
import { connect, createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { claimServer, outcome } from "../../apps/server/src/http/testing/client.ts";
import { systemClock } from "../../apps/server/src/platform/clock.ts";
import {
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from "../../apps/server/src/platform/embedded-postgres/embedded-postgres.ts";
import { createLog } from "../../apps/server/src/platform/log.ts";
import { systemRandom } from "../../apps/server/src/platform/random.ts";
import { systemTimers } from "../../apps/server/src/platform/timers.ts";
import { createBench, linksIn, serverAt, type Bench } from "./server-process.ts";

const deps = {
  clock: systemClock,
  random: systemRandom,
  timers: systemTimers,
  log: createLog({ level: "error" }),
};

/** Stands for a PostgreSQL that somebody else runs: it listens on an address, with passwords. */
let external: EmbeddedPostgres;
let externalDir = "";
const cluster = createBench();
let bench: Bench;

beforeAll(async () => {
  const settings = { fsync: "off", full_page_writes: "off" };
  externalDir = cluster.folder();
  const started = await startEmbeddedPostgres(deps, {
    dataDir: externalDir,
    listen: "loopback",
    settings,
  });
  if (!started.ok) throw new Error(started.error.message);
  external = started.value;
});
afterAll(async () => {
  await external.stop();
  await cluster.clear();
});
beforeEach(() => {
  bench = createBench();
});
afterEach(async () => {
  await bench.clear();
});

async function asAdmin(database: string, statements: readonly string[]): Promise<void> {
  const url = new URL(external.adminUrl);
  url.pathname = `/${database}`;
  const sql = postgres(url.href, { max: 1, onnotice: () => {} });
  try {
    for (const statement of statements) await sql.unsafe(statement);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** A login that owns its database and knows of no other role, as a hosting company gives it. */
async function createPlainLogin(name = "plain"): Promise<string> {
  const rules = join(externalDir, "postgres", "data", "pg_hba.conf");
  appendFileSync(rules, `host ${name} ${name} 127.0.0.1/32 scram-sha-256\n`);
  await asAdmin("postgres", [
    `create role ${name} login password '${name}'`,
    `create database ${name} owner ${name}`,
    "select pg_reload_conf()",
  ]);
  const url = new URL(external.url);
  [url.username, url.password, url.pathname] = [name, name, `/${name}`];
  const sql = postgres(url.href, { max: 1 });
  await expect.poll(async () => await sql`select 1 as one`.catch(() => [])).toHaveLength(1);
  await sql.end({ timeout: 5 });
  return url.href;
}

test("[OPS69] with DATABASE_URL the server runs no PostgreSQL of its own, and requests run as the app role", async () => {
  const dataDir = bench.folder();
  const env = { DATABASE_URL: external.url };
  const running = await bench.serve({ args: ["--port", "0", "--data-dir", dataDir], env });
  await expect.poll(() => linksIn(running.stdout())).toHaveLength(1);
  const owner = await claimServer(serverAt(running.url, linksIn(running.stdout())[0]));
  const files = ["audit-end", "instance.json", "master.key", "public-urls.json"];
  expect(readdirSync(dataDir).toSorted()).toEqual(files);
  expect(await outcome(await owner.send("/v1/devices"))).toBe("200");
  // The login owns the table, so only the role it takes can be kept out.
  await asAdmin("tidemark", ["revoke select on tidemark.devices from tidemark_app"]);
  expect(await outcome(await owner.send("/v1/devices"))).toBe("500 internal");
  await asAdmin("tidemark", ["grant select on tidemark.devices to tidemark_app"]);
  expect(await outcome(await owner.send("/v1/devices"))).toBe("200");
  running.kill("SIGTERM");
  expect((await running.ended).code).toBe(0);
});

test("[AD8] a server whose database was put back from an older copy says so in its audit (abuse 187)", async () => {
  const dataDir = bench.folder();
  const start = async () => {
    const env = { DATABASE_URL: external.url };
    return await bench.serve({ args: ["--port", "0", "--data-dir", dataDir], env });
  };
  const stop = async (running: Awaited<ReturnType<typeof start>>): Promise<void> => {
    running.kill("SIGTERM");
    expect((await running.ended).code).toBe(0);
  };
  await stop(await start());
  const [seq] = readFileSync(join(dataDir, "audit-end"), "utf8").split(" ");
  // As pg_restore of a copy from before the last row leaves it.
  await asAdmin("tidemark", [
    "delete from tidemark.audit where seq = (select max(seq) from tidemark.audit)",
    `update tidemark.audit_head set (seq, hash) =
      (select seq, hash from tidemark.audit order by seq desc limit 1)`,
  ]);
  await stop(await start());
  const sql = postgres(external.adminUrl.replace(/\/[^/]*$/u, "/tidemark"), { max: 1 });
  const rows = await sql`select seq::int, event, details from tidemark.audit order by seq desc`;
  await sql.end({ timeout: 5 });
  expect(rows[0]).toEqual({
    seq: Number(seq),
    event: "audit-set-back",
    details: `{"row":"missing","seq":${seq}}`,
  });
});

test("[OPS69] a login without the app role serves as itself", async () => {
  const url = await createPlainLogin();
  const env = { DATABASE_URL: url };
  const args = ["--data-dir", bench.folder()];
  const migrated = await bench.run({ args: ["migrate", "--json", ...args], env });
  expect(migrated).toMatchObject({ code: 0, stderr: "" });
  expect((JSON.parse(migrated.stdout) as { applied: unknown[] }).applied.length).toBeGreaterThan(0);
  const running = await bench.serve({ args: ["--port", "0", "--pokes", "poll", ...args], env });
  await expect.poll(() => linksIn(running.stdout())).toHaveLength(1);
  const owner = await claimServer(serverAt(running.url, linksIn(running.stdout())[0]));
  await asAdmin("plain", ["revoke all on all tables in schema tidemark from tidemark_app"]);
  expect(await outcome(await owner.send("/v1/devices"))).toBe("200");
});

test("[OPS94] tables that a later version has changed are served, and that is told by log, migrate and backup", async () => {
  const dataDir = bench.folder();
  const env = { DATABASE_URL: await createPlainLogin("later") };
  const run = async (...args: readonly string[]) =>
    await bench.run({ args: [...args, "--data-dir", dataDir], env });
  expect((await run("migrate")).stdout).toContain("up to date now");
  await asAdmin("later", [
    "insert into tidemark.migrations (id) values ('9999_later')",
    "alter table tidemark.records add column later text not null default 'x'",
  ]);
  const told = await run("migrate");
  expect(told).toMatchObject({ code: 0, stderr: "" });
  expect(told.stdout).toMatch(/^A newer version than \S+ has changed .*: 9999_later\. Update this/);
  const json = JSON.parse((await run("migrate", "--json")).stdout) as unknown;
  expect(json).toEqual({ applied: [], later: ["9999_later"] });
  const args = ["--port", "0", "--pokes", "poll", "--data-dir", dataDir];
  const running = await bench.serve({ args, env });
  await expect.poll(() => linksIn(running.stdout())).toHaveLength(1);
  await claimServer(serverAt(running.url, linksIn(running.stdout())[0]));
  expect(running.stderr()).toMatch(/9999_later.*"event":"database-newer"/);
  const file = join(dataDir, "later.backup");
  expect((await run("backup", file)).stdout).toContain("this one cannot restore the file");
  expect((await run("restore", "--replace", file)).stderr).toContain("does not know");
});

/** Stands before the database and says of it that it is another version. */
async function pretendVersion(version: string): Promise<{ url: string; close: () => void }> {
  const sql = postgres(external.url, { max: 1 });
  const [row] = await sql<{ server_version_num: string }[]>`show server_version_num`;
  await sql.end({ timeout: 5 });
  const url = new URL(external.url);
  const { port } = url;
  const proxy = createServer((client) => {
    const upstream = connect(Number(port), "127.0.0.1");
    client.pipe(upstream);
    upstream.on("data", (chunk: Buffer) => {
      const text = chunk.toString("latin1").replaceAll(row?.server_version_num ?? "", version);
      client.write(Buffer.from(text, "latin1"));
    });
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on("error", () => to.destroy());
      from.on("close", () => to.destroy());
    }
  });
  await new Promise<void>((resolve) => {
    proxy.listen(0, "127.0.0.1", resolve);
  });
  url.port = String((proxy.address() as AddressInfo).port);
  return { url: url.href, close: () => proxy.close() };
}

test("[OPS26] a PostgreSQL older than 15 is refused before anything is written to it (abuse 188)", async () => {
  await asAdmin("tidemark", ["drop schema if exists tidemark cascade"]);
  const migrateOn = async (version: string) => {
    const { url, close } = await pretendVersion(version);
    const env = { DATABASE_URL: url };
    const ended = await bench.run({ args: ["migrate", "--data-dir", bench.folder()], env });
    close();
    return ended;
  };
  const refused = await migrateOn("140012");
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toBe(
    "error: the database is PostgreSQL 14.12; the server needs 15 or newer\nhint: update PostgreSQL, or leave DATABASE_URL out to use the one that comes with the server\n",
  );
  // This fails where the schema was made all the same.
  await asAdmin("tidemark", ["create schema tidemark", "drop schema tidemark"]);
  expect((await migrateOn("150000")).code).toBe(0);
});

test("[OPS98] a database without a place for every character is refused untouched, and a backup leads out of it", async () => {
  const login = await createPlainLogin("narrow");
  const kind = "template template0 locale 'C' owner narrow encoding";
  await asAdmin("postgres", [`drop database narrow`, `create database narrow ${kind} latin1`]);
  const env = { DATABASE_URL: login };
  const args = ["--data-dir", bench.folder()];
  for (const command of ["migrate", "serve", "setup-link"]) {
    const ended = await bench.run({ args: [command, ...args], env });
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toMatch(
      /^error: the database is of the encoding LATIN1, [^\n]+\nhint: make one [^\n]+ backup and restore\n$/,
    );
  }
  // This fails where the schema was made all the same.
  await asAdmin("narrow", ["create schema tidemark", "drop schema tidemark"]);

  // A server of before has served from there.
  await asAdmin("postgres", [`drop database narrow`, `create database narrow ${kind} utf8`]);
  const before = await bench.serve({ args: ["--port", "0", ...args], env });
  before.kill("SIGTERM");
  await before.ended;
  await asAdmin("postgres", [
    "update pg_database set encoding = pg_char_to_encoding('latin1') where datname = 'narrow'",
  ]);
  const file = join(bench.folder(), "narrow.backup");
  expect(await bench.run({ args: ["backup", file, ...args], env })).toMatchObject({ code: 0 });
  await asAdmin("postgres", [`drop database narrow`, `create database narrow ${kind} utf8`]);
  expect(await bench.run({ args: ["restore", file, ...args], env })).toMatchObject({ code: 0 });
  const after = await bench.serve({ args: ["--port", "0", ...args], env });
  after.kill("SIGTERM");
  expect(await after.ended).toMatchObject({ code: 0 });
});

test("[OPS69] a database that is away or refuses is told without its password", async () => {
  const away = "postgres://u:hunter2@127.0.0.1:9/db";
  const wrong = new URL(external.url);
  wrong.password = "hunter2";
  for (const [url, code] of [
    [away, "database-unavailable"],
    [wrong.href, "database-refused"],
  ] as const) {
    const dataDir = join(bench.folder(), "data");
    const env = { DATABASE_URL: url };
    const ended = await bench.run({ args: ["migrate", "--json", "--data-dir", dataDir], env });
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(JSON.parse(ended.stderr)).toMatchObject({ error: { code } });
    expect(ended.stderr).not.toContain("hunter2");
    expect(existsSync(join(dataDir, "postgres"))).toBe(false);
  }
});
