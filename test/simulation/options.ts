import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";

const options = {
  seeds: { type: "string" },
  seed: { type: "string", default: "1" },
  jobs: { type: "string", default: String(availableParallelism()) },
  replay: { type: "string" },
  trace: { type: "boolean", default: false },
  ledger: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  twice: { type: "boolean", default: false },
  "no-keep": { type: "boolean", default: false },
  "keep-going": { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

const usage = `npm run sim -- [options]

  --seeds N      run this many worlds, from --seed on; without it that one seed is run and told
  --seed S       the first seed, 1 unless given
  --replay FILE  run a tape of the corpus again, with its whole story
  --trace        with one seed: its whole story
  --twice        run each seed twice, and compare the traces
  --jobs N       processes, as many as there are cores unless given
  --keep-going   go on after a seed that fails
  --no-keep      do not shrink a failing seed, nor keep it in corpus/
  --ledger       add a row of what was run to docs/reliability/ledger.csv
  --json         print the sum as JSON
  -h, --help     this

A seed is one world: devices, servers, people and faults, all drawn from it. Exit code 1 where a
promise broke, 2 for wrong usage. Ctrl-C ends a long run early, and sums it up.
`;

/** The options of a run; ends the program for `--help`, and where there is no such option. */
export function readOptions() {
  try {
    const { values } = parseArgs({ options });
    if (!values.help) return values;
    process.stdout.write(usage);
    process.exit(0);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${message}\n\n${usage}`);
    process.exit(2);
  }
}
