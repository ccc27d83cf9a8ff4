import { chainNext, type RecordId, type WriterId } from "@tidemark/protocol";
import { describe, expect, test } from "vitest";
import type { MakeStore } from "../../store/contract.ts";
import { heal } from "../heal.ts";
import { quotaPreset, type Quota } from "../quota.ts";
import { lineOf, live } from "./states.ts";
import { createPush } from "../push.ts";
import { createWorld, entryOf, sha256, valuesOf, type World } from "./world.ts";

const refused = (...ns: readonly number[]): object => ({
  value: { results: ns.map((n) => ({ n, result: "rejected", code: "quota" })) },
});

/** What a server does with what a namespace has no room for, whatever its store. */
export function quotaScenarios(name: string, makeStore: MakeStore): void {
  const world = async (quota: Partial<Quota>): Promise<World> =>
    createWorld(await makeStore({ nowMs: () => 1 }), "quota", { ...quotaPreset, ...quota });

  describe(`${name}: quota`, () => {
    test("[QT1] records beyond the quota are refused, edits of others are not (abuse 125)", async () => {
      const { writer, pullAll } = await world({ recordsMax: 2 });
      const a = writer("wa");
      const first = await a.send(
        a.put("r1", { title: "one" }),
        a.put("r2", { title: "two" }),
        a.put("r3", { title: "three" }),
        a.set("r1", { title: "again" }, { title: entryOf(1, a.id, "one") }),
      );
      expect(first).toMatchObject(refused(3));
      expect(await a.send(a.put("r4", { title: "four" }))).toMatchObject(refused(5));
      expect([...(await pullAll()).states.keys()].toSorted()).toEqual(["r1", "r2"]);
    });

    test("[QT1] bytes beyond the quota are refused, also when an edit adds them", async () => {
      const { writer } = await world({ bytesMax: 50_000 });
      const a = writer("wa");
      const big = "x".repeat(30_000);
      const first = a.put("r1", { title: big });
      const base = { title: entryOf(1, a.id, big) };
      expect(await a.send(first, a.put("r2", { title: big }))).toMatchObject(refused(2));
      expect(await a.send(a.set("r1", { note: big }, base))).toMatchObject(refused(3));
      expect(await a.send(a.put("r3", { title: "small" }))).toMatchObject({
        value: { results: [] },
      });
    });

    test("[QT2] what is forgotten makes room, and is never refused (abuse 125)", async () => {
      const { writer, pullAll } = await world({ recordsMax: 1 });
      const a = writer("wa");
      await a.send(a.put("r1", { title: "one" }));
      expect(await a.send(a.put("r2", { title: "two" }))).toMatchObject(refused(2));
      const swap = await a.send(a.forget("r1"), a.put("r3", { title: "three" }));
      expect(swap).toMatchObject({ value: { results: [] } });
      expect((await pullAll()).tail.count).toBe(2);
    });

    test("[QT3] a heal is refused what has no room, by record, and takes what has", async () => {
      const place = await world({ recordsMax: 2 });
      const { deps, namespace, owner, writer, pullAll } = place;
      const a = writer("wa");
      await a.send(a.put("r1", { title: "one" }));
      const other = "wb" as WriterId;
      const lines = ["r2", "r3"].map((id) => lineOf(live(id, { title: [id, 3, other] })));
      const header = { writer: undefined, lamport: 0, want: [] as RecordId[] };
      const healed = await heal(deps, { namespace, device: owner, header, lines });
      expect(healed).toMatchObject({
        value: { tail: { count: 2, refused: [{ id: "r3", code: "quota" }] } },
      });
      expect([...(await pullAll()).states.keys()].toSorted()).toEqual(["r1", "r2"]);
    });

    test("[QT2] what is forgotten makes room for bytes too, also for what stands behind it in a push", async () => {
      const { writer, pullAll } = await world({ bytesMax: 50_000 });
      const [a, b] = [writer("wa"), writer("wb")];
      const big = "x".repeat(30_000);
      const parent = "r1" as RecordId;
      const family = await a.send(
        a.put(parent, { title: big }),
        a.put("r2", { title: "y".repeat(15_000) }, { parent }),
      );
      expect(family).toMatchObject(refused());
      expect(await b.send(b.put("r3", { title: big }))).toMatchObject(refused(1));
      const swap = await a.send(a.forget("r1"), a.put("r4", { title: "z".repeat(45_000) }));
      expect(swap).toMatchObject(refused());
      expect((await pullAll()).tail.count).toBe(3);
    });

    test("[QT1] an edit that makes nothing larger fits where all is full", async () => {
      const { writer, pullAll } = await world({ bytesMax: 25_000 });
      const a = writer("wa");
      const [big, less] = ["x".repeat(24_000), "y".repeat(23_000)];
      await a.send(a.put("r1", { title: big }));
      const edits = await a.send(
        a.set("r1", { title: less }, { title: entryOf(1, a.id, big) }),
        a.set("r1", { title: big }, { title: entryOf(2, a.id, less) }),
        a.set("r1", { title: `${big}${less}` }, { title: entryOf(3, a.id, big) }),
      );
      expect(edits).toMatchObject(refused(4));
      expect(valuesOf((await pullAll()).states.get("r1" as RecordId))).toEqual({ title: big });
    });

    test("[QT1] what a push would have stored counts, clocks included, and not what it says", async () => {
      const store = await makeStore({ nowMs: () => 1 });
      const quota = { ...quotaPreset, bytesMax: 20_000 };
      const { writer } = await createWorld(store, "quota", quota);
      const a = writer("w".repeat(64));
      const names = Array.from({ length: 100 }, (_, index) => `f${index}`);
      const fields = (count: number): object =>
        Object.fromEntries(names.slice(0, count).map((name) => [name, 1]));
      const ids = ["r1", "r2", "r3", "r4"];
      await a.send(...ids.map((id) => a.put(id, { ...fields(100) })));
      await a.send(...ids.map((id) => a.set(id, { ...fields(99) })));
      expect((await store.usage()).bytes).toBeLessThanOrEqual(quota.bytesMax);
    });

    test("[QT3] what a heal has forgotten makes room for what it brings", async () => {
      const { deps, namespace, owner, writer, pullAll } = await world({ bytesMax: 50_000 });
      const a = writer("wa");
      await a.send(a.put("r1", { title: "x".repeat(30_000) }));
      const other = "wb" as WriterId;
      const lines = [
        JSON.stringify({ id: "r1", collection: "observation", forgotten: true }),
        lineOf(live("r2", { title: ["y".repeat(40_000), 3, other] })),
      ];
      const header = { writer: undefined, lamport: 0, want: [] as RecordId[] };
      const healed = await heal(deps, { namespace, device: owner, header, lines });
      expect(healed).toMatchObject({ value: { tail: { refused: [] } } });
      expect((await pullAll()).tail.count).toBe(2);
    });

    describe("what a device may send in a day", () => {
      const dayMs = 86_400_000;
      const inDays = async (deviceOpsMax: number) => {
        const time = { nowMs: 10 * dayMs + 1 };
        const store = await makeStore({ nowMs: () => time.nowMs });
        const quota = { ...quotaPreset, deviceOpsMax };
        return { time, store, quota, ...(await createWorld(store, "day", quota)) };
      };

      test("[QT4] changes beyond the day's are refused; forgetting and pulling go on (abuse 125)", async () => {
        const { writer, pullAll } = await inDays(3);
        const a = writer("wa");
        const first = await a.send(
          a.put("r1", { title: "one" }),
          a.put("r2", { title: "two" }),
          a.set("r1", { title: "again" }, { title: entryOf(1, a.id, "one") }),
          a.put("r4", { title: "four" }),
          a.forget("r2"),
        );
        expect(first).toMatchObject(refused(4));
        const held = (await pullAll()).states.get("r1" as RecordId);
        expect(valuesOf(held)).toEqual({ title: "again" });
        // An edit is refused as well, and a forget still is not.
        expect(await a.send(a.set("r1", { note: "n" }), a.forget("r1"))).toMatchObject({
          ...refused(6),
          value: { position: { acked: 7 } },
        });
        expect((await pullAll()).tail.count).toBe(2);
      });

      test("[QT4] the day is the device's, whatever its writers and pushes, and nobody else's", async () => {
        const { writer, admit } = await inDays(3);
        const bob = await admit("bob", "writer");
        const [a, b, c] = [writer("wa"), writer("wb"), writer("wc", bob.device)];
        const answers = await Promise.all(
          [a, b].map((each) =>
            each.send(each.put(`${each.id}1`, { t: 1 }), each.put(`${each.id}2`, { t: 2 })),
          ),
        );
        expect(answers[0]).toMatchObject(refused());
        expect(answers[1]).toMatchObject(refused(2));
        expect(await a.send(a.put("wa3", { t: 3 }))).toMatchObject(refused(3));
        expect(await c.send(c.put("c1", { t: 1 }), c.put("c2", { t: 2 }))).toMatchObject(refused());
      });

      test("[QT4] the count outlives a restart, and begins anew with the day", async () => {
        const { time, store, quota, writer, deps, owner, namespace } = await inDays(2);
        const a = writer("wa");
        await a.send(a.put("r1", { t: 1 }));
        await a.send(a.put("r2", { t: 2 }));
        // Another process on the same database.
        const push = createPush({ ...deps, store, quota });
        const again = async (line: string) => {
          const header = { writer: a.id, after: a.acked, chain: a.ackedChain };
          return await push({ namespace, device: owner, header, lines: [line] });
        };
        time.nowMs = 11 * dayMs - 1;
        const line = a.put("r3", { t: 3 });
        expect(await again(line)).toMatchObject(refused(3));
        a.acked += 1;
        a.ackedChain = chainNext(sha256, a.ackedChain, line);
        time.nowMs = 11 * dayMs;
        const next = await a.send(
          a.put("r4", { t: 4 }),
          a.put("r5", { t: 5 }),
          a.put("r6", { t: 6 }),
        );
        expect(next).toMatchObject(refused(6));
      });

      test("[QT4] what was refused is not counted, nor what a heal brings", async () => {
        const { writer, deps, namespace, owner, admit } = await inDays(2);
        const reader = await admit("grace", "reader");
        const g = writer("wg", reader.device);
        await g.send(g.put("g1", { t: 1 }), g.put("g2", { t: 2 }));
        const other = "wb" as WriterId;
        const lines = ["h1", "h2", "h3"].map((id) => lineOf(live(id, { title: [id, 3, other] })));
        const header = { writer: undefined, lamport: 0, want: [] as RecordId[] };
        const healed = await heal(deps, { namespace, device: owner, header, lines });
        expect(healed).toMatchObject({ value: { tail: { count: 3, refused: [] } } });
        const a = writer("wa");
        a.lamport = 3;
        const sent = [a.set("nobody", { t: 1 }), a.put("r1", { t: 1 }), a.put("r2", { t: 2 })];
        expect(await a.send(...sent)).toMatchObject({
          value: { results: [{ n: 1, result: "unknown-record" }] },
        });
        expect(await a.send(a.put("r3", { t: 3 }))).toMatchObject(refused(4));
      });
    });

    test("[QT3] an edit whose losing value finds no room is refused whole", async () => {
      const { writer, pullAll } = await world({ recordsMax: 1 });
      const [a, b] = [writer("wa"), writer("wb")];
      await a.send(a.put("r1", { title: "one" }));
      expect(await b.send(b.put("r1", { title: "of b" }))).toMatchObject(refused(1));
      const { states } = await pullAll();
      expect(states.size).toBe(1);
    });
  });
}
