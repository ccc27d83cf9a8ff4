import { expect, test } from "vitest";
import { createMemoryStore } from "../store/memory/memory-store.ts";
import { applyRetention, planRetention } from "./retention.ts";
import { createWorld } from "./testing/world.ts";

const dayMs = 86_400_000;

test("[MK3] marks are kept for 30 days, revisions for a year, unless told otherwise", () => {
  const nowMs = 1000 * dayMs;
  expect(planRetention({ nowMs })).toEqual({
    revisionsBeforeMs: 635 * dayMs,
    marksBeforeMs: 970 * dayMs,
    markEvery: 256,
  });
  const own = planRetention({ nowMs, revisionDays: 1, markDays: 2 });
  expect(own).toMatchObject({ revisionsBeforeMs: 999 * dayMs, marksBeforeMs: 998 * dayMs });
});

test("[MK3] a replica away for longer than marks are kept is sent to heal", async () => {
  const clock = { now: 0 };
  const store = createMemoryStore({ clock: { nowMs: () => clock.now } });
  const { writer, pullAll } = await createWorld(store);
  const a = writer("wa");
  await a.send(a.put("r1", { title: "one" }));
  const { tail } = await pullAll();
  await a.send(a.put("r2", { title: "two" }));
  await applyRetention({ store }, { nowMs: 29 * dayMs });
  expect((await pullAll({ after: tail.cursor })).seqs).toEqual([2]);
  await applyRetention({ store }, { nowMs: 31 * dayMs });
  await expect(pullAll({ after: tail.cursor })).rejects.toThrow("history");
});
