import { expect, test } from "vitest";
import { beatsOfSilence, ConnectionSilent, createSilenceWatch, type Heard } from "./silence.ts";

/** Whether a transaction was given up by now. */
async function isGivenUp({ silent }: Heard): Promise<boolean> {
  const later = new Promise<"waits">((resolve) => {
    setImmediate(resolve, "waits");
  });
  const first = await Promise.race([silent, later]).catch((cause: unknown) => cause);
  return first instanceof ConnectionSilent;
}

function beats(watch: { beat(): void }, count: number, between = (): void => undefined): void {
  for (let beat = 0; beat < count; beat += 1) {
    watch.beat();
    between();
  }
}

test("[PG39] what hears nothing is given up, and not a beat before", async () => {
  const watch = createSilenceWatch();
  const begun = watch.listen();
  begun.begun();
  beats(watch, beatsOfSilence - 1);
  expect(await isGivenUp(begun)).toBe(false);
  begun.heard();
  beats(watch, beatsOfSilence - 1);
  expect(await isGivenUp(begun)).toBe(false);
  beats(watch, 1);
  expect(await isGivenUp(begun)).toBe(true);
});

test("[PG39] who waits for a turn is not given up as long as others hear something", async () => {
  const watch = createSilenceWatch();
  const busy = watch.listen();
  busy.begun();
  const waiting = watch.listen();
  beats(watch, 10 * beatsOfSilence, busy.heard);
  expect(await isGivenUp(waiting)).toBe(false);
  beats(watch, beatsOfSilence);
  expect(await isGivenUp(waiting)).toBe(true);
});

test("[PG39] who is passed by such as were asked for later has a silent connection", async () => {
  const watch = createSilenceWatch();
  const stuck = watch.listen();
  const later = watch.listen();
  later.begun();
  beats(watch, beatsOfSilence - 1, later.heard);
  expect(await isGivenUp(stuck)).toBe(false);
  beats(watch, 1, later.heard);
  expect(await isGivenUp(stuck)).toBe(true);
  expect(await isGivenUp(later)).toBe(false);
});

test("[PG39] a silence from before a transaction was asked for is not held against it", async () => {
  const watch = createSilenceWatch();
  beats(watch, 10 * beatsOfSilence);
  const fresh = watch.listen();
  expect(await isGivenUp(fresh)).toBe(false);
  beats(watch, beatsOfSilence - 1);
  expect(await isGivenUp(fresh)).toBe(false);
  fresh.over();
  beats(watch, beatsOfSilence);
  expect(await isGivenUp(fresh)).toBe(false);
});
