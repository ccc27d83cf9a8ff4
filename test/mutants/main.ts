/**
 * Proves that the simulator can fail: `npm run mutants -- [name…] [--seeds 2000] [--jobs 1]`. Each
 * bug of the list is planted in a private copy of the sources, whose simulator then has to notice
 * it. Exit code 1 where a bug survives, 2 where the sources fail without one.
 */
import { parseArgs } from "node:util";
import { hunt, type Catch } from "./hunter.ts";
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

async function huntAll(
  bench: Workbench,
  { seeds, jobs }: { readonly seeds: number; readonly jobs: number },
): Promise<readonly Row[]> {
  const waiting = [...chosen(positionals)];
  const rows: Row[] = [];
  const work = async (): Promise<void> => {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const copy = bench.plant(mutant);
      const row = { mutant, caught: await hunt(copy, seeds) };
      bench.remove(copy);
      rows.push(row);
      say(told(row));
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return rows;
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

const how = { seeds: wholeNumber("seeds", values.seeds), jobs: wholeNumber("jobs", values.jobs) };
if (!(await isSound(bench))) process.exit(2);
const rows = await huntAll(bench, how);
const survivors = rows.filter(({ caught }) => caught.rule === undefined);
say(`${rows.length - survivors.length} of ${rows.length} caught`);
for (const { mutant } of survivors) say(`SURVIVED ${mutant.name}: ${mutant.why}`);
process.exitCode = survivors.length === 0 ? 0 : 1;
