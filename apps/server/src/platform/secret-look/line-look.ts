import { isAscii } from "node:buffer";
import { createScrubber, type Scrubber } from "@tidemark/scrubber";

/** The scrubber that devices use, to look alone: it makes no tag that leaves the process. */
export function createLooker(): Scrubber {
  const noMac = new Uint8Array(32);
  return createScrubber({ hmac: () => noMac });
}

/** Whether something in a line may be a secret. */
export function isSuspect(looker: Scrubber, line: string): boolean {
  return looker.scrub(line).findings.length > 0;
}

/**
 * Lines of a push that are looked through by two threads, each taking the next few that nobody has.
 * All of it lies in one piece of memory that both see, so that nothing is copied to either.
 */
export interface SharedLook {
  /** The lines as UTF-8, one after another. */
  readonly text: Uint8Array<SharedArrayBuffer>;
  /** Where each line ends in the text. */
  readonly ends: Int32Array<SharedArrayBuffer>;
  /** By the places below. */
  readonly counts: Int32Array<SharedArrayBuffer>;
  /** For each line, 1 where something in it may be a secret. */
  readonly marks: Uint8Array<SharedArrayBuffer>;
}

const nextPlace = 0;
const donePlace = 1;
const placeCount = 2;
/** Few enough that nobody waits long for the last, and enough that taking them costs nothing. */
const linesAtOnce = 8;

/** How much memory the look through lines wants, in bytes. */
export function lookBytes(lines: readonly string[]): number {
  const textBytes = lines.reduce((sum, line) => sum + Buffer.byteLength(line), 0);
  return (placeCount + lines.length) * Int32Array.BYTES_PER_ELEMENT + lines.length + textBytes;
}

/** Puts the lines of a push into memory that is large enough for them. */
export function shareLook(lines: readonly string[], memory: SharedArrayBuffer): SharedLook {
  const counts = new Int32Array(memory, 0, placeCount).fill(0);
  const ends = new Int32Array(memory, counts.byteLength, lines.length);
  const head = counts.byteLength + ends.byteLength;
  const marks = new Uint8Array(memory, head, lines.length).fill(0);
  const room = Buffer.from(memory, head + marks.byteLength);
  let end = 0;
  for (const [place, line] of lines.entries()) {
    end += room.write(line, end);
    ends[place] = end;
  }
  return { text: new Uint8Array(memory, room.byteOffset, end), ends, counts, marks };
}

/** Looks through lines until all are taken. */
export function lookOn(looker: Scrubber, look: SharedLook): void {
  const { ends, counts, marks } = look;
  for (;;) {
    const from = Atomics.add(counts, nextPlace, linesAtOnce);
    if (from >= ends.length) return;
    const to = Math.min(from + linesAtOnce, ends.length);
    for (let place = from; place < to; place += 1) {
      if (isSuspect(looker, lineAt(look, place))) marks[place] = 1;
    }
    Atomics.add(counts, donePlace, to - from);
  }
}

function lineAt({ text, ends }: SharedLook, place: number): string {
  const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  const line = bytes.subarray(place === 0 ? 0 : ends[place - 1], ends[place]);
  return line.toString(isAscii(line) ? "latin1" : "utf8");
}

/** Leaves the lines that nobody has taken to nobody: whoever comes to them is done at once. */
export function leaveRest({ ends, counts }: SharedLook): void {
  Atomics.store(counts, nextPlace, ends.length);
}

/** Whether all lines are looked through, and not only taken. */
export function isDone({ ends, counts }: SharedLook): boolean {
  return Atomics.load(counts, donePlace) === ends.length;
}
