import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { build } from "esbuild";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { unpairedNamespace } from "../../packages/protocol/src/index.ts";
import { migrate } from "../../apps/client/src/store/migrate.ts";
import { migrations } from "../../apps/client/src/store/migrations/index.ts";
import { schemaOf } from "../../apps/client/src/store/repair/examine.ts";
import { openDatabase } from "../../apps/client/src/store/sqlite.ts";
import { openRepaired, save } from "../../apps/client/src/store/testing/damage.ts";
import { seededRandom, testStore } from "../../apps/client/src/store/testing/test-store.ts";
import { statementsOf } from "../../apps/client/src/store/testing/migration-steps.ts";

const client = join(import.meta.dirname, "../../apps/client");
const clientRequire = createRequire(join(client, "package.json"));
const sqlite = dirname(clientRequire.resolve("better-sqlite3/package.json"));
let folder: string;
let path: string;
let homes = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-repair-"));
  await build({
    entryPoints: [join(client, "src/store/testing/opener.ts")],
    outfile: join(folder, "opener.cjs"),
    bundle: true,
    platform: "node",
    format: "cjs",
    conditions: ["source"],
    alias: { "better-sqlite3": sqlite },
    logLevel: "error",
  });
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

beforeEach(() => {
  homes += 1;
  path = join(mkdtempSync(join(folder, `home${String(homes)}-`)), "tidemark.db");
});

interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly out: string;
  readonly errors: string;
}

/** Runs the opener; `killAfterMs` ends it as a power cut would. */
async function run(args: readonly string[], killAfterMs?: number): Promise<Ended> {
  const binding = join(sqlite, "build/Release/better_sqlite3.node");
  const child = spawn(process.execPath, [join(folder, "opener.cjs"), path, binding, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const ended = new Promise<Ended>((resolve) => {
    child.once("close", (code, signal) => {
      resolve({ code, signal, out, errors });
    });
  });
  if (killAfterMs !== undefined) {
    await sleep(killAfterMs);
    child.kill("SIGKILL");
  }
  return ended;
}

function makeDamaged(records: number): void {
  const store = testStore({ path, random: seededRandom(path) });
  for (let n = 0; n < records; n += 1) {
    save(store, unpairedNamespace, `record${String(n)}`, { title: `title ${String(n)}`.repeat(9) });
  }
  store.close();
  ruin();
}

function ruin(): void {
  writeFileSync(path, readFileSync(path).fill(0, 0, 4096));
}

const damaged = (): readonly string[] =>
  readdirSync(dirname(path)).filter((name) => /\.damaged-[^/]*Z(?:-\d+)?$/.test(name));

test("[ST17] of six processes that find one database damaged one repairs it, and all go on", async () => {
  makeDamaged(200);
  const ids = Array.from({ length: 6 }, (_, n) => `after${String(n)}`);
  const ended = await Promise.all(ids.map((id) => run([id])));
  expect(ended.map(({ code, errors }) => ({ code, errors }))).toEqual(
    ids.map(() => ({ code: 0, errors: "" })),
  );
  const repairs = ended.filter(
    ({ out }) => (JSON.parse(out) as { repair: unknown }).repair !== null,
  );
  expect([repairs.length, damaged().length]).toEqual([1, 1]);
  const { store, repair } = openRepaired(path);
  expect([repair, store.reads.list({}).length]).toEqual([undefined, 206]);
  store.close();
});

test("[ST14] whenever a repair is killed, the next one saves all there is", async () => {
  makeDamaged(300);
  let kills = 0;
  const acknowledged: string[] = [];
  for (let round = 0; round < 24; round += 1) {
    const id = `round${String(round)}`;
    const ended = await run([id], 60 + round * 12);
    if (ended.signal === "SIGKILL") kills += 1;
    else expect({ code: ended.code, errors: ended.errors }).toEqual({ code: 0, errors: "" });
    if (ended.out.endsWith("\n")) acknowledged.push(id);
    // A round that came through has repaired it, so the next one finds new damage.
    if (ended.code === 0) ruin();
  }
  expect(kills).toBeGreaterThan(5);
  const { store } = openRepaired(path);
  const held = new Set<string>(store.reads.list({}).map(({ id }) => id));
  const made = Array.from({ length: 300 }, (_, n) => `record${String(n)}`);
  expect([...made, ...acknowledged].filter((id) => !held.has(id))).toEqual([]);
  expect(store.upkeep.check()).toEqual([]);
  store.close();
});

test("[ST19] a process that is killed in a migration leaves a whole number of them", async () => {
  const all = migrations.reduce((sum, { sql }) => sum + statementsOf(sql).length + 1, 0);
  for (const step of [1, Math.floor(all / 2), all - 1, all]) {
    rmSync(path, { force: true });
    const ended = await run(["--die-behind", String(step)]);
    expect({ signal: ended.signal, errors: ended.errors }).toEqual({
      signal: "SIGKILL",
      errors: "",
    });
    const db = openDatabase({ path, busyTimeoutMs: 100 });
    const fresh = openDatabase({ path: ":memory:", busyTimeoutMs: 100 });
    migrate(fresh, migrations.slice(0, Number(db.pragma("user_version"))));
    expect(schemaOf(db)).toBe(schemaOf(fresh));
    migrate(fresh, migrations);
    migrate(db, migrations);
    expect(schemaOf(db)).toBe(schemaOf(fresh));
    fresh.close();
    db.close();
    for (const end of ["", "-wal", "-shm"]) rmSync(`${path}${end}`, { force: true });
  }
});
