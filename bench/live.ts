/**
 * How soon a write on one device is found on another, both online: the built server and the built
 * `tidemark daemon` on both sides. This program writes into the first device's database as a hook
 * does, in a process of its own; the daemon there finds it, the daemon on the other side hears of it
 * by a poke, and the second database is asked by full-text search until it answers.
 *
 *   npm run bench:live                  20 writes, one after the other
 *   npm run bench:live -- --json
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import Sqlite from "better-sqlite3";
import type { RecordId } from "../packages/protocol/src/index.ts";
import { systemClock } from "../apps/client/src/platform/clock.ts";
import { systemTimers } from "../apps/client/src/platform/timers.ts";
import type { ScrubbedFields } from "../apps/client/src/store/scrubbed-fields.ts";
import { syncLimits } from "../apps/client/src/sync/sync-limits.ts";
import { openDeviceHome } from "../apps/client/src/wiring/home.ts";
import type { Store } from "../apps/client/src/store/store.ts";
import { openMemory } from "../apps/client/src/wiring/memory.ts";
import { quantile } from "./measure/numbers.ts";
import { processCpu } from "./measure/processes.ts";
import { startReport } from "./measure/report.ts";
import { generateObservations } from "./sync/observations.ts";
import { clientProgram, databaseOf, startServer, tidemark } from "./sync/programs.ts";

const foundP50MsMax = 50;
/** A write that is not found after this long fails the run. */
const foundMsMax = 15_000;

interface Write {
  /** Written until the server has acknowledged it. */
  readonly ackedMs: number;
  /** Written until the other device finds it. */
  readonly foundMs: number;
}

const { values } = parseArgs({
  options: {
    writes: { type: "string", default: "20" },
    json: { type: "boolean", default: false },
  },
});
const [observation] = generateObservations(1);
const report = startReport("live", values.json);
const folder = mkdtempSync(join(tmpdir(), "tidemark-bench-"));
try {
  await run(Number(values.writes));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function run(count: number): Promise<void> {
  const [a, b] = [join(folder, "a"), join(folder, "b")];
  mkdirSync(a);
  mkdirSync(b);
  const server = await startServer(join(folder, "server"));
  try {
    tidemark(a, ["pair", server.setupLink, "--name", "a", "--json"]);
    const added = JSON.parse(tidemark(a, ["device", "add", "--json"])) as { readonly link: string };
    tidemark(b, ["pair", added.link, "--name", "b", "--json"]);
    const [writing, reading] = [startDaemon(a), startDaemon(b)];
    const { store } = openMemory(openDeviceHome({ TIDEMARK_HOME: join(a, "tidemark") }));
    const reader = new Sqlite(databaseOf(b), { readonly: true });
    try {
      const cpu = (): readonly number[] => {
        const { program, postgres } = server.cpu();
        const daemons = [writing, reading].map(({ pid }) => processCpu(pid) ?? 0);
        return [...daemons, program, postgres];
      };
      // The first one waits for both devices to be online, and is not counted.
      await write(store, reader, -1);
      const before = cpu();
      const writes: Write[] = [];
      for (let index = 0; index < count; index += 1) {
        await systemTimers.sleep(syncLimits.pushGatherMsMax + 200);
        writes.push(await write(store, reader, index));
      }
      const used = cpu().map((seconds, index) => ((seconds - (before[index] ?? 0)) * 1000) / count);
      tell(writes, used);
    } finally {
      reader.close();
      store.close();
      await writing.stop();
      await reading.stop();
    }
  } finally {
    await server.stop();
  }
}

interface Daemon {
  readonly pid: number;
  stop(): Promise<void>;
}

function startDaemon(home: string): Daemon {
  const child = spawn(process.execPath, [clientProgram, "daemon"], {
    cwd: home,
    env: { PATH: process.env["PATH"], HOME: home, TIDEMARK_HOME: join(home, "tidemark") },
    stdio: "ignore",
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  return {
    pid: child.pid ?? 0,
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

async function write(store: Store, reader: Sqlite.Database, index: number): Promise<Write> {
  const word = `findable${index + 1}`;
  const fields = { ...observation?.fields, title: `the word is ${word}` };
  const id = `live${String(index + 1).padStart(8, "0")}` as RecordId;
  const from = performance.now();
  const made = store.changes.change(
    store.bindings.personal(),
    [{ kind: "put", id, collection: "observation", fields: fields as unknown as ScrubbedFields }],
    systemClock.nowMs(),
  );
  if (!made.ok) throw new Error(`the write failed: ${made.error.kind}`);
  const acked = untilAcked(store);
  const foundMs = (await untilFound(reader, word)) - from;
  return { ackedMs: (await acked) - from, foundMs };
}

async function untilAcked(store: Store): Promise<number> {
  const until = performance.now() + foundMsMax;
  while (performance.now() < until) {
    if (store.replicas.waiting().length === 0) return performance.now();
    await systemTimers.sleep(1);
  }
  throw new Error("the server did not acknowledge the write");
}

async function untilFound(reader: Sqlite.Database, word: string): Promise<number> {
  const search = reader.prepare("SELECT count(*) FROM search WHERE search MATCH ?").pluck();
  const until = performance.now() + foundMsMax;
  while (performance.now() < until) {
    if (Number(search.get(word)) > 0) return performance.now();
    await systemTimers.sleep(1);
  }
  throw new Error("the other device did not find the write");
}

function tell(writes: readonly Write[], cpuMs: readonly number[]): void {
  const row = (name: string, pick: (write: Write) => number): readonly string[] => [
    name,
    ...[0.5, 0.9, 0.99].map((at) => quantile(writes.map(pick), at).toFixed(1)),
  ];
  report.table({
    title: `${writes.length} writes, each after a silence, milliseconds`,
    columns: ["", "p50", "p90", "p99"],
    rows: [
      row("written → acknowledged by the server", (each) => each.ackedMs),
      row("written → found on the other device", (each) => each.foundMs),
    ],
  });
  const names = ["writing daemon", "reading daemon", "server", "PostgreSQL"];
  const each = names.map((who, index) => `${who} ${(cpuMs[index] ?? 0).toFixed(1)}`);
  report.note(`CPU milliseconds a write, idle work in between included: ${each.join(", ")}`);
  const p50 = quantile(
    writes.map(({ foundMs }) => foundMs),
    0.5,
  );
  report.verdict({
    what: "written → found on the other device, p50",
    figure: p50,
    target: foundP50MsMax,
    unit: "ms",
    isMet: p50 <= foundP50MsMax,
  });
  report.print({ writes, cpuMs });
}
