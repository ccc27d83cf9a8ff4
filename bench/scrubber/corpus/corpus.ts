import type { Corpus } from "./case.ts";
import { drawNegatives } from "./negatives.ts";
import { drawPositives, drawRivals, drawTwins } from "./positives.ts";

/** Draws everything a scrubber is measured on; the same for the same seed. */
export function drawCorpus(seed: string): Corpus {
  return {
    positives: drawPositives(seed),
    negatives: drawNegatives(seed),
    twins: drawTwins(seed),
    rivals: drawRivals(seed),
  };
}
