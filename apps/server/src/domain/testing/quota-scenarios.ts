import type { RecordId, WriterId } from "@tidemark/protocol";
import { describe, expect, test } from "vitest";
import type { MakeStore } from "../../store/contract.ts";
import { heal } from "../heal.ts";
import { quotaPreset, type Quota } from "../quota.ts";
import { lineOf, live } from "./states.ts";
import { createWorld, entryOf, type World } from "./world.ts";

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
