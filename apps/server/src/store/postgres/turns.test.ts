import { expect, test } from "vitest";
import { createTurns } from "./turns.ts";

async function soon(): Promise<void> {
  await new Promise<void>((resolve) => {
    setImmediate(resolve);
  });
}

test("[PG39] so many have a turn at once, and the others one after another in their order", async () => {
  const turns = createTurns(2);
  const had: number[] = [];
  const ends: (() => void)[] = [];
  const asked = [1, 2, 3, 4].map(async (name) => {
    ends.push(await turns.take());
    had.push(name);
  });
  await soon();
  expect(had).toEqual([1, 2]);
  ends[0]?.();
  ends[0]?.();
  await soon();
  expect(had).toEqual([1, 2, 3]);
  ends[1]?.();
  await Promise.all(asked);
  expect(had).toEqual([1, 2, 3, 4]);
});

test("[PG39] who waits when all is closed is refused, and so is who comes later", async () => {
  const turns = createTurns(1);
  const end = await turns.take();
  const waiting = turns.take();
  turns.end();
  end();
  await expect(waiting).rejects.toMatchObject({ code: "CONNECTION_ENDED" });
  await expect(turns.take()).rejects.toMatchObject({ code: "CONNECTION_ENDED" });
});
