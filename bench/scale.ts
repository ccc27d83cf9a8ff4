/**
 * What grows with the size of a namespace, and with the number of namespaces of a server: push,
 * pull, `status`, `list` and `search` at several sizes. The records are filled in through the
 * server's store and as the rows that a pull writes; everything measured is the built program and
 * the built server, or the real HTTP transport.
 *
 *   npm run bench:scale                        1,000 to 100,000 records
 *   npm run bench:scale -- --sizes 1000,10000,100000,1000000
 *   npm run bench:scale -- --plot docs/performance.svg --json
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import Sqlite from "better-sqlite3";
import postgres from "postgres";
import type { NamespaceId } from "../packages/protocol/src/index.ts";
import { cursorText, parseCursor } from "../apps/server/src/domain/cursor.ts";
import { findEmbeddedPostgres } from "../apps/server/src/platform/embedded-postgres/embedded-postgres.ts";
import { postgresTarget } from "../apps/server/src/postgres-target.ts";
import { createPostgresStore } from "../apps/server/src/store/postgres/postgres-store.ts";
import type { Store } from "../apps/server/src/store/port.ts";
import { openDeviceHome } from "../apps/client/src/wiring/home.ts";
import { connectServer, type Server } from "../apps/client/src/wiring/server.ts";
import { median } from "./measure/numbers.ts";
import { plotSvg, type Curve } from "./measure/plot.ts";
import { startReport } from "./measure/report.ts";
import { fill } from "./scale/seed.ts";
import { exportText, generateObservations } from "./sync/observations.ts";
import {
  databaseOf,
  measureTidemark,
  startServer,
  tidemark,
  type ProgramCost,
} from "./sync/programs.ts";
import { serverParts } from "./sync/server-parts.ts";

const repeats = 5;
const pushedOps = 500;
/** Above this factor beyond a logarithm's growth a curve is called worse: machines are not silent. */
const noise = 1.25;
/** Records of each of the other namespaces of the server. */
const recordsOfOthers = 100;

const { values } = parseArgs({
  options: {
    sizes: { type: "string", default: "1000,10000,100000" },
    namespaces: { type: "string", default: "10,100,1000" },
    plot: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
const report = startReport("scale", values.json);
const sizes = values.sizes.split(",").map(Number);
const namespaceCounts = values.namespaces.split(",").map(Number);

/** What one thing took: milliseconds of wall time and, of a program, of CPU. */
interface Cost {
  readonly ms: number;
  readonly cpuMs?: number;
}

type Row = Readonly<Record<string, Cost>>;

const folder = mkdtempSync(join(tmpdir(), "tidemark-bench-"));
try {
  const bySize = await growNamespace();
  const byNamespaces = await growServer();
  if (values.plot !== undefined) {
    writeFileSync(
      values.plot,
      plotSvg("CPU milliseconds of programs, milliseconds of pulls", curvesOf(bySize)),
    );
  }
  report.print({ bySize: [...bySize], byNamespaces: [...byNamespaces] });
} finally {
  rmSync(folder, { recursive: true, force: true });
}

interface Bench {
  readonly home: string;
  readonly store: Store;
  readonly server: Server;
  readonly namespace: NamespaceId;
  /** Of the owner of the tables. */
  readonly databaseUrl: string;
}

async function withBench<T>(name: string, work: (bench: Bench) => Promise<T>): Promise<T> {
  const home = join(folder, name);
  mkdirSync(home);
  const dataDir = join(folder, `${name}-server`);
  const running = await startServer(dataDir, ["--quota-records", "10000000"]);
  try {
    tidemark(home, ["pair", running.setupLink, "--name", "a", "--json"]);
    tidemark(home, ["sync"]);
    const urls = await findEmbeddedPostgres(dataDir);
    if (urls === undefined) throw new Error("the server has no database");
    const store = createPostgresStore({ ...serverParts(), url: urls.appUrl });
    try {
      const server = await connectServer(openDeviceHome({ TIDEMARK_HOME: join(home, "tidemark") }));
      const namespace = personalOf(home);
      return await work({ home, store, server, namespace, databaseUrl: urls.url });
    } finally {
      await store.close();
    }
  } finally {
    await running.stop();
  }
}

function personalOf(home: string): NamespaceId {
  const db = new Sqlite(databaseOf(home), { readonly: true });
  const id = db.prepare("SELECT namespace FROM replicas WHERE kind = 'personal'").pluck().get();
  db.close();
  return id as NamespaceId;
}

async function growNamespace(): Promise<ReadonlyMap<number, Row>> {
  return await withBench("one", async (bench) => {
    const { home, store, namespace } = bench;
    const rows = new Map<number, Row>();
    let filled = 0;
    for (const size of sizes) {
      await fill({ store, namespace, database: databaseOf(home) }, filled, size);
      filled = size;
      // Proves the filling: the digests of both sides are compared here.
      tidemark(home, ["sync"]);
      rows.set(size, await measureDevice(bench, `s${size}`));
      report.note(`${size.toLocaleString("en-US")} records: ${briefly(rows.get(size))}`);
      // The pushed ones moved both sides on; the next filling goes on behind them.
      filled = headOf(home, namespace);
    }
    tell(
      "Records in one namespace; milliseconds (CPU milliseconds of the program), median of 5",
      "records",
      rows,
    );
    return rows;
  });
}

function headOf(home: string, namespace: NamespaceId): number {
  const db = new Sqlite(databaseOf(home), { readonly: true });
  const head = db.prepare("SELECT head FROM replicas WHERE namespace = ?").pluck().get(namespace);
  db.close();
  return Number(head);
}

async function growServer(): Promise<ReadonlyMap<number, Row>> {
  return await withBench("many", async (bench) => {
    const { home, store } = bench;
    const rows = new Map<number, Row>();
    await fill({ store, namespace: bench.namespace, database: databaseOf(home) }, 0, 1000);
    tidemark(home, ["sync"]);
    let made = 1;
    for (const count of namespaceCounts) {
      for (; made < count; made += 1) await addNamespace(bench, made);
      rows.set(count, await measureDevice(bench, `n${count}`));
      report.note(`${count} namespaces: ${briefly(rows.get(count))}`);
    }
    tell(
      `Namespaces on one server, ${recordsOfOthers} records in each other one, 1,000 in the measured one; milliseconds`,
      "namespaces",
      rows,
    );
    return rows;
  });
}

/** A namespace of nobody on this device, with records in it. */
async function addNamespace({ store, databaseUrl }: Bench, index: number): Promise<void> {
  const namespace = `nsother${String(index).padStart(6, "0")}` as NamespaceId;
  const target = postgresTarget(databaseUrl);
  const sql = postgres(target.url, { ...target.options, max: 1, onnotice: () => {} });
  await sql`
    insert into tidemark.namespaces (namespace_id, name, kind, head, mark, lamport, digest, count,
      live_count, live_bytes, created_at_ms)
    values (${namespace}, 'other', 'personal', 0, 'mark0', 0, 0, 0, 0, 0, 0)`;
  await sql.end();
  await fill({ store, namespace, database: undefined }, 0, recordsOfOthers);
}

async function measureDevice(bench: Bench, round: string): Promise<Row> {
  const { home } = bench;
  const program = async (...args: readonly string[]): Promise<Cost> => {
    const costs: ProgramCost[] = [];
    for (let time = 0; time < repeats; time += 1) {
      costs.push(await measureTidemark(home, args, { name: args[0] ?? "program" }));
    }
    return costOf(costs);
  };
  return {
    "program start": await program("--version"),
    status: await program("status", "--json"),
    list: await program("list", "--limit", "20", "--json"),
    "search, 20 matches": await program("search", "group7", "--limit", "10", "--json"),
    "search, most match": await program("search", "lamport merge", "--limit", "10", "--json"),
    [`sync of ${pushedOps} writes`]: await syncCost(home, round),
    "pull, first page": await pullCost(bench, ""),
    "pull, newest page": await pullCost(bench, cursorBefore(bench)),
  };
}

async function syncCost(home: string, round: string): Promise<Cost> {
  const costs: ProgramCost[] = [];
  for (let time = 0; time < 3; time += 1) {
    const file = join(folder, "pushed.ndjson");
    const rows = generateObservations(pushedOps, time + 1).map(({ fields }, index) => ({
      id: `${round}x${time}x${String(index).padStart(6, "0")}`,
      fields,
    }));
    writeFileSync(file, exportText(rows));
    tidemark(home, ["import", file, "--json"]);
    costs.push(await measureTidemark(home, ["sync"], { name: "sync" }));
  }
  return costOf(costs);
}

function costOf(costs: readonly ProgramCost[]): Cost {
  return {
    ms: median(costs.map(({ wallSeconds }) => wallSeconds * 1000)),
    cpuMs: median(costs.map(({ cpuSeconds }) => cpuSeconds * 1000)),
  };
}

async function pullCost({ server, namespace }: Bench, after: string): Promise<Cost> {
  const { signal } = new AbortController();
  const pull = async (): Promise<void> => {
    const plan = { writer: undefined, after, ackedAtRequest: 0 };
    const page = await server.transport.pull(namespace, plan, signal);
    if (!page.ok) throw new Error(`a pull was refused: ${page.error.code}`);
  };
  // The first one gets a token.
  await pull();
  return { ms: await medianMs(pull) };
}

/** A cursor that the newest page of what was just pushed stands behind. */
function cursorBefore({ home, namespace }: Bench): string {
  const db = new Sqlite(databaseOf(home), { readonly: true });
  const text = db.prepare("SELECT cursor FROM replicas WHERE namespace = ?").pluck().get(namespace);
  db.close();
  const cursor = parseCursor(String(text));
  if (!cursor.ok) throw new Error("the cursor cannot be read");
  const { seq, head, mark } = cursor.value;
  return cursorText({ seq: seq - pushedOps, head, mark });
}

async function medianMs(work: () => Promise<void>): Promise<number> {
  const ms: number[] = [];
  for (let time = 0; time < repeats; time += 1) {
    const started = performance.now();
    await work();
    ms.push(performance.now() - started);
  }
  return median(ms);
}

function briefly(row: Row | undefined): string {
  return Object.entries(row ?? {})
    .map(([name, cost]) => `${name} ${costText(cost)}`)
    .join(", ");
}

function costText({ ms, cpuMs }: Cost): string {
  return cpuMs === undefined ? ms.toFixed(1) : `${ms.toFixed(0)} (${cpuMs.toFixed(0)})`;
}

function tell(title: string, unit: string, rows: ReadonlyMap<number, Row>): void {
  const [first] = rows.values();
  const names = Object.keys(first ?? {});
  report.table({
    title,
    columns: [unit, ...names],
    rows: [...rows].map(([size, row]) => [
      size.toLocaleString("en-US"),
      ...names.map((name) => costText(row[name] ?? { ms: 0 })),
    ]),
  });
  for (const name of names) judge(`${name}, by ${unit}`, name, rows);
}

/**
 * Growth from the smallest size to the largest beside that of a logarithm; of programs the CPU's,
 * which a busy machine disturbs less than wall time.
 */
function judge(what: string, name: string, rows: ReadonlyMap<number, Row>): void {
  const all = [...rows];
  const [small, least] = all[0] ?? [1, {}];
  const [large, most] = all.at(-1) ?? [1, {}];
  const judged = ({ ms, cpuMs }: Cost = { ms: 0 }): number => cpuMs ?? ms;
  const grown = judged(most[name]) / Math.max(0.001, judged(least[name]));
  const allowed = (noise * Math.log2(large + 1)) / Math.log2(small + 1);
  report.verdict({
    what: `${what}: growth from ${small} to ${large}`,
    figure: grown,
    target: Math.round(allowed * 100) / 100,
    unit: "×",
    isMet: grown <= allowed,
  });
}

function curvesOf(rows: ReadonlyMap<number, Row>): readonly Curve[] {
  const [first] = rows.values();
  return Object.keys(first ?? {}).map((name) => ({
    name,
    points: [...rows].map(([size, row]) => [size, row[name]?.cpuMs ?? row[name]?.ms ?? 0] as const),
  }));
}
