// Push and pull of the same observations by Tidemark and by other sync engines, in turns on the same
// machine, over the loopback: what each takes in time and in processor time, client, server and
// database together. What B holds afterwards is compared with what A had, field by field.
//
//   npm run bench:peers                                    10,000 observations, three runs
//   npm run bench:peers -- --count 2000 --runs 1 --peer actual --json
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { generateObservations } from "../sync/observations.ts";
import { actual, actualRows } from "./actual/peer.ts";
import { checkContents } from "./contents.ts";
import { evolu } from "./evolu/peer.ts";
import { installPeers } from "./install.ts";
import type { Peer } from "./peer.ts";
import { pouchdb } from "./pouchdb/peer.ts";
import { stopOnSignals } from "./processes.ts";
import { asJson, tables, type Result, type Run } from "./report.ts";
import { tidemark, tidemarkEngine } from "./tidemark/peer.ts";

const others: readonly Peer[] = [pouchdb, actual, actualRows, evolu];

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "10000" },
    runs: { type: "string", default: "3" },
    peer: { type: "string", multiple: true },
    json: { type: "boolean", default: false },
  },
});
const count = atLeastOne("count", values.count);
const runCount = atLeastOne("runs", values.runs);
const say = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

const stopped = stopOnSignals();
const chosen = chosenPeers(values.peer);
const installFailure = chosen.length === 0 ? undefined : await installPeers(say, stopped);
if (stopped.aborted) process.exit(130);
const observations = generateObservations(count);
const text = observations.map((each) => JSON.stringify(each)).join("\n");
const bytes = observations.reduce((sum, each) => sum + JSON.stringify(each.fields).length, 0);
const loadBefore = loadavg()[0] ?? 0;
const results = await measureAll();
const setting = {
  count,
  bytesEach: Math.round(bytes / count),
  runs: runCount,
  load: { before: loadBefore, after: loadavg()[0] ?? 0 },
};
process.stdout.write(
  values.json
    ? `${JSON.stringify(asJson(setting, results), undefined, 2)}\n`
    : `${tables(setting, results)}\n`,
);

/** Every peer once a round, each round beginning with another, so that none has the best place. */
async function measureAll(): Promise<readonly Result[]> {
  const peers = [tidemark, tidemarkEngine, ...chosen];
  const rounds = Array.from({ length: runCount }, (_, round) => round);
  const runs = new Map<Peer, Run[]>(peers.map((peer) => [peer, []]));
  const failures = new Map<Peer, string>();
  if (installFailure !== undefined) for (const peer of chosen) failures.set(peer, installFailure);
  for (const round of rounds) {
    for (const peer of rotated(peers, round)) {
      if (failures.has(peer)) continue;
      const run = await measureOnce(peer).catch(reasonOf);
      if (stopped.aborted) process.exit(130);
      if (typeof run === "string") failures.set(peer, run);
      else runs.get(peer)?.push(run);
      say(`run ${round + 1}: ${peer.title}: ${typeof run === "string" ? run : shown(run)}`);
    }
  }
  if (failures.size > 0) process.exitCode = 1;
  return peers.map((peer) => ({
    peer,
    runs: runs.get(peer) ?? [],
    failure: failures.get(peer),
  }));
}

function rotated<T>(items: readonly T[], by: number): readonly T[] {
  const from = by % items.length;
  return [...items.slice(from), ...items.slice(0, from)];
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return `not measured: ${String(error)}`;
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : "";
  return `not measured: ${error.message}${cause}`;
}

async function measureOnce(peer: Peer): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-peers-"));
  try {
    const rows = join(folder, "rows.ndjson");
    writeFileSync(rows, text);
    const own = join(folder, peer.name);
    mkdirSync(own);
    const session = await peer.start({ folder: own, rows });
    try {
      const push = await session.push();
      const pull = await session.pull();
      checkContents(await session.contents(), observations);
      return { push, pull };
    } finally {
      await session.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function shown({ push, pull }: Run): string {
  return [push, pull]
    .map(({ program, work }, index) => {
      const cost = program ?? work;
      const cpu = cost?.cpu === undefined ? "" : `, CPU ${cost.cpu.total.toFixed(2)} s`;
      return `${index === 0 ? "push" : "pull"} ${cost?.wall.toFixed(2) ?? "–"} s${cpu}`;
    })
    .join("; ");
}

function chosenPeers(names: readonly string[] | undefined): readonly Peer[] {
  if (names === undefined) return others;
  const known = [tidemark, ...others].map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) fail(`--peer ${unknown}: one of ${known.join(", ")}`);
  // Tidemark itself always runs: without it there is no ratio.
  return others.filter(({ name }) => names.includes(name));
}

function atLeastOne(name: string, value: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < 1) fail(`--${name} ${value}: 1 or more`);
  return number;
}

function fail(message: string): never {
  say(message);
  process.exit(2);
}
