import { digestOf, sumDigests, type RecordId, type WriterId } from "@tidemark/protocol";
import { describe, expect, test } from "vitest";
import type { MakeStore } from "../../store/contract.ts";
import type { Store } from "../../store/port.ts";
import { RowRefused } from "../../store/row-refused.ts";
import { heal } from "../heal.ts";
import { lineOf, live } from "./states.ts";
import { createWorld, entryOf, sha256, valuesOf, type World } from "./world.ts";

const poison = "poison";
const invalid = (n: number): object => ({ n, result: "rejected", code: "invalid" });

interface Counted {
  readonly world: World;
  /** Write transactions so far. */
  readonly writes: () => number;
}

/**
 * What becomes of a push where the database refuses a row.
 *
 * @param makeStore makes a store that refuses every record in which the word `poison` stands
 */
export function refusalScenarios(name: string, makeStore: MakeStore): void {
  const opened = async (): Promise<Counted> => {
    const store = await makeStore({ nowMs: () => 1 });
    let count = 0;
    const counting: Store = {
      ...store,
      writeNamespace: async (namespace, work) => {
        count += 1;
        return await store.writeNamespace(namespace, work);
      },
    };
    return { world: await createWorld(counting, "refusal"), writes: () => count };
  };
  const held = async ({ pullAll }: World): Promise<readonly RecordId[]> => {
    const { states, tail, seqs } = await pullAll();
    // What is stored, counted and summed is one and the same.
    expect(tail.count).toBe(states.size);
    const digests = [...states.values()].map((state) => digestOf(sha256, state));
    expect(tail.digest).toBe(sumDigests(digests));
    expect(new Set(seqs).size).toBe(states.size);
    return [...states.keys()].toSorted();
  };

  describe(`${name}: rows that the database refuses`, () => {
    test.each([1, 250, 500])(
      "[PS13] of 500 ops the bad one, the %ith, is found in nine trials and the others are stored (abuse 123)",
      async (bad) => {
        const { world, writes } = await opened();
        const a = world.writer("wa");
        const lines = Array.from({ length: 500 }, (_, at) =>
          a.put(`r${at + 1}`, { title: at + 1 === bad ? poison : `title ${at + 1}` }),
        );
        const header = { writer: a.id, after: 0, chain: a.ackedChain };
        const answer = await a.send(...lines);
        expect(answer).toMatchObject({
          value: { position: { acked: 500, since: 0 }, results: [invalid(bad)], head: 499 },
        });
        // The push itself, trials, and the push without the bad op.
        expect(writes()).toBeLessThanOrEqual(1 + Math.ceil(Math.log2(500)) + 1);
        const ids = await held(world);
        expect(ids).toHaveLength(499);
        expect(ids).not.toContain(`r${bad}`);
        expect(world.pokes).toEqual([{ namespace: world.namespace, head: 499 }]);
        // A lost answer is told again, and the chain goes on over the refused line (PS31).
        const { namespace, device } = a;
        expect(await world.push({ namespace, device, header, lines })).toMatchObject({
          error: {
            kind: "writer-position",
            position: { acked: 500, chain: a.ackedChain, results: [invalid(bad)] },
          },
        });
        expect(await a.send(a.put("next", { title: "next" }))).toMatchObject({
          value: { position: { acked: 501 }, results: [] },
        });
      },
    );

    test("[PS13] pushes of its group go on, and its device gets its answer (abuse 123)", async () => {
      const { world } = await opened();
      const bob = await world.admit("bob", "writer");
      const first = world.writer("wa");
      const mixed = world.writer("wb", bob.device);
      const last = world.writer("wc");
      const [before, alone, after] = await Promise.all([
        first.send(first.put("a1", { title: "one" })),
        mixed.send(
          mixed.put("b1", { title: "two" }),
          mixed.put("b2", { title: poison }),
          mixed.put("b3", { title: "three" }),
        ),
        last.send(last.put("c1", { title: "four" })),
      ]);
      expect(before).toMatchObject({ ok: true, value: { results: [] } });
      expect(alone).toMatchObject({ value: { position: { acked: 3 }, results: [invalid(2)] } });
      expect(after).toMatchObject({ ok: true, value: { results: [] } });
      expect(await held(world)).toEqual(["a1", "b1", "b3", "c1"]);
    });

    test("[PS13] a refused edit leaves its record as it was, and later ops are judged by that", async () => {
      const { world } = await opened();
      const a = world.writer("wa");
      await a.send(a.put("r1", { title: "one" }));
      const base = { title: entryOf(1, a.id, "one") };
      const answer = await a.send(
        a.set("r1", { title: poison }, base),
        a.set("r1", { note: "kept" }),
        a.put("r2", { title: poison }),
        a.set("r2", { note: "of nothing" }),
        a.put("r3", { title: "three" }),
      );
      expect(answer).toMatchObject({
        value: {
          position: { acked: 6 },
          results: [invalid(2), invalid(4), { n: 5, result: "unknown-record" }],
        },
      });
      expect(await held(world)).toEqual(["r1", "r3"]);
      const { states } = await world.pullAll();
      expect(valuesOf(states.get("r1" as RecordId))).toEqual({ title: "one", note: "kept" });
    });

    test("[PS13] where everything is refused nothing is consumed, and the next push goes on", async () => {
      const { world } = await opened();
      const a = world.writer("wa");
      const lines = Array.from({ length: 200 }, (_, at) => a.put(`r${at}`, { title: poison }));
      await expect(a.send(...lines)).rejects.toThrow(RowRefused);
      expect(await held(world)).toEqual([]);
      expect(a.acked).toBe(0);
      const b = world.writer("wb");
      expect(await b.send(b.put("r1", { title: "fine" }))).toMatchObject({ ok: true });
    });

    test("[HL46] of a heal the state whose row is refused is named, and the others are taken", async () => {
      const { world, writes } = await opened();
      const { namespace, owner: device, deps } = world;
      const by = "wa" as WriterId;
      const lines = Array.from({ length: 100 }, (_, at) =>
        lineOf(live(`r${at}`, { title: [at === 41 ? poison : `title ${at}`, at + 1, by] })),
      );
      const told: object[] = [];
      const answer = await heal(
        { ...deps, onRowRefused: (refused) => told.push(refused) },
        { namespace, device, header: { writer: by, lamport: 100, want: [] }, lines },
      );
      const refused = [{ id: "r41", code: "invalid" }];
      expect(answer).toMatchObject({ value: { tail: { count: 99, refused } } });
      expect(told).toMatchObject([{ namespace, device, n: 42 }]);
      expect(writes()).toBeLessThanOrEqual(1 + Math.ceil(Math.log2(100)) + 1);
      const ids = await held(world);
      expect(ids).toHaveLength(99);
      expect(ids).not.toContain("r41");
      expect(world.pokes).toEqual([{ namespace, head: 99 }]);
    });

    test("[HL46] where every state of a heal is refused nothing of it stays", async () => {
      const { world } = await opened();
      const by = "wa" as WriterId;
      const lines = Array.from({ length: 200 }, (_, at) =>
        lineOf(live(`r${at}`, { title: [poison, 1, by] })),
      );
      const header = { writer: by, lamport: 1, want: [] };
      const { namespace, owner: device, deps } = world;
      await expect(heal(deps, { namespace, device, header, lines })).rejects.toThrow(RowRefused);
      expect(await held(world)).toEqual([]);
    });

    test("[PS13] a single op that is refused is answered without a trial", async () => {
      const { world, writes } = await opened();
      const a = world.writer("wa");
      const answer = await a.send(a.put("r1", { title: poison }));
      expect(answer).toMatchObject({ value: { results: [invalid(1)], head: 0 } });
      expect(writes()).toBe(2);
      expect(world.pokes).toEqual([]);
    });
  });
}
