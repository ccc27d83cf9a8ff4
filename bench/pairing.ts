/**
 * Measures how long pairing takes on this machine: `device add`, `pair` and the first sync of a
 * second laptop, with the built programs and a real server over loopback. The first laptop holds
 * some observations, so that the first sync brings something. Prints medians, the slowest round and
 * whether that one kept the target. Run `npm run build` first.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median, secondsSince } from "./measure/numbers.ts";
import { startReport } from "./measure/report.ts";
import { startServer, tidemark } from "./sync/programs.ts";

delete process.env["NODE_EXTRA_CA_CERTS"];

const rounds = 5;
const observations = 20;
const secondsMax = 5;

interface Round {
  readonly add: number;
  readonly pair: number;
}

const report = startReport("pairing", process.argv.includes("--json"));
const folder = mkdtempSync(join(tmpdir(), "tidemark-bench-pairing-"));
const server = await startServer(join(folder, "server"));
try {
  const first = homeOf("first");
  tidemark(first, ["pair", server.setupLink, "--name", "first", "--user", "ada"]);
  for (let count = 0; count < observations; count += 1) {
    tidemark(first, ["save", "--title", `worth knowing ${count}`, "--kind", "discovery"]);
  }
  tidemark(first, ["sync"]);
  const measured: Round[] = [];
  for (let round = 0; round < rounds; round += 1) measured.push(runRound(first, round));
  tell(measured);
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

function homeOf(name: string): string {
  const home = join(folder, name);
  mkdirSync(home, { recursive: true });
  return home;
}

function runRound(first: string, round: number): Round {
  const next = homeOf(`next-${round}`);
  const beforeAdd = process.hrtime.bigint();
  const { link } = JSON.parse(tidemark(first, ["device", "add", "--json"])) as { link: string };
  const add = secondsSince(beforeAdd);
  const beforePair = process.hrtime.bigint();
  const told = tidemark(next, ["pair", link, "--name", `next-${round}`, "--json"]);
  const pair = secondsSince(beforePair);
  const { namespaces } = JSON.parse(told) as { namespaces: readonly { synced: boolean }[] };
  if (!namespaces.some(({ synced }) => synced)) throw new Error(`round ${round} did not sync`);
  return { add, pair };
}

function tell(measured: readonly Round[]): void {
  const whole = measured.map(({ add, pair }) => add + pair);
  const row = (what: string, values: readonly number[]): readonly string[] => [
    what,
    `${median(values).toFixed(2)} s`,
    `${Math.max(...values).toFixed(2)} s`,
  ];
  report.table({
    title: `pairing a second laptop by a link, ${rounds} rounds`,
    columns: ["", "median", "slowest"],
    rows: [
      row(
        "tidemark device add",
        measured.map(({ add }) => add),
      ),
      row(
        "tidemark pair, first sync included",
        measured.map(({ pair }) => pair),
      ),
      row("both", whole),
    ],
  });
  const figure = Math.max(...whole);
  const what = "device add, pair and first sync, slowest round";
  const isMet = figure <= secondsMax;
  report.verdict({ what, figure, target: secondsMax, unit: "s", isMet });
  report.print({ rounds: measured });
}
