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

function beats(watch: { beat(): void }, count: number): void {
  for (let beat = 0; beat < count; beat += 1) watch.beat();
}

test("[PG39] what hears nothing is given up, and not a beat before", async () => {
  const watch = createSilenceWatch();
  beats(watch, 10 * beatsOfSilence);
  const sent = watch.listen();
  beats(watch, beatsOfSilence - 1);
  expect(await isGivenUp(sent)).toBe(false);
  sent.heard();
  beats(watch, beatsOfSilence - 1);
  expect(await isGivenUp(sent)).toBe(false);
  beats(watch, 1);
  expect(await isGivenUp(sent)).toBe(true);
});

test("[PG39] who is over is not given up, and all others are when the watch ends", async () => {
  const watch = createSilenceWatch();
  const [ended, open] = [watch.listen(), watch.listen()];
  ended.over();
  watch.end();
  expect(await isGivenUp(ended)).toBe(false);
  expect(await isGivenUp(open)).toBe(true);
});
