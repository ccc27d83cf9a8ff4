/**
 * Many devices that push one op each into one namespace at once: committed together, one
 * transaction each (the same code with grouping off), and what raw single transactions with the same
 * head-row lock reach, all on the same PostgreSQL in the same run.
 *
 *   npm run bench:group-commit                  64 pushers, 4 seconds each way
 *   npm run bench:group-commit -- --json
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import postgres from "postgres";
import {
  chainStart,
  opLine,
  type RecordId,
  type WriterId,
} from "../packages/protocol/src/index.ts";
import { createWorld, sha256, type World } from "../apps/server/src/domain/testing/world.ts";
import { createPush, type Push } from "../apps/server/src/domain/push.ts";
import { startEmbeddedPostgres } from "../apps/server/src/platform/embedded-postgres/embedded-postgres.ts";
import { postgresTarget } from "../apps/server/src/postgres-target.ts";
import { migrate } from "../apps/server/src/store/postgres/migrate.ts";
import { createPostgresStore } from "../apps/server/src/store/postgres/postgres-store.ts";
import { quantile } from "./measure/numbers.ts";
import { treeCpu } from "./measure/processes.ts";
import { startReport } from "./measure/report.ts";
import { generateObservations, type GeneratedObservation } from "./sync/observations.ts";
import { serverParts } from "./sync/server-parts.ts";

const gainMin = 8;
/** Connections of the server's pool, and of the raw limit. */
const connections = 8;

interface Figures {
  readonly pushes: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuMsEach: number;
}

const { values } = parseArgs({
  options: {
    pushers: { type: "string", default: "64" },
    seconds: { type: "string", default: "4" },
    json: { type: "boolean", default: false },
  },
});
const pushers = Number(values.pushers);
const seconds = Number(values.seconds);
const observations = generateObservations(1000);
const report = startReport("group-commit", values.json);
const folder = mkdtempSync(join(tmpdir(), "tidemark-bench-"));
try {
  await run();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function run(): Promise<void> {
  const parts = serverParts();
  const database = await startEmbeddedPostgres(parts, { dataDir: join(folder, "server") });
  if (!database.ok) throw new Error(database.error.message);
  const { url, appUrl, adminUrl } = database.value;
  await migrate(url);
  const store = createPostgresStore({ ...parts, url: appUrl, poolSize: connections });
  try {
    const world = await createWorld(store);
    const alone = Array.from({ length: pushers }, () => createPush(world.deps));
    // Both ways once for warmth, unmeasured.
    await pushAll(world, "warm-g", () => world.push, 1);
    await pushAll(world, "warm-a", (index) => alone[index] ?? world.push, 1);
    const single = await pushAll(world, "alone", (index) => alone[index] ?? world.push, seconds);
    const grouped = await pushAll(world, "grouped", () => world.push, seconds);
    const raw = await rawTransactions(adminUrl, await tableOf(adminUrl));
    tell({ grouped, single, raw });
  } finally {
    await store.close();
    await database.value.stop();
  }
}

/** Every pusher is a writer of its own that waits for each answer before it pushes again. */
async function pushAll(
  world: World,
  name: string,
  pushOf: (index: number) => Push,
  forSeconds: number,
): Promise<Figures> {
  return await measureLoops(forSeconds, (index) => {
    const writer = `${name}${index}` as WriterId;
    const push = pushOf(index);
    let position = { acked: 0, chain: chainStart(sha256, writer) };
    let lamport = 0;
    return async () => {
      const n = position.acked + 1;
      const { fields } = observationOf(n);
      const line = opLine({
        n,
        record: `${writer}-${n}` as RecordId,
        collection: "observation",
        lamport: lamport + 1,
        at: 1000 + n,
        op: "put",
        fields: fields as never,
      });
      const header = { writer, after: position.acked, chain: position.chain };
      const { namespace, owner: device } = world;
      const answer = await push({ namespace, device, header, lines: [line] });
      if (!answer.ok) throw new Error(`a push was refused: ${answer.error.kind}`);
      ({ position } = answer.value);
      ({ lamport } = answer.value);
    };
  });
}

function observationOf(n: number): GeneratedObservation {
  const observation = observations[n % observations.length];
  if (observation === undefined) throw new Error("there are no observations");
  return observation;
}

async function tableOf(url: string): Promise<string> {
  const target = postgresTarget(url);
  const sql = postgres(target.url, { ...target.options, max: 1, onnotice: () => {} });
  await sql`create table raw_heads (id int primary key, head bigint not null)`;
  await sql`insert into raw_heads values (1, 0)`;
  await sql`create table raw_records (id bigint primary key, fields text not null)`;
  await sql.end();
  return "raw_records";
}

/** The least that a push alone can be: lock the head row, insert one row, move the head, commit. */
async function rawTransactions(url: string, table: string): Promise<Figures> {
  const target = postgresTarget(url);
  const sql = postgres(target.url, { ...target.options, max: connections, onnotice: () => {} });
  try {
    return await measureLoops(seconds, () => {
      let made = 0;
      return async () => {
        made += 1;
        const fields = JSON.stringify(observationOf(made).fields);
        await sql.begin(async (tx) => {
          const [row] = await tx<{ head: string }[]>`
            select head from raw_heads where id = 1 for update`;
          const head = Number(row?.head) + 1;
          await Promise.all([
            tx`insert into ${tx(table)} (id, fields) values (${head}, ${fields})`,
            tx`update raw_heads set head = ${head} where id = 1`,
          ]);
        });
      };
    });
  } finally {
    await sql.end();
  }
}

async function measureLoops(
  forSeconds: number,
  pusherOf: (index: number) => () => Promise<void>,
): Promise<Figures> {
  const ms: number[] = [];
  const cpuBefore = cpuOfAll();
  const started = performance.now();
  const until = started + forSeconds * 1000;
  await Promise.all(
    Array.from({ length: pushers }, async (_, index) => {
      const once = pusherOf(index);
      while (performance.now() < until) {
        const from = performance.now();
        await once();
        ms.push(performance.now() - from);
      }
    }),
  );
  const took = (performance.now() - started) / 1000;
  return {
    pushes: ms.length,
    perSecond: ms.length / took,
    p50Ms: quantile(ms, 0.5),
    p99Ms: quantile(ms, 0.99),
    cpuMsEach: ((cpuOfAll() - cpuBefore) * 1000) / ms.length,
  };
}

function cpuOfAll(): number {
  const { root, below } = treeCpu(process.pid);
  return root + below;
}

function tell(figures: Readonly<Record<"grouped" | "single" | "raw", Figures>>): void {
  const { grouped, single, raw } = figures;
  const row = (name: string, each: Figures): readonly string[] => [
    name,
    Math.round(each.perSecond).toLocaleString("en-US"),
    each.p50Ms.toFixed(1),
    each.p99Ms.toFixed(1),
    each.cpuMsEach.toFixed(2),
  ];
  report.table({
    title: `${pushers} pushers of one op each, ${seconds} s each way`,
    columns: ["", "pushes/s", "p50 ms", "p99 ms", "CPU ms a push, server + PostgreSQL"],
    rows: [
      row("committed together", grouped),
      row("one transaction each, grouping off", single),
      row(`raw transactions with a head-row lock, ${connections} connections`, raw),
    ],
  });
  const gain = grouped.perSecond / single.perSecond;
  report.verdict({
    what: "throughput, together over one transaction each",
    figure: gain,
    target: gainMin,
    unit: "×",
    isMet: gain >= gainMin,
  });
  const slower = grouped.p99Ms / single.p99Ms;
  report.verdict({
    what: "p99, together over one transaction each",
    figure: slower,
    target: 1,
    unit: "×",
    isMet: slower < 1,
  });
  report.print(figures);
}
