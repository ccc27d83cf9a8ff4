import type { NamespaceId, RecordId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import { createMemoryStore } from "../store/memory/memory-store.ts";
import type { NamespaceWriter, Store } from "../store/port.ts";
import { StoreUnavailable } from "../store/store-unavailable.ts";
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

/** A store with an old mark in each of some namespaces, of which those named cannot be written to. */
async function agedStore(names: readonly string[], busy: readonly string[], isThere = true) {
  const clock = { now: 0 };
  const store = createMemoryStore({ clock: { nowMs: () => clock.now } });
  const { writer, namespaceOf, owner } = await createWorld(store);
  const ids = new Map<string, NamespaceId>();
  for (const name of names) {
    const id = await namespaceOf(name);
    ids.set(name, id);
    const author = writer(`w-${name}`, owner, id);
    for (const title of ["one", "two", "three"])
      await author.send(author.put(`r-${name}`, { title }));
  }
  const isBusy = new Set(busy.map((name) => ids.get(name)));
  const asked = new Set<NamespaceId>();
  const partly: Store = {
    ...store,
    ping: async () => await Promise.resolve(isThere),
    writeNamespace: async <T>(id: NamespaceId, work: (tx: NamespaceWriter) => Promise<T>) => {
      asked.add(id);
      if (isBusy.has(id)) throw new StoreUnavailable(new Error("a lock timed out"));
      return await store.writeNamespace(id, work);
    },
  };
  /** Marks of heads that were moved; there is one for each push, and the newest stays. */
  const marksOf = async (name: string): Promise<number | undefined> => {
    const id = ids.get(name) ?? ("" as NamespaceId);
    return await store.readNamespace(id, async (tx) => {
      const { head: newest } = await tx.head();
      const heads = Array.from({ length: newest }, (_, index) => index + 1);
      const marks = await Promise.all(heads.map((head) => tx.markOf(head)));
      return marks.filter((mark) => mark !== undefined).length;
    });
  };
  return { store: partly, marksOf, asked };
}

test("[MK13] a namespace that cannot be put in order keeps no other one from it, and is told", async () => {
  const { store, marksOf } = await agedStore(["a", "b", "c"], ["b"]);
  await expect(applyRetention({ store }, { nowMs: 31 * dayMs })).rejects.toThrow(StoreUnavailable);
  expect(await marksOf("a")).toBe(1);
  expect(await marksOf("b")).toBe(3);
  expect(await marksOf("c")).toBe(1);
});

test("[MK13] a round ends where one after the other fails and the database does not answer", async () => {
  const names = ["a", "b", "c", "d", "e", "f", "g"];
  const { store, asked } = await agedStore(names, names, false);
  await expect(applyRetention({ store }, { nowMs: 31 * dayMs })).rejects.toThrow(StoreUnavailable);
  // The namespaces of the world itself are in order before them.
  const failed = asked.size - ((await store.namespaceIds()).length - names.length);
  expect(failed).toBe(5);
});

test("[MK13] a round goes on where only some fail, however many and also next to each other", async () => {
  const { store, marksOf } = await agedStore(
    ["a", "b", "c", "d", "e", "f", "g"],
    ["a", "b", "c", "d", "e", "f"],
  );
  await expect(applyRetention({ store }, { nowMs: 31 * dayMs })).rejects.toThrow(StoreUnavailable);
  expect(await marksOf("g")).toBe(1);
});

test("[MK13] what is more than one transaction takes goes in several, in the same round", async () => {
  const { store, marksOf } = await agedStore(["a"], []);
  const countOf = async (): Promise<number | undefined> => {
    const [, , id] = await store.namespaceIds();
    const read = await store.readNamespace(id ?? ("" as NamespaceId), (tx) =>
      tx.revisions("r-a" as RecordId, { countMax: 9, bytesMax: 999 }),
    );
    return read?.rows.length;
  };
  expect(await countOf()).toBe(2);
  const oneByOne = { store, rowsMax: 1 };
  await applyRetention(oneByOne, { nowMs: 2 * dayMs, revisionDays: 1 });
  expect(await countOf()).toBe(0);
  expect(await marksOf("a")).toBe(3);
  await applyRetention(oneByOne, { nowMs: 31 * dayMs });
  expect(await marksOf("a")).toBe(1);
});
