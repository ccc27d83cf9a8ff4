/** A process that runs the seeds it is told; `main.ts` starts it. */
import { extrasOf } from "./extras.ts";
import { addOutcome, emptyTally, type Tally } from "./tally.ts";
import { playedTape, seededTape } from "./tape.ts";
import { runTrial, type Outcome } from "./trial.ts";

/** Seeds to run: the first, and the one after the last. */
export interface Range {
  readonly from: number;
  readonly to: number;
  /** Runs each seed once more, from its tape, and compares what happened (SI2). */
  readonly isTwice: boolean;
}

async function runRange({ from, to, isTwice }: Range): Promise<Tally> {
  const tally = emptyTally();
  const before = process.cpuUsage();
  for (let seed = from; seed < to; seed += 1) {
    const outcome = await runTrial({ seed, tape: seededTape(seed), extras: extrasOf(seed) });
    addOutcome(tally, isTwice ? await again(outcome) : outcome);
  }
  const used = process.cpuUsage(before);
  tally.cpuMs = (used.user + used.system) / 1_000;
  return tally;
}

async function again(outcome: Outcome): Promise<Outcome> {
  if (outcome.failure !== undefined) return outcome;
  const { seed, tape, trace } = outcome;
  const second = await runTrial({ seed, tape: playedTape(tape), extras: extrasOf(seed) });
  if (second.trace === trace && second.tape.length === tape.length) return outcome;
  return { ...outcome, failure: { rule: "SI2", what: "the second run went another way" } };
}

// Folders are put away at a regular end.
process.on("disconnect", () => process.exit(0));
process.on("SIGTERM", () => process.exit(0));
// Ctrl-C reaches this process as well; the one that started it says when to end.
process.on("SIGINT", () => undefined);
process.on("message", (range: Range) => {
  void runRange(range).then((tally) => process.send?.(tally));
});
