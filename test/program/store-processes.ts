import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";
import { expect } from "vitest";
import type { Store } from "../../apps/client/src/store/store.ts";
import { pair, settle } from "../../apps/client/src/store/testing/exchange.ts";
import { TestServer } from "../../apps/client/src/store/testing/test-server.ts";
import { testStore } from "../../apps/client/src/store/testing/test-store.ts";

const client = join(import.meta.dirname, "../../apps/client");
const clientRequire = createRequire(join(client, "package.json"));
const sqlite = dirname(clientRequire.resolve("better-sqlite3/package.json"));

const binding = join(sqlite, "build/Release/better_sqlite3.node");

/** A folder with a database and the bundled saver. */
export interface SaverHome {
  readonly database: string;
  readonly saver: string;
  readonly folder: string;
}

/** Bundles the saver into a folder of its own. */
export async function createSaverHome(): Promise<SaverHome> {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-savers-"));
  const saver = await bundle("saver", folder);
  return { folder, saver, database: join(folder, "tidemark.db") };
}

async function bundle(name: "saver" | "starter", folder: string): Promise<string> {
  const outfile = join(folder, `${name}.cjs`);
  await build({
    entryPoints: [join(client, `src/store/testing/${name}.ts`)],
    outfile,
    bundle: true,
    platform: "node",
    format: "cjs",
    conditions: ["source"],
    alias: { "better-sqlite3": sqlite },
    logLevel: "error",
  });
  return outfile;
}

/** Processes that open databases at the same instants. */
export interface Starters {
  /** Has all of them open this file, which none had open before; what each of them says. */
  openAtOnce(path: string): Promise<readonly string[]>;
  end(): void;
}

/** How long before the instant the processes are told of it. */
const noticeMs = 3;

/** Starts `count` of them, bundled into `folder`. */
export async function startStarters(folder: string, count: number): Promise<Starters> {
  const starter = await bundle("starter", folder);
  const children = Array.from({ length: count }, () =>
    spawn(process.execPath, [starter, binding], { stdio: ["pipe", "pipe", "inherit"] }),
  );
  const lines = children.map(({ stdout }) =>
    createInterface({ input: stdout })[Symbol.asyncIterator](),
  );
  return {
    openAtOnce: async (path) => {
      const atMs = Date.now() + noticeMs;
      for (const { stdin } of children) stdin.write(`${path} ${atMs}\n`);
      const said = await Promise.all(lines.map(async (line) => line.next()));
      return said.map(({ value }) => String(value));
    },
    end: () => {
      for (const { stdin } of children) stdin.end();
    },
  };
}

export function removeSaverHome(home: SaverHome): void {
  rmSync(home.folder, { recursive: true, force: true });
}

/** A saver at work. `acknowledged` fills with the ids it has said. */
export interface Saver {
  readonly child: ChildProcess;
  readonly acknowledged: () => readonly string[];
  /** Done when the first id has come, or the process has ended without one. */
  readonly firstAcknowledged: Promise<void>;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  readonly errors: () => string;
}

/** Starts a saver. */
export function startSaver(home: SaverHome, prefix: string, count: number): Saver {
  const args = [home.saver, home.database, binding, prefix, String(count)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  let out = "";
  let errors = "";
  const firstAcknowledged = new Promise<void>((resolve) => {
    child.once("close", resolve);
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text;
      if (out.includes("\n")) resolve();
    });
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once("close", (code, signal) => {
      resolve({ code, signal });
    });
  });
  // The last line may be cut by a kill; its id was acknowledged all the same only if it is whole.
  const acknowledged = (): readonly string[] => out.split("\n").slice(0, -1);
  return { child, ended, firstAcknowledged, errors: () => errors, acknowledged };
}

/** Checks that a database holds all these ids and is whole: file, index, digests, outbox, chain. */
export function expectWhole(home: SaverHome, acknowledged: readonly string[]): void {
  const store = testStore({ path: home.database });
  expect(store.upkeep.check()).toEqual([]);
  const ids = new Set<string>(store.reads.list({}).map(({ id }) => id));
  expect(acknowledged.filter((id) => !ids.has(id))).toEqual([]);
  expect(store.reads.countMatches("saved", {})).toBe(ids.size);
  expectSyncable(home, store);
  store.close();
}

// On a copy, since it pairs: every op reaches a server, each with its own n and lamport, and the
// running hash is the one that the server computes.
function expectSyncable(home: SaverHome, store: Store): void {
  const path = join(home.folder, "copy.db");
  store.upkeep.backupTo(path);
  const copy = testStore({ path });
  const server = new TestServer("ns_1" as TestServer["namespace"]);
  pair(copy, server);
  const lamport = copy.replicas.replica(server.namespace)?.lamport ?? 0;
  const unsent = copy.replicas.replica(server.namespace)?.unsent ?? 0;
  expect(lamport).toBe(unsent);
  expect(settle(copy, server, 10_000)).toBe(0);
  expect(server.states().length).toBe(unsent / 2);
  expect(copy.reads.conflicts()).toEqual([]);
  copy.close();
  rmSync(path);
}
