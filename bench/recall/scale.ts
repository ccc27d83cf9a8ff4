// How long search and context take in a large store, in process and warm: words that few
// observations have, words that nearly all have, and both together.
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { buildContext } from "../../apps/client/src/recall/context.ts";
import { searchObservations } from "../../apps/client/src/recall/search.ts";
import { testScrub } from "../../apps/client/src/memory/testing/scrub.ts";
import { testOptions, testStore } from "../../apps/client/src/store/testing/test-store.ts";
import { quantile } from "../measure/numbers.ts";
import { clientRows, pageInserter, recordOf } from "../sync/limits.ts";
import { createObservations } from "../sync/observations.ts";

const project = "git:example.org/bench/project";
const model = "measured";
/** As many as today's small models have. */
const dimensions = 384;
const rowsAtOnce = 1_000;
const runsCount = 60;

/** Fills a store of `count` observations in a temporary folder, measures, and removes it. */
export function measureScale(count: number): void {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-recall-"));
  try {
    const path = join(folder, "tidemark.db");
    testStore({ path }).close();
    fill(path, count);
    print(path, count);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function fill(path: string, count: number): void {
  const make = createObservations(1);
  const db = new Sqlite(path);
  db.pragma("synchronous = OFF");
  const insert = pageInserter(db);
  for (let from = 0; from < count; from += rowsAtOnce) {
    const length = Math.min(rowsAtOnce, count - from);
    const records = Array.from({ length }, (_, index) =>
      recordOf(make(from + index), from + index),
    );
    insert(records.map((record) => clientRows("personal", record)));
  }
  fillVectors(db, count);
  db.pragma("wal_checkpoint(TRUNCATE)");
  db.close();
}

/** What a vector says does not change how long it takes to compare it. */
function fillVectors(db: Sqlite.Database, count: number): void {
  const insert = db.prepare("INSERT INTO vectors (id, model, vector) VALUES (?, ?, ?)");
  const all = db.prepare<[], { id: number }>("SELECT id FROM observations").all();
  db.transaction(() => {
    for (const { id } of all) insert.run(id, model, randomVector());
  })();
  if (all.length !== count) throw new Error(`${all.length} of ${count} observations`);
}

function randomVector(): Int8Array {
  return new Int8Array(randomBytes(dimensions));
}

function print(path: string, count: number): void {
  const store = testStore({ path });
  const { clock, random } = testOptions();
  const scrub = testScrub();
  const group = (run: number): string => `group${Math.floor((run * count) / (20 * runsCount))}`;
  const search = (query: string): unknown =>
    searchObservations(store.reads, query, { limit: 10 }).items;
  const deps = { ...store, clock, random, scrub: (text: string) => scrub.text(text) };
  const moment = { project, tokensMax: 800, charsMax: 9_000 };
  const asked: Readonly<Record<string, (run: number) => unknown>> = {
    "search, 20 match": (run) => search(group(run)),
    "search, one word that most have": () => search("parser"),
    "search, three words that most have": () => search("parser cache token"),
    "search, both": (run) => search(`${group(run)} parser cache token`),
    "nearest 20 of all vectors": () => store.vectors.nearest(model, randomVector(), {}, 20),
    "nearest 20 of one kind": () =>
      store.vectors.nearest(model, randomVector(), { kinds: ["note"] }, 20),
    context: () => buildContext(deps, moment),
    "context for a prompt": (run) =>
      buildContext(deps, { ...moment, prompt: `${group(run)} parser` }),
    "context for a common prompt": () => buildContext(deps, { ...moment, prompt: "parser cache" }),
  };
  console.log(`${count} observations, ${runsCount} runs each; milliseconds`);
  console.log("| | wall, median | wall, p95 | processor, median | processor, p95 |");
  console.log("|---|--:|--:|--:|--:|");
  for (const [name, ask] of Object.entries(asked)) {
    ask(0);
    const runs = Array.from({ length: runsCount }, (_, run) => spentOn(() => ask(run)));
    const wall = runs.map(({ wallMs }) => wallMs);
    const processor = runs.map(({ processorMs }) => processorMs);
    const cells = [wall, processor].flatMap((each) => [quantile(each, 0.5), quantile(each, 0.95)]);
    console.log(`| ${name} | ${cells.map((cell) => cell.toFixed(1)).join(" | ")} |`);
  }
  store.close();
}

function spentOn(work: () => unknown): { readonly wallMs: number; readonly processorMs: number } {
  const before = process.cpuUsage();
  const started = performance.now();
  work();
  const wallMs = performance.now() - started;
  const { user, system } = process.cpuUsage(before);
  return { wallMs, processorMs: (user + system) / 1_000 };
}
