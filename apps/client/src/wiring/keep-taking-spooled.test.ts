import { expect, test } from "vitest";
import { keepTakingSpooled } from "./keep-taking-spooled.ts";

/** A spool of so many lines, of which each take gets some, and a clock that a test turns. */
function scene(lines: number, perTake: number) {
  const seen = { lines, takes: 0, isInPlace: true, isEnded: false, perTake };
  let tick = (): void => {};
  const timers = {
    every: (_: number, given: () => void) => {
      tick = given;
      return () => {
        seen.isEnded = true;
      };
    },
  };
  const memory = {
    hasSpooled: () => seen.lines > 0,
    takeSpooled: () => {
      seen.takes += 1;
      const taken = Math.min(seen.lines, seen.perTake);
      seen.lines -= taken;
      return taken;
    },
  };
  const end = keepTakingSpooled(timers, memory, () => seen.isInPlace);
  const turn = (times: number): void => {
    for (let n = 0; n < times; n += 1) tick();
  };
  return { seen, turn, end };
}

test("[HK21] a daemon takes in what waits look by look, and nothing where nothing waits", () => {
  const { seen, turn, end } = scene(5, 2);
  turn(10);
  expect(seen).toMatchObject({ lines: 0, takes: 3 });
  end();
  expect(seen.isEnded).toBe(true);
});

test("[HK21] where it can take nothing in, it looks again only after a minute", () => {
  const { seen, turn } = scene(5, 0);
  turn(12);
  expect(seen.takes).toBe(1);
  seen.perTake = 5;
  turn(1);
  expect(seen).toMatchObject({ lines: 0, takes: 2 });
});

test("[HK21, ST17] it takes nothing into a database that is not the one in use any more", () => {
  const { seen, turn } = scene(5, 5);
  seen.isInPlace = false;
  turn(3);
  expect(seen).toMatchObject({ lines: 5, takes: 0 });
});
