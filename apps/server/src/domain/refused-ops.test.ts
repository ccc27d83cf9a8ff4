import { ok, type DeviceId, type Op, type WriterId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import { createMemoryStore } from "../store/memory/memory-store.ts";
import { RowRefused } from "../store/row-refused.ts";
import { storedForm } from "../store/stored-form.ts";
import type { PreparedPush } from "./prepared-push.ts";
import { commitWithoutRefused } from "./refused-ops.ts";
import { refusalScenarios } from "./testing/refusal-scenarios.ts";

refusalScenarios("memory", async (clock) =>
  createMemoryStore({
    clock,
    refuses: ({ state }) => storedForm(state).fields?.includes("poison") === true,
  }),
);

function pushOf(count: number): PreparedPush {
  return {
    device: "dev_a" as DeviceId,
    header: { writer: "wa" as WriterId, after: 0, chain: "start" },
    ops: Array.from({ length: count }, (_, at) => ({ n: at + 1, bytes: 1, decoded: ok({} as Op) })),
    bytes: count,
    chain: "end",
  };
}

/** Looks for ops among so many; what is found, and how many rehearsals that took. */
async function search(count: number, isBad: (n: number) => boolean) {
  const found: number[] = [];
  let rehearsals = 0;
  const attempt = async ({ ops }: PreparedPush): Promise<void> => {
    if (ops.some(({ n, decoded }) => decoded.ok && isBad(n))) throw new RowRefused("23514");
    await Promise.resolve();
  };
  const committed = await commitWithoutRefused(pushOf(count), new RowRefused("23514"), {
    commit: async (push) => {
      await attempt(push);
      return push;
    },
    rehearse: async (push) => {
      rehearsals += 1;
      await attempt(push);
    },
    onFound: (n) => found.push(n),
  });
  return { found, rehearsals, committed };
}

test("[PS13] wherever the bad op is, it is found in at most log2 of the ops trials (abuse 123)", async () => {
  for (const count of [1, 2, 3, 7, 8, 9, 64, 65, 500, 1000]) {
    for (let bad = 1; bad <= count; bad += Math.max(1, Math.floor(count / 50))) {
      const { found, rehearsals, committed } = await search(count, (n) => n === bad);
      expect(found).toEqual([bad]);
      expect(rehearsals).toBeLessThanOrEqual(Math.ceil(Math.log2(count)));
      // Nothing else is changed: as many ops as before, and one that ends rejected.
      expect(committed.ops.map(({ decoded }) => decoded.ok)).toEqual(
        Array.from({ length: count }, (_, at) => at + 1 !== bad),
      );
      expect(committed).toMatchObject({ chain: "end", header: { after: 0 } });
    }
  }
});

test("[PS13] several bad ops are found in order; the search ends where something else is wrong", async () => {
  const bad = [1, 2, 500, 501, 777, 1000];
  expect((await search(1000, (n) => bad.includes(n))).found).toEqual(bad);
  await expect(search(1000, () => true)).rejects.toThrow(RowRefused);
  const none = { ...pushOf(3), ops: [] };
  const refusal = new RowRefused("42P01");
  const never = async (): Promise<void> => await Promise.reject(refusal);
  const trials = { commit: never, rehearse: never, onFound: () => undefined };
  await expect(commitWithoutRefused(none, refusal, trials)).rejects.toBe(refusal);
  await expect(commitWithoutRefused(pushOf(2), refusal, trials)).rejects.toBe(refusal);
});

test("[PS13] what else goes wrong during a trial ends the search", async () => {
  const away = new Error("the database is away");
  const trials = {
    commit: async () => await Promise.reject(away),
    rehearse: async () => await Promise.reject(away),
    onFound: () => undefined,
  };
  const searching = commitWithoutRefused(pushOf(4), new RowRefused("23514"), trials);
  await expect(searching).rejects.toBe(away);
});
