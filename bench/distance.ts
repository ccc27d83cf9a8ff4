/**
 * A backlog over a distance: the built `tidemark sync` pushes 10,000 observations of about 1 KB to the
 * built server over a line with a delay and so many bits a second upwards, beside what the line itself
 * takes for the same bytes, once there and back. The line is made on loopback, by this program.
 *
 *   npm run bench:distance                      three runs of each line
 *   npm run bench:distance -- --count 2000 --runs 1
 *   npm run bench:distance -- --json
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { freePort, openLine, type LineKind } from "./distance/line.ts";
import { median } from "./measure/numbers.ts";
import { startReport } from "./measure/report.ts";
import { exportText, generateObservations } from "./sync/observations.ts";
import { measureTidemark, startServer } from "./sync/programs.ts";

const megabit = 1_000_000 / 8;
const lines: readonly (LineKind & { readonly name: string })[] = [
  { name: "25 ms, 100 Mbit/s", delayMs: 25, bytesPerSecondUp: 100 * megabit },
  { name: "25 ms, 20 Mbit/s", delayMs: 25, bytesPerSecondUp: 20 * megabit },
  { name: "60 ms, 10 Mbit/s", delayMs: 60, bytesPerSecondUp: 10 * megabit },
];
/** Of the line's own time, so much at most. */
const timesLineMax = 3;

interface Figures {
  readonly seconds: number;
  readonly lineSeconds: number;
}

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "10000" },
    runs: { type: "string", default: "3" },
    json: { type: "boolean", default: false },
  },
});
const rows = generateObservations(Number(values.count));
const report = startReport("distance", values.json);
const taken = new Map<string, readonly Figures[]>();
for (const kind of lines) {
  const runs: Figures[] = [];
  for (let count = 0; count < Number(values.runs); count += 1) runs.push(await measure(kind));
  taken.set(kind.name, runs);
}
const figureOf = (name: string, part: (each: Figures) => number): number =>
  median((taken.get(name) ?? []).map(part));
report.table({
  title: `push of ${String(rows.length)} observations`,
  columns: ["line, one way and upwards", "sync", "the line's own time", "times"],
  rows: lines.map(({ name }) => {
    const seconds = figureOf(name, (each) => each.seconds);
    const own = figureOf(name, (each) => each.lineSeconds);
    return [name, `${seconds.toFixed(2)} s`, `${own.toFixed(2)} s`, (seconds / own).toFixed(2)];
  }),
});
const slowest = lines.at(-1)?.name ?? "";
const figure = figureOf(slowest, ({ seconds, lineSeconds }) => seconds / lineSeconds);
report.verdict({
  what: `push over ${slowest}, of the line's own time`,
  figure,
  target: timesLineMax,
  unit: "×",
  isMet: figure <= timesLineMax,
});
report.print(Object.fromEntries(taken));

async function measure(kind: LineKind): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-bench-"));
  const line = await openLine(kind);
  const port = await freePort();
  line.leadTo(port);
  const url = `http://127.0.0.1:${String(line.port)}`;
  const server = await startServer(join(folder, "server"), [
    "--port",
    String(port),
    "--public-url",
    url,
  ]);
  try {
    const home = join(folder, "a");
    mkdirSync(home);
    await run(home, "pair", server.setupLink, "--name", "a", "--json");
    const file = join(folder, "observations.ndjson");
    writeFileSync(file, exportText(rows));
    await run(home, "import", file, "--json");
    const before = line.bytesUp();
    const wallSeconds = await run(home, "sync");
    const bytes = line.bytesUp() - before;
    const lineSeconds = bytes / kind.bytesPerSecondUp + (2 * kind.delayMs) / 1_000;
    return { seconds: wallSeconds, lineSeconds };
  } finally {
    await server.stop();
    line.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The line is in this process, which must not wait for a program without going on. */
async function run(home: string, ...args: readonly string[]): Promise<number> {
  return (await measureTidemark(home, args, { name: "distance" })).wallSeconds;
}
