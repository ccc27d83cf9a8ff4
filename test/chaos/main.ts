/**
 * Runs chaos on the built programs: `npm run chaos -- [--seed 1] [--rounds 5]`. Each round is a
 * server, three devices and a storm of its own, with the next seed. Everything stays on the loopback
 * address and in temporary folders. Exit code 1 where a promise broke. The seed decides what is
 * done; when it happens is the machine's to say, so a failure may need several rounds to come back.
 */
import { parseArgs } from "node:util";
import { startChaos, summaryOf, type ChaosRun } from "./chaos-run.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    rounds: { type: "string", default: "5" },
  },
});

let running: ChaosRun | undefined;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    void (running?.clear() ?? Promise.resolve()).finally(() => process.exit(130));
  });
}

const first = wholeNumber("seed", values.seed);
const rounds = wholeNumber("rounds", values.rounds);
let broken = 0;
for (let seed = first; seed < first + rounds; seed += 1) {
  if (!(await round(seed))) broken += 1;
}
say(`${rounds} rounds from seed ${first}: ${broken} broke a promise`);
process.exitCode = broken === 0 ? 0 : 1;

async function round(seed: number): Promise<boolean> {
  running = startChaos(seed);
  try {
    const outcome = await running.outcome;
    const isKept = outcome.broken.length === 0;
    say(`seed ${seed}: ${isKept ? "every promise held" : "BROKEN"}, ${summaryOf(outcome)}`);
    for (const promise of outcome.broken) say(`  broken: ${promise}`);
    return isKept;
  } catch (cause) {
    say(`seed ${seed}: BROKEN, ${cause instanceof Error ? cause.message : String(cause)}`);
    return false;
  } finally {
    await running.clear();
  }
}

function wholeNumber(name: string, text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  say(`--${name} takes a whole number, not ${text}`);
  process.exit(2);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
