import { expect, test } from "vitest";
import { readCorpus } from "./corpus.ts";
import { playedTape, seededTape } from "./tape.ts";
import { runTrial } from "./trial.ts";

test("[SI1] a run that once broke a promise never does again", async () => {
  for (const [name, { seed, tape }] of readCorpus()) {
    const { failure } = await runTrial({ seed, tape: playedTape(tape) });
    expect({ name, failure }).toEqual({ name, failure: undefined });
  }
}, 120_000);

test("[SI2] a seed is the same run each time, bit for bit", async () => {
  for (let seed = 1; seed <= 25; seed += 1) {
    const first = await runTrial({ seed, tape: seededTape(seed) });
    const again = await runTrial({ seed, tape: playedTape(first.tape) });
    expect({ seed, trace: again.trace }).toEqual({ seed, trace: first.trace });
    expect(again.tape).toEqual(first.tape);
  }
}, 120_000);
