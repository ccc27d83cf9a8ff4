import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, expect, test, vi } from "vitest";
import { systemClock } from "../../apps/server/src/platform/clock.ts";
import { startEmbeddedPostgres } from "../../apps/server/src/platform/embedded-postgres/embedded-postgres.ts";
import { createLog } from "../../apps/server/src/platform/log.ts";
import { systemRandom } from "../../apps/server/src/platform/random.ts";
import { systemTimers } from "../../apps/server/src/platform/timers.ts";
import { postgresTarget } from "../../apps/server/src/postgres-target.ts";
import { migrate } from "../../apps/server/src/store/postgres/migrate.ts";
import { createBench, postmasterPid, serverProgram } from "./server-process.ts";

const bench = createBench();
afterAll(async () => {
  await bench.clear();
});

const deps = {
  clock: systemClock,
  random: systemRandom,
  timers: systemTimers,
  log: createLog({ level: "error" }),
};

/** A data directory that a backup of reads for ten minutes. */
async function slowToRead(): Promise<string> {
  const dataDir = bench.folder();
  const started = await startEmbeddedPostgres(deps, { dataDir });
  if (!started.ok) throw new Error(started.error.message);
  const own = started.value;
  await migrate(own.url);
  const target = postgresTarget(own.url);
  const sql = postgres(target.url, { ...target.options, max: 1 });
  await sql`alter table tidemark.server rename to server_kept`;
  await sql`
    create view tidemark.server as
    select 'srv_a' as id, 1 as claimed_at_ms where pg_sleep(600) is not null`;
  await sql.end();
  await own.stop();
  return dataDir;
}

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "[OPS117] a command that %s ends takes its own PostgreSQL along, and says that it was stopped",
  async (signal) => {
    const [dataDir, out] = [await slowToRead(), bench.folder()];
    const args = ["backup", join(out, "one.backup"), "--json", "--data-dir", dataDir];
    const env = { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent" };
    const child = spawn(process.execPath, [serverProgram, ...args], { env });
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    const ended = once(child, "close");
    await vi.waitUntil(() => postmasterPid(dataDir) !== undefined, { timeout: 60_000 });
    child.kill(signal);
    expect(await ended).toEqual([130, null]);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: "interrupted" } });
    await vi.waitUntil(() => postmasterPid(dataDir) === undefined, { timeout: 60_000 });
    expect(readdirSync(out)).toEqual([]);
  },
);

test("[OPS118] a backup of a data directory that holds no database makes none there", async () => {
  const [dataDir, out] = [join(bench.folder(), "mistyped"), bench.folder()];
  const file = join(out, "one.backup");
  const { code, stderr } = await bench.run({ args: ["backup", file, "--data-dir", dataDir] });
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining("error: the database holds no server"),
  ]);
  expect([existsSync(dataDir), existsSync(file)]).toEqual([false, false]);
});

test("[OPS126] owner-reset and keys rotate of a data directory that holds no server make none there", async () => {
  const [dataDir, masterKey] = [join(bench.folder(), "mistyped"), join(bench.folder(), "key")];
  writeFileSync(masterKey, Buffer.alloc(32, 7).toString("base64"), { mode: 0o600 });
  const env = { TIDEMARK_MASTER_KEY_FILE: masterKey };
  for (const args of [["owner-reset"], ["keys", "rotate"], ["keys", "rotate", "--now"]]) {
    const { code, stdout, stderr } = await bench.run({
      args: [...args, "--data-dir", dataDir],
      env,
    });
    expect([code, stdout, stderr]).toEqual([
      1,
      "",
      expect.stringContaining("error: the data directory holds no server"),
    ]);
    expect(existsSync(dataDir)).toBe(false);
  }
});
