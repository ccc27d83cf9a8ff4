// Push and pull of many observations of about 1 KB, everything on, beside what the same machine's
// PostgreSQL and SQLite take of the same rows in the same run.
//
//   npm run bench:sync                    10,000 observations
//   npm run bench:sync -- --count 2000 --runs 3
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { systemClock } from "../apps/server/src/platform/clock.ts";
import { startEmbeddedPostgres } from "../apps/server/src/platform/embedded-postgres/embedded-postgres.ts";
import { createLog } from "../apps/server/src/platform/log.ts";
import { systemRandom } from "../apps/server/src/platform/random.ts";
import { systemTimers } from "../apps/server/src/platform/timers.ts";
import { rawPostgresSeconds, rawSqliteSeconds, secondsSince } from "./sync/limits.ts";
import { generateObservations, type GeneratedObservation } from "./sync/observations.ts";
import { startServer, tidemark } from "./sync/programs.ts";

interface Figures {
  readonly push: number;
  readonly pull: number;
  readonly postgres: number;
  readonly sqlite: number;
}

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "10000" },
    runs: { type: "string", default: "3" },
  },
});
const count = Number(values.count);
const observations = generateObservations(count);
const bytes = observations.reduce((sum, each) => sum + JSON.stringify(each.fields).length, 0);
process.stdout.write(
  `${count} observations, ${Math.round(bytes / count)} bytes each on average\n\n`,
);
const runs: Figures[] = [];
for (let run = 1; run <= Number(values.runs); run += 1) {
  const figures = await measure(observations);
  runs.push(figures);
  process.stdout.write(
    `run ${run}: push ${figures.push.toFixed(2)} s, pull ${figures.pull.toFixed(2)} s, ` +
      `raw PostgreSQL ${figures.postgres.toFixed(2)} s, raw SQLite ${figures.sqlite.toFixed(2)} s\n`,
  );
}
printTable(runs);

async function measure(rows: readonly GeneratedObservation[]): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-bench-"));
  try {
    const postgres = await measurePostgres(folder, rows);
    const sqlite = rawSqliteSeconds(join(folder, "raw.db"), rows);
    return { ...(await measureTidemark(folder, rows)), postgres, sqlite };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measurePostgres(
  folder: string,
  rows: readonly GeneratedObservation[],
): Promise<number> {
  const deps = {
    clock: systemClock,
    random: systemRandom,
    timers: systemTimers,
    log: createLog({ level: "error" }),
  };
  const dataDir = join(folder, "raw");
  const started = await startEmbeddedPostgres(deps, { dataDir, listen: "loopback" });
  if (!started.ok) throw new Error(started.error.message);
  try {
    return await rawPostgresSeconds(started.value.adminUrl, rows);
  } finally {
    await started.value.stop();
  }
}

async function measureTidemark(
  folder: string,
  rows: readonly GeneratedObservation[],
): Promise<{ readonly push: number; readonly pull: number }> {
  const [a, b] = ["a", "b"].map((name) => {
    const home = join(folder, name);
    mkdirSync(home);
    return home;
  }) as [string, string];
  const server = await startServer(join(folder, "server"));
  try {
    tidemark(a, ["pair", server.setupLink, "--name", "a", "--json"]);
    const added = JSON.parse(tidemark(a, ["device", "add", "--json"])) as { readonly link: string };
    tidemark(b, ["pair", added.link, "--name", "b", "--json"]);
    const file = join(folder, "observations.ndjson");
    writeFileSync(file, exportText(rows));
    tidemark(a, ["import", file, "--json"]);
    const push = timed(() => tidemark(a, ["sync"]));
    const pull = timed(() => tidemark(b, ["sync"]));
    const listed = JSON.parse(tidemark(b, ["list", "--limit", "1", "--json"])) as {
      readonly total: number;
    };
    if (listed.total !== rows.length) {
      throw new Error(`the second device has ${listed.total} of ${rows.length} observations`);
    }
    return { push, pull };
  } finally {
    await server.stop();
  }
}

function exportText(rows: readonly GeneratedObservation[]): string {
  return rows
    .map(({ id, fields }, index) =>
      JSON.stringify({
        namespace: "personal",
        id,
        collection: "observation",
        lamport: index + 1,
        writer: "bench",
        at: fields["createdAt"],
        fields,
      }),
    )
    .join("\n");
}

function timed(work: () => void): number {
  const started = process.hrtime.bigint();
  work();
  return secondsSince(started);
}

function printTable(figures: readonly Figures[]): void {
  const median = (pick: (figure: Figures) => number): number =>
    figures.map(pick).toSorted((left, right) => left - right)[Math.floor(figures.length / 2)] ?? 0;
  const rows: readonly (readonly [string, number, string, number])[] = [
    ["push", median((f) => f.push), "raw PostgreSQL upserts", median((f) => f.postgres)],
    ["pull", median((f) => f.pull), "raw SQLite inserts with index", median((f) => f.sqlite)],
  ];
  process.stdout.write("\n| | Tidemark | limit in the same run | ratio |\n|---|--:|--:|--:|\n");
  for (const [name, ours, limitName, limit] of rows) {
    process.stdout.write(
      `| ${name} of ${count} | ${ours.toFixed(2)} s (${perSecond(ours)}/s) | ` +
        `${limit.toFixed(2)} s (${perSecond(limit)}/s, ${limitName}) | ${(ours / limit).toFixed(1)} |\n`,
    );
  }
}

function perSecond(seconds: number): string {
  return Math.round(count / seconds).toLocaleString("en-US");
}
