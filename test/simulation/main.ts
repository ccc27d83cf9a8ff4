/**
 * Runs the simulator: `npm run sim -- --seeds 2000 [--seed 1] [--jobs 2] [--twice] [--ledger]`, and
 * one run again with `npm run sim -- --replay <file>` or `--seed 7 --trace`. A failure is shrunk,
 * kept in `corpus/`, and told with the command that shows it again. `--twice` runs each seed again
 * and compares the traces. Ctrl-C ends a long run early: what has begun is finished and summed up.
 * Exit code 1 where a promise broke.
 */
import { fork, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle } from "../../scripts/bundle.ts";
import { keepEntry, readEntry } from "./corpus.ts";
import { extrasOf } from "./extras.ts";
import { appendLedger } from "./ledger.ts";
import { readOptions } from "./options.ts";
import { shrink } from "./shrink.ts";
import { addTally, emptyTally, type Failure, type Tally } from "./tally.ts";
import { playedTape, seededTape } from "./tape.ts";
import { runTrial, type Outcome, type TrialOptions } from "./trial.ts";
import type { Range } from "./worker.ts";

const values = readOptions();

function wholeNumber(name: string, text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  say(`--${name} takes a whole number, not ${text}`);
  process.exit(2);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function replay(path: string): Promise<void> {
  const { seed, tape, ...extras } = readEntry(path);
  await show({ seed, tape: playedTape(tape), extras });
}

/** One run, with its whole story. */
async function show(run: TrialOptions): Promise<void> {
  const onTrace = (line: string): void => {
    process.stdout.write(line);
  };
  const outcome = await runTrial({
    ...run,
    ...(values.trace || values.replay ? { onTrace } : {}),
  });
  say(outcome.failure === undefined ? "every promise held" : told(outcome));
  process.exitCode = outcome.failure === undefined ? 0 : 1;
}

function told({ seed, failure }: Outcome): string {
  return `seed ${seed} broke ${failure?.rule ?? ""}: ${failure?.what ?? ""}`;
}

/** Shares the seeds among processes, tells how it goes, and sums up. */
async function runAll(seeds: number, jobs: number): Promise<void> {
  const started = Date.now();
  const tally = emptyTally();
  let next = first;
  const end = first + seeds;
  const chunk = Math.max(1, Math.min(100, Math.ceil(seeds / jobs)));
  let isStopped = false;
  process.once("SIGINT", () => {
    isStopped = true;
  });
  const isOver = (): boolean =>
    isStopped || next >= end || (tally.failures.length > 0 && !values["keep-going"]);
  const program = await worker();
  await Promise.all(
    Array.from({ length: Math.min(jobs, seeds) }, async () => {
      let child = startWorker(program);
      for (let count = 0; !isOver(); count += 1) {
        if (count > 0 && count % chunksPerWorker === 0) {
          child.kill();
          child = startWorker(program);
        }
        const from = next;
        const to = Math.min(end, from + chunk);
        next = to;
        const part = await ask(child, { from, to, isTwice: values.twice });
        addTally(tally, part);
        for (const failure of part.failures) sayFailure(failure);
        progress(tally, seeds, started);
      }
      child.kill();
    }),
  );
  summarise(tally, started);
  if (values.json) say(JSON.stringify(tally));
  const [worst] = tally.failures.toSorted((left, right) => left.seed - right.seed);
  if (worst !== undefined && !values["no-keep"]) await shrinkAndKeep(worst.seed);
  if (values.ledger) appendLedger(tally, first);
  process.exitCode = tally.failures.length === 0 ? 0 : 1;
}

/**
 * What the database's driver made is never given back (ST22): a worker grows by 40 KB a seed, and a
 * new one is half as fast until V8 has compiled what it runs, which takes some hundred seeds.
 */
const chunksPerWorker = 60;

function startWorker(program: string): ChildProcess {
  return fork(program, [], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    // Worlds are many short-lived objects. One thread clears them away: helpers wait for each other
    // more than they help, and there are as many workers as cores.
    execArgv: ["--max-semi-space-size=64", "--single-threaded-gc"],
  });
}

/** Builds the program that runs the seeds; gives its path. */
async function worker(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-simulator-"));
  process.on("exit", () => {
    rmSync(folder, { recursive: true, force: true });
  });
  const path = join(folder, "worker.mjs");
  await bundle(join(import.meta.dirname, "worker.ts"), path);
  return path;
}

function ask(child: ReturnType<typeof fork>, range: Range): Promise<Tally> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null): void => {
      reject(
        new Error(`a process ended with ${String(code)} at seeds ${range.from} to ${range.to}`),
      );
    };
    child.once("exit", onExit);
    child.once("message", (tally) => {
      child.off("exit", onExit);
      resolve(tally as Tally);
    });
    child.send(range);
  });
}

let toldAt = 0;

function progress(tally: Tally, seeds: number, started: number): void {
  const now = Date.now();
  if (now - toldAt < 2_000 || tally.seeds === seeds) return;
  toldAt = now;
  const perMinute = Math.round((tally.seeds / (now - started)) * 60_000);
  say(`${tally.seeds} of ${seeds} seeds, ${tally.failures.length} failed, ${perMinute} a minute`);
}

function sayFailure({ seed, rule, what }: Failure): void {
  say(`seed ${seed} broke ${rule}: ${what.slice(0, 400)}`);
}

function summarise(tally: Tally, started: number): void {
  const seconds = (Date.now() - started) / 1_000;
  const perCpuMinute = Math.round(tally.seeds / (tally.cpuMs / 60_000));
  const faults = Object.values(tally.struck).reduce((sum, count) => sum + count, 0);
  say(
    `${tally.seeds} seeds in ${seconds.toFixed(1)} s (${perCpuMinute} a minute and core): ` +
      `${faults} faults of ${Object.keys(tally.struck).length} kinds, ` +
      `${Object.keys(tally.crashPoints).length} crash points, ${tally.heals} heals, ` +
      `${tally.failures.length} failed`,
  );
}

async function shrinkAndKeep(seed: number): Promise<void> {
  const extras = extrasOf(seed);
  const failing = await runTrial({ seed, tape: seededTape(seed), extras });
  if (failing.failure === undefined) {
    say(`seed ${seed} does not fail again: the run is not deterministic`);
    return;
  }
  say(`shrinking seed ${seed}, ${failing.tape.length} draws …`);
  const tape = await shrink(
    failing,
    (numbers) => runTrial({ seed, tape: playedTape(numbers), extras }),
    (length, runs) => {
      if (Date.now() - toldAt < 2_000) return;
      toldAt = Date.now();
      say(`  ${length} draws after ${runs} runs`);
    },
  );
  const shrunk = await runTrial({ seed, tape: playedTape(tape), extras });
  const { rule = "", what = "" } = shrunk.failure ?? {};
  const path = keepEntry({ rule, what, seed, tape, ...extras });
  say(`${told(shrunk)}\nsee it again: npm run sim -- --replay ${path}`);
}

const first = wholeNumber("seed", values.seed);
if (values.replay !== undefined) await replay(values.replay);
else if (values.seeds === undefined)
  await show({ seed: first, tape: seededTape(first), extras: extrasOf(first) });
else await runAll(wholeNumber("seeds", values.seeds), wholeNumber("jobs", values.jobs));
