/**
 * Proves that the simulator can fail: `npm run mutants -- [name…] [--seeds 2000] [--jobs 1]`. Each
 * bug of the list is planted in a private copy of the sources, whose simulator then has to notice
 * it. Exit code 1 where a bug survives, 2 where the sources fail without one.
 *
 * `--count 200` plays that many seeds of each bug instead and tells how many of them notice it, and
 * after how much CPU: what a change of the worlds is measured by.
 */
import { parseArgs } from "node:util";
import { count, hunt, type Catch, type Count } from "./hunter.ts";
import { mutants } from "./list.ts";
import type { Mutant } from "./mutant.ts";
import { openWorkbench, type Workbench } from "./workbench.ts";

/** Seeds that the sources without a bug must pass first. */
const soundSeeds = 50;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: "string", default: "2000" },
    jobs: { type: "string", default: "1" },
    count: { type: "string" },
  },
});

interface Row {
  readonly mutant: Mutant;
  readonly caught: Catch;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function wholeNumber(name: string, text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0) return number;
  say(`--${name} takes a whole number from 1 on, not ${text}`);
  process.exit(2);
}

function chosen(names: readonly string[]): readonly Mutant[] {
  const unknown = names.filter((name) => !mutants.some((mutant) => mutant.name === name));
  if (unknown.length > 0) {
    say(`no such bug: ${unknown.join(", ")}`);
    process.exit(2);
  }
  return names.length === 0 ? mutants : mutants.filter(({ name }) => names.includes(name));
}

async function isSound(bench: Workbench): Promise<boolean> {
  const copy = bench.plant();
  const found = await hunt(copy, soundSeeds);
  bench.remove(copy);
  if (found.rule !== undefined) {
    say(`without any bug ${found.run} broke ${found.rule}: ${found.what}`);
  }
  return found.rule === undefined;
}

/** Does the work for a copy with each bug that was chosen. */
async function forEach(
  bench: Workbench,
  jobs: number,
  work: (mutant: Mutant, copy: string) => Promise<void>,
): Promise<void> {
  const waiting = [...chosen(positionals)];
  const next = async (): Promise<void> => {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const copy = bench.plant(mutant);
      await work(mutant, copy);
      bench.remove(copy);
    }
  };
  await Promise.all(Array.from({ length: jobs }, next));
}

async function huntAll(bench: Workbench, seeds: number, jobs: number): Promise<void> {
  const rows: Row[] = [];
  await forEach(bench, jobs, async (mutant, copy) => {
    const row = { mutant, caught: await hunt(copy, seeds) };
    rows.push(row);
    say(told(row));
  });
  const survivors = rows.filter(({ caught }) => caught.rule === undefined);
  say(`${rows.length - survivors.length} of ${rows.length} caught`);
  for (const { mutant } of survivors) say(`SURVIVED ${mutant.name}: ${mutant.why}`);
  process.exitCode = survivors.length === 0 ? 0 : 1;
}

async function countAll(bench: Workbench, seeds: number, jobs: number): Promise<void> {
  const counts: Count[] = [];
  await forEach(bench, jobs, async (mutant, copy) => {
    const counted = await count(copy, seeds);
    counts.push(counted);
    const share = `${counted.noticed} of ${counted.seeds} seeds`;
    say(`${mutant.name.padEnd(34)} ${share.padEnd(18)} ${perNotice(counted)}`);
  });
  // What no seed noticed counts as if half of one had, or two counts could not be compared.
  const logs = counts.map(({ cpuMs, noticed }) => Math.log(cpuMs / 1_000 / Math.max(0.5, noticed)));
  const mean = Math.exp(logs.reduce((sum, log) => sum + log, 0) / logs.length);
  const noticed = counts.filter((each) => each.noticed > 0).length;
  say(
    `${noticed} of ${counts.length} noticed, one after ${mean.toFixed(2)} s of CPU (geometric mean)`,
  );
}

function perNotice({ noticed, cpuMs }: Count): string {
  if (noticed === 0) return `none after ${(cpuMs / 1_000).toFixed(0)} s of CPU`;
  return `one after ${(cpuMs / noticed / 1_000).toFixed(2)} s of CPU`;
}

function told({ mutant, caught }: Row): string {
  const head = `${mutant.name.padEnd(34)} ${mutant.rule.padEnd(5)}`;
  const seconds = `${(caught.ms / 1_000).toFixed(0)} s`;
  if (caught.rule === undefined) return `${head} SURVIVED until ${caught.run}, ${seconds}`;
  const what = caught.what.replaceAll(/\s+/g, " ").slice(0, 110);
  return `${head} ${caught.rule.padEnd(6)} ${caught.run.padEnd(10)} ${seconds}  ${what}`;
}

const bench = openWorkbench();
process.on("exit", () => {
  bench.close();
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));

const jobs = wholeNumber("jobs", values.jobs);
const seeds = wholeNumber("seeds", values.seeds);
const counted = values.count === undefined ? undefined : wholeNumber("count", values.count);
if (!(await isSound(bench))) process.exit(2);
if (counted === undefined) await huntAll(bench, seeds, jobs);
else await countAll(bench, counted, jobs);
