/**
 * Runs in a copy of the project and tells of each run: plays those that are kept, then seeds, until
 * one breaks a promise; or, to be counted, the seeds alone and all of them.
 */
import { readCorpus } from "../simulation/corpus.ts";
import { extrasOf } from "../simulation/extras.ts";
import { playedTape, seededTape } from "../simulation/tape.ts";
import { runTrial, type TrialOptions } from "../simulation/trial.ts";

/** What a hunt says after each run. */
export interface Sighting {
  /** Such as `seed 7`. */
  readonly run: string;
  /** The rule that broke and how; undefined: every promise held. */
  readonly failure: { readonly rule: string; readonly what: string } | undefined;
  /** What the run took. */
  readonly cpuMs: number;
}

const seeds = Number(process.argv[2] ?? "1");
const isCount = process.argv[3] === "count";
process.on("SIGTERM", () => process.exit(1));
process.on("disconnect", () => process.exit(1));

function* runs(): Generator<{ readonly run: string; readonly trial: TrialOptions }> {
  for (const [name, { seed, tape, ...extras }] of isCount ? [] : readCorpus()) {
    yield { run: name.replace(".json", ""), trial: { seed, tape: playedTape(tape), extras } };
  }
  for (let seed = 1; seed <= seeds; seed += 1) {
    const trial = { seed, tape: seededTape(seed), extras: extrasOf(seed) };
    yield { run: `seed ${seed}`, trial };
  }
}

const tell = (sighting: Sighting): Promise<void> =>
  new Promise((resolve) => {
    process.send?.(sighting, undefined, {}, () => {
      resolve();
    });
  });

for (const { run, trial } of runs()) {
  const before = process.cpuUsage();
  const { failure } = await runTrial(trial);
  const { user, system } = process.cpuUsage(before);
  await tell({ run, failure, cpuMs: (user + system) / 1_000 });
  if (failure !== undefined && !isCount) break;
}
process.exit(0);
