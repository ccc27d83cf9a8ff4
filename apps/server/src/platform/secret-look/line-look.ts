import { createScrubber, type Scrubber } from "@tidemark/scrubber";

/** The scrubber that devices use, to look alone: it makes no tag that leaves the process. */
export function createLooker(): Scrubber {
  const noMac = new Uint8Array(32);
  return createScrubber({ hmac: () => noMac });
}

/** Lines of a push that are looked through by two threads, each taking the next few that nobody has. */
export interface SharedLook {
  readonly lines: readonly string[];
  /** By the places below. */
  readonly counts: Int32Array;
  /** For each line, 1 where something in it may be a secret. */
  readonly marks: Uint8Array;
}

const nextPlace = 0;
const donePlace = 1;
/** Few enough that nobody waits long for the last, and enough that taking them costs nothing. */
const linesAtOnce = 8;

/** Memory for the look through lines that both threads see. */
export function shareLook(lines: readonly string[]): SharedLook {
  return {
    lines,
    counts: new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)),
    marks: new Uint8Array(new SharedArrayBuffer(lines.length)),
  };
}

/** Looks through lines until all are taken. */
export function lookOn(looker: Scrubber, { lines, counts, marks }: SharedLook): void {
  for (;;) {
    const from = Atomics.add(counts, nextPlace, linesAtOnce);
    if (from >= lines.length) return;
    const taken = lines.slice(from, from + linesAtOnce);
    for (const [index, line] of taken.entries()) {
      if (looker.scrub(line).findings.length > 0) marks[from + index] = 1;
    }
    Atomics.add(counts, donePlace, taken.length);
  }
}

/** Whether all lines are looked through, and not only taken. */
export function isDone({ lines, counts }: SharedLook): boolean {
  return Atomics.load(counts, donePlace) === lines.length;
}
