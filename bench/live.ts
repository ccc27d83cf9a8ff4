/**
 * How soon a write on one device can be found on another, both online: real store, engine and HTTP
 * on the writing side, the built server, and the built `tidemark daemon` on the reading side, which
 * hears of it by a poke. The reading side's database is asked by full-text search until it answers.
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
import { systemRandom } from "../apps/client/src/platform/random.ts";
import { systemTimers } from "../apps/client/src/platform/timers.ts";
import type { ScrubbedFields } from "../apps/client/src/store/scrubbed-fields.ts";
import { SyncEngine } from "../apps/client/src/sync/engine.ts";
import { syncLimits } from "../apps/client/src/sync/sync-limits.ts";
import type { Transport } from "../apps/client/src/sync/transport.ts";
import { openDeviceHome } from "../apps/client/src/wiring/home.ts";
import { openMemory } from "../apps/client/src/wiring/memory.ts";
import { connectServer } from "../apps/client/src/wiring/server.ts";
import { quantile } from "./measure/numbers.ts";
import { processCpu } from "./measure/processes.ts";
import { startReport } from "./measure/report.ts";
import { generateObservations } from "./sync/observations.ts";
import { clientProgram, databaseOf, startServer, tidemark } from "./sync/programs.ts";

const travelP50MsMax = 50;
/** A write that is not found after this long fails the run. */
const foundMsMax = 15_000;

interface Write {
  /** Write until its push leaves: how long the engine gathers. */
  readonly gatherMs: number;
  /** Push leaves until the server has answered. */
  readonly pushMs: number;
  /** Push leaves until the other device finds it. */
  readonly travelMs: number;
  readonly totalMs: number;
}

const { values } = parseArgs({
  options: {
    writes: { type: "string", default: "20" },
    json: { type: "boolean", default: false },
  },
});
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
  const stop = new AbortController();
  try {
    tidemark(a, ["pair", server.setupLink, "--name", "a", "--json"]);
    const added = JSON.parse(tidemark(a, ["device", "add", "--json"])) as { readonly link: string };
    tidemark(b, ["pair", added.link, "--name", "b", "--json"]);
    const daemon = startDaemon(b);
    const writer = startWriter(a, stop.signal);
    const reader = new Sqlite(databaseOf(b), { readonly: true });
    try {
      const cpuBefore = process.cpuUsage();
      const serverBefore = server.cpu();
      const daemonBefore = processCpu(daemon.pid) ?? 0;
      // The first one waits for both devices to be online, and is not counted.
      await writer.write(reader, -1);
      const writes: Write[] = [];
      for (let index = 0; index < count; index += 1) writes.push(await writer.write(reader, index));
      const { user, system } = process.cpuUsage(cpuBefore);
      const after = server.cpu();
      tell(writes, {
        writer: (user + system) / 1000 / count,
        reader: (((processCpu(daemon.pid) ?? 0) - daemonBefore) * 1000) / count,
        server: ((after.program - serverBefore.program) * 1000) / count,
        postgres: ((after.postgres - serverBefore.postgres) * 1000) / count,
      });
    } finally {
      reader.close();
      stop.abort();
      await writer.ended;
      await daemon.stop();
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

interface Writer {
  readonly ended: Promise<void>;
  write(reader: Sqlite.Database, index: number): Promise<Write>;
}

function startWriter(folderOfHome: string, signal: AbortSignal): Writer {
  const home = openDeviceHome({ TIDEMARK_HOME: join(folderOfHome, "tidemark") });
  const { store } = openMemory(home);
  const { identity, transport } = connectServer(home);
  const times = { leftMs: 0, answeredMs: 0 };
  const watched: Transport = {
    ...transport,
    push: async (namespace, plan, abort) => {
      times.leftMs = performance.now();
      const answer = await transport.push(namespace, plan, abort);
      times.answeredMs = performance.now();
      return answer;
    },
  };
  const engine = new SyncEngine({
    store: store.replicas,
    transport: watched,
    clock: systemClock,
    random: systemRandom,
    timers: systemTimers,
    log: home.log,
    serverId: identity.server.id,
  });
  const run = async (): Promise<void> => {
    await engine.run(signal);
    store.close();
  };
  const ended = run();
  const [observation] = generateObservations(1);
  return {
    ended,
    write: async (reader, index) => {
      const word = `findable${index + 1}`;
      const fields = { ...observation?.fields, title: `the word is ${word}` };
      const id = `live${String(index + 1).padStart(8, "0")}` as RecordId;
      const put = { kind: "put", id, collection: "observation" } as const;
      const from = performance.now();
      const made = store.changes.change(
        store.bindings.personal(),
        [{ ...put, fields: fields as unknown as ScrubbedFields }],
        systemClock.nowMs(),
      );
      if (!made.ok) throw new Error(`the write failed: ${made.error.kind}`);
      engine.wake();
      const found = await untilFound(reader, word);
      // The poke may overtake the answer to the push that caused it.
      while (times.answeredMs < times.leftMs) await systemTimers.sleep(1);
      return {
        gatherMs: times.leftMs - from,
        pushMs: times.answeredMs - times.leftMs,
        travelMs: found - times.leftMs,
        totalMs: found - from,
      };
    },
  };
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

function tell(writes: readonly Write[], cpuMs: Readonly<Record<string, number>>): void {
  const row = (name: string, pick: (write: Write) => number): readonly string[] => [
    name,
    ...[0.5, 0.9, 0.99].map((at) => quantile(writes.map(pick), at).toFixed(1)),
  ];
  const { pushDebounceMsMin, pushDebounceMsMax } = syncLimits;
  report.table({
    title: `${writes.length} writes, milliseconds`,
    columns: ["", "p50", "p90", "p99"],
    rows: [
      row(
        `write → push leaves (gathered for ${pushDebounceMsMin}–${pushDebounceMsMax} ms)`,
        (write) => write.gatherMs,
      ),
      row("push leaves → acknowledged", (write) => write.pushMs),
      row("push leaves → found on the other device", (write) => write.travelMs),
      row("write → found on the other device", (write) => write.totalMs),
    ],
  });
  const each = Object.entries(cpuMs).map(([who, ms]) => `${who} ${ms.toFixed(1)}`);
  report.note(`CPU milliseconds a write, polls of this benchmark included: ${each.join(", ")}`);
  const p50 = quantile(
    writes.map((write) => write.travelMs),
    0.5,
  );
  report.verdict({
    what: "push leaves → found on the other device, p50",
    figure: p50,
    target: travelP50MsMax,
    unit: "ms",
    isMet: p50 <= travelP50MsMax,
  });
  report.print({ writes, cpuMs });
}
