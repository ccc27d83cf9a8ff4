/**
 * Push and pull of many observations of about 1 KB with everything on (credentials and proofs, the
 * scrub boundary, validation, chains, digests, the search index), beside what the same machine's
 * PostgreSQL and SQLite take of the same rows in the same run. Programs that start pay for the
 * compilation of what they run; a process that has done the same before, as a daemon has, does not.
 *
 *   npm run bench:sync                        10,000 observations, three runs
 *   npm run bench:sync -- --count 100000 --runs 1
 *   npm run bench:sync -- --json > figures.json
 *   npm run bench:sync -- --memory            10,000 and 100,000, and how much memory grows between
 *   npm run bench:sync -- --profile folder    CPU profiles of client and server
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { median, megabytes, perSecond } from "./measure/numbers.ts";
import { startReport } from "./measure/report.ts";
import { measureExchange, type ExchangeFigures } from "./sync/exchange.ts";
import { rawPostgres, rawSqlite, type Spent, type SpentByPostgres } from "./sync/limits.ts";
import { generateObservations } from "./sync/observations.ts";
import { profileInto } from "./sync/programs.ts";

const pushShareMin = 0.4;
const pullShareMin = 0.5;
const memoryGrowthBytesMax = 64 * 2 ** 20;

interface Figures extends ExchangeFigures {
  readonly rawPostgres: SpentByPostgres;
  readonly rawSqlite: Spent;
}

/** The rows of processes that have done the same before. */
const warmParts: readonly (readonly [string, (each: Figures) => Warm["pull"]])[] = [
  ["pull in a process that has pulled before", (each) => warmOf(each).pull],
  ["whole sync of the sender in a process that has pushed before", (each) => warmOf(each).push],
];

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "10000" },
    runs: { type: "string", default: "3" },
    memory: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    profile: { type: "string" },
  },
});
if (values.profile !== undefined) profileInto(values.profile);
const report = startReport("sync", values.json);
const counts = values.memory ? [10_000, 100_000] : [Number(values.count)];
const figures = new Map<number, readonly Figures[]>();
for (const count of counts) {
  figures.set(count, await measureCount(count, values.memory ? 1 : Number(values.runs)));
}
if (values.memory) judgeMemory();
report.print(Object.fromEntries(figures));

async function measureCount(count: number, runs: number): Promise<readonly Figures[]> {
  const taken: Figures[] = [];
  for (let run = 1; run <= runs; run += 1) {
    const each = await measureOnce(count);
    taken.push(each);
    report.note(
      `${count}, run ${run}: acknowledged after ${each.acknowledged.wallSeconds.toFixed(2)} s, ` +
        `sync ${each.sync.wallSeconds.toFixed(2)} s, pull ${each.pull.wallSeconds.toFixed(2)} s, ` +
        `program start ${each.start.wallSeconds.toFixed(2)} s, ` +
        `raw PostgreSQL ${each.rawPostgres.wallSeconds.toFixed(2)} s, ` +
        `raw SQLite ${each.rawSqlite.wallSeconds.toFixed(2)} s`,
    );
  }
  printTables(count, taken);
  return taken;
}

async function measureOnce(count: number): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-bench-"));
  try {
    const observations = generateObservations(count);
    const postgres = await rawPostgres(join(folder, "raw"), observations);
    const sqlite = rawSqlite(join(folder, "raw.db"), observations);
    const ours = await measureExchange(join(folder, "exchange"), observations, {
      isWarmWanted: !values.memory,
    });
    return { ...ours, rawPostgres: postgres, rawSqlite: sqlite };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type Warm = NonNullable<ExchangeFigures["warm"]>;

function warmOf({ warm }: ExchangeFigures): Warm {
  if (warm === undefined) throw new Error("no process that runs was measured");
  return warm;
}

function printTables(count: number, taken: readonly Figures[]): void {
  const seconds = (pick: (each: Figures) => number): number => median(taken.map(pick));
  const startWall = seconds((each) => each.start.wallSeconds);
  const startCpu = seconds((each) => each.start.cpuSeconds);
  const row = (name: string, wall: number, cpu: string): readonly string[] => [
    name,
    `${wall.toFixed(2)} s`,
    perSecond(count, wall),
    cpu,
  ];
  const cpuOf = (pick: (each: Figures) => ExchangeFigures["sync"]): string => {
    const parts = (["client", "server", "postgres"] as const).map((name) =>
      seconds((each) => pick(each).cpu[name]),
    );
    const sum = parts.reduce((total, each) => total + each, 0);
    return `${sum.toFixed(2)} s = ${parts.map((each) => each.toFixed(2)).join(" + ")}`;
  };
  const hasWarm = taken.every(({ warm }) => warm !== undefined);
  const warmRows = hasWarm ? warmParts : [];
  report.table({
    title: `${count.toLocaleString("en-US")} observations, median of ${taken.length}; CPU: client + server + PostgreSQL`,
    columns: ["", "wall", "rate", "CPU seconds"],
    rows: [
      row(
        "capture (import: scrub, validate, chain, index)",
        seconds((f) => f.capture.wallSeconds),
        `${seconds((f) => f.capture.cpuSeconds).toFixed(2)} s`,
      ),
      row(
        "push, until the server has acknowledged all",
        seconds((f) => f.acknowledged.wallSeconds),
        cpuOf((f) => f.acknowledged),
      ),
      row(
        "whole sync of the sender, own echo verified",
        seconds((f) => f.sync.wallSeconds),
        cpuOf((f) => f.sync),
      ),
      row(
        "pull into an empty replica, search index included",
        seconds((f) => f.pull.wallSeconds),
        cpuOf((f) => f.pull),
      ),
      ...warmRows.map(([name, pick]) =>
        row(
          name,
          seconds((f) => pick(f).wallSeconds),
          cpuOf((f) => pick(f)),
        ),
      ),
      row("program start (a sync with nothing to do)", startWall, `${startCpu.toFixed(2)} s`),
      row(
        `raw PostgreSQL, unnest upserts, ${taken[0]?.rawPostgres.batch ?? 0} a transaction`,
        seconds((f) => f.rawPostgres.wallSeconds),
        `${seconds((f) => f.rawPostgres.cpuSeconds).toFixed(2)} s`,
      ),
      row(
        "raw SQLite, same tables and indexes",
        seconds((f) => f.rawSqlite.wallSeconds),
        `${seconds((f) => f.rawSqlite.cpuSeconds).toFixed(2)} s`,
      ),
    ],
  });
  const share = (limit: (each: Figures) => number, ours: (each: Figures) => number): number =>
    median(taken.map((each) => limit(each) / ours(each)));
  const pushLimit = (f: Figures): number => f.rawPostgres.wallSeconds;
  const pullLimit = (f: Figures): number => f.rawSqlite.wallSeconds;
  const net = (f: Figures, wall: number): number => Math.max(0.001, wall - f.start.wallSeconds);
  judge(
    "push, share of raw PostgreSQL, program start included",
    share(pushLimit, (f) => f.acknowledged.wallSeconds),
    pushShareMin,
  );
  judge(
    "push, share of raw PostgreSQL, without program start",
    share(pushLimit, (f) => net(f, f.acknowledged.wallSeconds)),
    pushShareMin,
  );
  judge(
    "pull, share of raw SQLite, program start included",
    share(pullLimit, (f) => f.pull.wallSeconds),
    pullShareMin,
  );
  judge(
    "pull, share of raw SQLite, without program start",
    share(pullLimit, (f) => net(f, f.pull.wallSeconds)),
    pullShareMin,
  );
  if (hasWarm) {
    judge(
      "push, share of raw PostgreSQL, in a process that has pushed before (whole sync)",
      share(pushLimit, (f) => warmOf(f).push.wallSeconds),
      pushShareMin,
    );
    judge(
      "pull, share of raw SQLite, in a process that has pulled before",
      share(pullLimit, (f) => warmOf(f).pull.wallSeconds),
      pullShareMin,
    );
  }
  const peaks = taken.at(-1);
  report.note(
    `peak memory: sender ${megabytes(peaks?.sync.peakRssBytes ?? 0)}, receiver ` +
      `${megabytes(peaks?.pull.peakRssBytes ?? 0)}, server ${megabytes(peaks?.serverPeakRssBytes ?? 0)}`,
  );
}

function judge(what: string, figure: number, target: number): void {
  report.verdict({ what, figure, target, unit: "×", isMet: figure >= target });
}

function judgeMemory(): void {
  const [small, large] = counts.map((count) => figures.get(count)?.at(-1));
  if (small === undefined || large === undefined) return;
  const rows: readonly (readonly [string, number])[] = [
    ["sender", large.sync.peakRssBytes - small.sync.peakRssBytes],
    ["receiver", large.pull.peakRssBytes - small.pull.peakRssBytes],
    ["server", large.serverPeakRssBytes - small.serverPeakRssBytes],
  ];
  for (const [who, grown] of rows) {
    report.verdict({
      what: `memory of the ${who}, 100,000 over 10,000`,
      figure: grown / 2 ** 20,
      target: memoryGrowthBytesMax / 2 ** 20,
      unit: "MB",
      isMet: grown < memoryGrowthBytesMax,
    });
  }
}
