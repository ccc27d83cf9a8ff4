/**
 * What running a server takes, over loopback on this machine: its start, its memory, devices that
 * push and pull, and streams of pokes, directly and through nginx where that is installed. Each
 * beside a bare `node:http` server that is given the same bytes, and gives the same, in the same
 * run. Ends within three minutes.
 *
 *   npm run bench:load                   20 devices, 2,000 streams
 *   npm run bench:load -- --rounds 100 --json
 */
import { parseArgs } from "node:util";
import { setTimeout as sleep } from "node:timers/promises";
import {
  push,
  createTestWriter,
  signedHeadersFor,
} from "../apps/server/src/http/testing/client.ts";
import { createBench } from "../test/program/server-process.ts";
import { whySkipped } from "../test/neighbours/neighbour.ts";
import { startProxy } from "../test/neighbours/proxies.ts";
import { startBareServer, type BareServer } from "./load/bare.ts";
import { openStreams, type Door } from "./load/streams.ts";
import { preparePulls, preparePushes, runLanes, toBare, type Prepared } from "./load/work.ts";
import { populate, publicUrl, startReady, type Running, type World } from "./load/world.ts";
import { median, quantile } from "./measure/numbers.ts";
import { rssBytes, treeCpu } from "./measure/processes.ts";
import { startReport } from "./measure/report.ts";
import { generateObservations } from "./sync/observations.ts";

const people = 40;
/** Two streams of each device, fifty of each person: as many as the server allows. */
const devicesOfEach = 25;
const streamsOfEach = 2;
const opsOfPush = 10;
const recordsOfPull = 100;
const warmRounds = 10;
const idleMs = 10_000;
const settleMs = 2_000;
const pokes = 5;
/** A whole run ends before this, or fails. */
const runMsMax = 180_000;

const { values } = parseArgs({
  options: {
    devices: { type: "string", default: "20" },
    rounds: { type: "string", default: "50" },
    json: { type: "boolean", default: false },
  },
});
const rounds = Number(values.rounds);
const report = startReport("load", values.json);
const bench = createBench();
const late = setTimeout(() => {
  process.stderr.write("bench:load has run for three minutes and gives up\n");
  bench.signal("SIGKILL");
  process.exit(1);
}, runMsMax);
try {
  await run();
} finally {
  await bench.clear();
  clearTimeout(late);
}

async function run(): Promise<void> {
  const dataDir = bench.folder();
  const first = await startReady(bench, dataDir);
  first.process.kill("SIGTERM");
  await first.process.ended;
  const running = await startReady(bench, dataDir);
  const bare = await startBareServer();
  try {
    await sleep(idleMs);
    const start = {
      firstMs: first.readyMs,
      againMs: running.readyMs,
      bareMs: bare.startMs,
      idleBytes: rssBytes(running.process.pid) ?? 0,
      bareIdleBytes: rssBytes(bare.pid) ?? 0,
    };
    tellStart(start);
    const world = await populate(running, dataDir, { people, devicesOfEach });
    const work = await measureWork(running, world, bare);
    tellWork(work);
    const streams = await measureAllStreams(running, world, bare);
    tellStreams(streams);
    report.print({ start, work, streams });
  } finally {
    await bare.stop();
  }
}

interface WorkFigures {
  readonly name: string;
  readonly requests: number;
  /** Ops that were pushed, or records that were pulled. */
  readonly things: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  /** CPU seconds for each thousand things: of the server's program, and of its PostgreSQL. */
  readonly cpu: { readonly program: number; readonly postgres: number } | undefined;
}

async function measureWork(
  running: Running,
  world: World,
  bare: BareServer,
): Promise<readonly WorkFigures[]> {
  const devices = world.devices.slice(0, Number(values.devices));
  const texts = generateObservations(1000).map(({ fields }) => JSON.stringify(fields));
  const some = { ...world, devices };
  const figures: WorkFigures[] = [];
  for (const kind of ["push", "pull"] as const) {
    const all = warmRounds + rounds;
    const lanes =
      kind === "push"
        ? await preparePushes(some, { rounds: all, ops: opsOfPush }, texts)
        : await preparePulls(some, { rounds: all, records: recordsOfPull });
    const size = kind === "push" ? opsOfPush : recordsOfPull;
    const ours = await measureLanes(running, lanes, { name: `${kind} of ${size}`, size });
    await bare.answer(kind, ours.answer);
    const bareName = { name: "the same bytes, bare", size };
    const limit = await measureLanes(bare, toBare(lanes, kind), bareName);
    figures.push(ours.figures, limit.figures);
  }
  return figures;
}

async function measureLanes(
  target: Running | BareServer,
  lanes: readonly (readonly Prepared[])[],
  { name, size }: { readonly name: string; readonly size: number },
): Promise<{ readonly figures: WorkFigures; readonly answer: Buffer }> {
  const pid = "process" in target ? target.process.pid : target.pid;
  // The first rounds have the programs compile what they run, and are not counted.
  await runLanes(
    target.port,
    lanes.map((lane) => lane.slice(0, warmRounds)),
  );
  const before = treeCpu(pid);
  const { seconds, latenciesMs, answer } = await runLanes(
    target.port,
    lanes.map((lane) => lane.slice(warmRounds)),
  );
  const after = treeCpu(pid);
  const requests = latenciesMs.length;
  const things = requests * size;
  const each = (spent: number): number => (spent * 1000) / things;
  return {
    answer,
    figures: {
      name,
      requests,
      things,
      perSecond: requests / seconds,
      p50Ms: median(latenciesMs),
      p95Ms: quantile(latenciesMs, 0.95),
      p99Ms: quantile(latenciesMs, 0.99),
      cpu: { program: each(after.root - before.root), postgres: each(after.below - before.below) },
    },
  };
}

interface StreamFigures {
  readonly name: string;
  readonly count: number;
  readonly openedMs: number;
  readonly bytesOfEach: number;
  /** Until a poke has reached every stream, the median of several. */
  readonly reachedMs: number;
}

async function measureAllStreams(
  running: Running,
  world: World,
  bare: BareServer,
): Promise<readonly StreamFigures[]> {
  const count = people * devicesOfEach * streamsOfEach;
  const writer = createTestWriter("load_poker");
  let at = 0;
  const poke = async (): Promise<unknown> => {
    const text = JSON.stringify({ title: `poke ${String((at += 1))}` });
    const answer = await push(world.owner, world.namespace, writer.body([text]));
    if (answer.status !== 200) throw new Error(`a push met ${String(answer.status)}`);
    return await answer.arrayBuffer();
  };
  const figures: StreamFigures[] = [];
  const direct = { port: running.port };
  figures.push(
    await measureStreams("directly", running.process.pid, {
      door: direct,
      path: "/v1/pokes",
      heads: await headsOf(world),
      poke,
    }),
  );
  if (whySkipped("nginx") === undefined) {
    // A stream takes two connections of nginx, which keeps a sixteenth of all free by closing some.
    const proxy = await startProxy("nginx", running.port, count * 3);
    try {
      figures.push(
        await measureStreams("through nginx", running.process.pid, {
          door: proxy,
          path: "/v1/pokes",
          heads: await headsOf(world),
          poke,
        }),
      );
    } finally {
      await proxy.stop();
    }
  }
  const event = 'event: poke\ndata: {"namespace":"ns_0123456789abcdef","head":12345}\n\n';
  figures.push(
    await measureStreams("bare, directly", bare.pid, {
      door: { port: bare.port },
      path: "/pokes",
      heads: Array.from({ length: count }, () => ({})),
      poke: async () =>
        await fetch(`http://127.0.0.1:${String(bare.port)}/poke`, { method: "POST", body: event }),
    }),
  );
  return figures;
}

/** Signed headers for each stream; a proof opens one stream alone. */
async function headsOf({
  server,
  devices,
}: World): Promise<readonly Readonly<Record<string, string>>[]> {
  const host = new URL(publicUrl).host;
  const twice = Array.from({ length: streamsOfEach }, () => devices).flat();
  return await Promise.all(
    twice.map(async (client) => ({
      ...(await signedHeadersFor(server, client, "/v1/pokes")),
      host,
    })),
  );
}

async function measureStreams(
  name: string,
  pid: number,
  work: {
    readonly door: Door;
    readonly path: string;
    readonly heads: readonly Readonly<Record<string, string>>[];
    readonly poke: () => Promise<unknown>;
  },
): Promise<StreamFigures> {
  const { door, path, heads, poke } = work;
  const before = rssBytes(pid) ?? 0;
  const streams = await openStreams(door, path, heads);
  try {
    await sleep(settleMs);
    const bytesOfEach = ((rssBytes(pid) ?? 0) - before) / heads.length;
    const reached: number[] = [];
    for (let at = 0; at < pokes; at += 1) {
      reached.push(await streams.reached(poke));
      await sleep(settleMs / 4);
    }
    const { openedMs } = streams;
    return { name, count: heads.length, openedMs, bytesOfEach, reachedMs: median(reached) };
  } finally {
    streams.close();
    await sleep(settleMs);
  }
}

function tellStart(start: {
  readonly firstMs: number;
  readonly againMs: number;
  readonly bareMs: number;
  readonly idleBytes: number;
  readonly bareIdleBytes: number;
}): void {
  const { firstMs, againMs, bareMs, idleBytes, bareIdleBytes } = start;
  const times = (figure: number, limit: number): string => (figure / limit).toFixed(1);
  report.table({
    title: "Start and rest; PostgreSQL's own memory is not counted",
    columns: ["", "server", "bare node:http", "ratio"],
    rows: [
      [
        "first start, database made, until /readyz",
        ms(firstMs),
        ms(bareMs),
        times(firstMs, bareMs),
      ],
      ["start, until /readyz", ms(againMs), ms(bareMs), times(againMs, bareMs)],
      ["memory after 10 s", mib(idleBytes), mib(bareIdleBytes), times(idleBytes, bareIdleBytes)],
    ],
  });
}

function tellWork(figures: readonly WorkFigures[]): void {
  report.table({
    title: `${values.devices} devices at once; CPU seconds of server + PostgreSQL for 1,000 ops or records`,
    columns: ["", "requests/s", "p50", "p95", "p99", "CPU for 1,000"],
    rows: figures.map(({ name, perSecond, p50Ms, p95Ms, p99Ms, cpu }) => [
      name,
      perSecond.toFixed(0),
      ms(p50Ms),
      ms(p95Ms),
      ms(p99Ms),
      `${(cpu?.program ?? 0).toFixed(3)} + ${(cpu?.postgres ?? 0).toFixed(3)}`,
    ]),
  });
}

function tellStreams(figures: readonly StreamFigures[]): void {
  report.table({
    title: "Streams of pokes, all open at once",
    columns: ["", "streams", "all open after", "memory of each", "a poke has reached all"],
    rows: figures.map(({ name, count, openedMs, bytesOfEach, reachedMs }) => [
      name,
      String(count),
      ms(openedMs),
      `${(bytesOfEach / 1024).toFixed(0)} KiB`,
      ms(reachedMs),
    ]),
  });
}

function ms(figure: number): string {
  return `${figure.toFixed(figure < 10 ? 1 : 0)} ms`;
}

function mib(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MiB`;
}
