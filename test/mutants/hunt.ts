/**
 * Runs in a copy of the project: plays the runs that are kept, then seeds, until one breaks a
 * promise, and tells of each.
 */
import { readCorpus } from "../simulation/corpus.ts";
import { playedTape, seededTape } from "../simulation/tape.ts";
import { hasSealedTeam, runTrial, type TrialOptions } from "../simulation/trial.ts";

/** What a hunt says after each run. */
export interface Sighting {
  /** Such as `seed 7`. */
  readonly run: string;
  /** The rule that broke and how; undefined: every promise held. */
  readonly failure: { readonly rule: string; readonly what: string } | undefined;
}

const seeds = Number(process.argv[2] ?? "1");
process.on("SIGTERM", () => process.exit(1));
process.on("disconnect", () => process.exit(1));

function* runs(): Generator<{ readonly run: string; readonly trial: TrialOptions }> {
  for (const [name, { seed, tape, isSealed }] of readCorpus()) {
    yield { run: name.replace(".json", ""), trial: { seed, tape: playedTape(tape), isSealed } };
  }
  for (let seed = 1; seed <= seeds; seed += 1) {
    const trial = { seed, tape: seededTape(seed), isSealed: hasSealedTeam(seed) };
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
  const { failure } = await runTrial(trial);
  await tell({ run, failure });
  if (failure !== undefined) break;
}
process.exit(0);
