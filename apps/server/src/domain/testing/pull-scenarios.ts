import type { DeviceId, RecordId } from "@tidemark/protocol";
import { describe, expect, test } from "vitest";
import type { MakeStore } from "../../store/contract.ts";
import { parseCursor } from "../cursor.ts";
import { pull } from "../pull.ts";
import { revisions } from "../revisions.ts";
import { createWorld, entryOf, valuesOf, type World } from "./world.ts";

const id = (text: string): RecordId => text as RecordId;

/** What a server does with pulls, whatever its store. */
export function pullScenarios(name: string, makeStore: MakeStore): void {
  const world = async (): Promise<World> => createWorld(await makeStore({ nowMs: () => 1 }));

  describe(`${name}: pulls`, () => {
    pageScenarios(world);
    cursorScenarios(world, makeStore);
    revisionScenarios(world);
  });
}

function pageScenarios(world: () => Promise<World>): void {
  test("[PL6] pages lead to the head, and the last cursor is the head's", async () => {
    const { writer, pullAll } = await world();
    const a = writer("wa");
    await a.send(...Array.from({ length: 7 }, (_, index) => a.put(`r${index}`, { index })));
    const { seqs, tail } = await pullAll({ limit: 3, writer: a.id });
    expect(seqs).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(tail).toMatchObject({ head: 7, more: false, count: 7, lamport: 7 });
    expect(tail.position).toMatchObject({ acked: 7 });
    expect(parseCursor(tail.cursor)).toMatchObject({ value: { seq: 7, head: 7, mark: tail.mark } });
    expect((await pullAll({ after: tail.cursor })).seqs).toEqual([]);
  });

  test("[PL7] a page that leaves more carries the newest head and its mark, too (C8)", async () => {
    const { writer, deps, namespace, owner } = await world();
    const a = writer("wa");
    await a.send(...Array.from({ length: 4 }, (_, index) => a.put(`r${index}`, { index })));
    const first = await pull(deps, { namespace, device: owner, limit: 1 });
    if (!first.ok) throw new Error(first.error.kind);
    const { tail } = first.value;
    expect(tail).toMatchObject({ more: true, head: 4 });
    expect(parseCursor(tail.cursor)).toMatchObject({ value: { seq: 1, head: 4, mark: tail.mark } });
    await a.send(a.put("r9", { later: true }));
    const second = await pull(deps, { namespace, device: owner, limit: 1, after: tail.cursor });
    if (!second.ok) throw new Error(second.error.kind);
    expect(parseCursor(second.value.tail.cursor)).toMatchObject({ value: { seq: 2, head: 5 } });
  });

  test("[PL3] own ops come back: the echo is the verification", async () => {
    const { writer, pullAll } = await world();
    const a = writer("wa");
    await a.send(a.put("r1", { title: "mine" }));
    const { states, tail } = await pullAll({ writer: a.id });
    expect(valuesOf(states.get(id("r1")))).toEqual({ title: "mine" });
    expect(tail.position?.acked).toBe(1);
  });

  test("[PL8] a fresh replica gets tombstones like everybody (C5, C6)", async () => {
    const { writer, pullAll } = await world();
    const a = writer("wa");
    await a.send(a.put("r1", { title: "one" }), a.put("r2", { title: "two" }));
    await a.send(a.forget("r1"));
    const { states, tail } = await pullAll();
    expect(states.get(id("r1"))).toMatchObject({ forgotten: true });
    expect(tail.count).toBe(2);
  });

  test("[PL9] a page names the people behind its writers", async () => {
    const { writer, admit, pullAll } = await world();
    const bob = await admit("bob", "writer");
    const [a, b] = [writer("wa"), writer("wb", bob.device)];
    await a.send(a.put("r1", { title: "one", note: "n" }));
    await b.send(b.set("r1", { title: "two" }, { title: entryOf(1, a.id, "one") }, { lamport: 2 }));
    const { tail } = await pullAll();
    expect(tail.writers).toEqual([
      {
        writer: "wa",
        device: "dev_owner",
        deviceName: "owner's laptop",
        user: "usr_owner",
        userName: "owner",
      },
      {
        writer: "wb",
        device: bob.device,
        deviceName: "bob's laptop",
        user: bob.user,
        userName: "bob",
      },
    ]);
  });

  test("[NS7] a stranger finds nothing, and nobody sees another device's position", async () => {
    const { writer, admit, deps, namespace, pullAll } = await world();
    const bob = await admit("bob", "reader");
    const a = writer("wa");
    await a.send(a.put("r1", { title: "one" }));
    const stranger = await pull(deps, { namespace, device: "dev_x" as DeviceId });
    expect(stranger).toEqual({ ok: false, error: { kind: "not-found" } });
    const { tail } = await pullAll({ device: bob.device, writer: a.id });
    expect(tail.position).toBeNull();
  });
}

function cursorScenarios(world: () => Promise<World>, makeStore: MakeStore): void {
  test("[MK2] a server restored and regrown does not know the mark: history (C8)", async () => {
    const before = await world();
    const a = before.writer("wa");
    await a.send(a.put("r1", { title: "one" }), a.put("r2", { title: "lost with the restore" }));
    const { tail } = await before.pullAll();
    // Restored from a backup before all that, and regrown by another beyond the replica's cursor.
    const restored = await createWorld(await makeStore({ nowMs: () => 1 }), "regrown");
    const b = restored.writer("wb");
    await b.send(...Array.from({ length: 5 }, (_, index) => b.put(`b${index}`, { index })));
    const { deps, namespace, owner } = restored;
    const answer = await pull(deps, { namespace, device: owner, after: tail.cursor });
    expect(answer).toEqual({ ok: false, error: { kind: "history" } });
  });

  test("[MK2] a server restored and not regrown answers history as well (C9)", async () => {
    const { writer, pullAll } = await world();
    const a = writer("wa");
    await a.send(a.put("r1", { title: "one" }));
    const { tail } = await pullAll();
    const { deps, namespace, owner } = await createWorld(await makeStore({ nowMs: () => 1 }));
    const answer = await pull(deps, { namespace, device: owner, after: tail.cursor });
    expect(answer).toEqual({ ok: false, error: { kind: "history" } });
  });

  test("[MK1] the cursor of an empty namespace is good later on", async () => {
    const { writer, pullAll } = await world();
    const { tail } = await pullAll();
    expect(tail).toMatchObject({ head: 0, more: false, mark: "mark0" });
    const a = writer("wa");
    await a.send(a.put("r1", { title: "one" }));
    expect((await pullAll({ after: tail.cursor })).seqs).toEqual([1]);
  });

  test.each(["x", "%%%", "AAAA", "WzIsMSwxLCJtIl0", "WzEsMSwwLCJtIl0"])(
    "[PL10] a cursor that no server wrote is invalid: %s",
    async (after) => {
      const { deps, namespace, owner } = await world();
      const answer = await pull(deps, { namespace, device: owner, after });
      expect(answer).toEqual({ ok: false, error: { kind: "invalid" } });
    },
  );
}

function revisionScenarios(world: () => Promise<World>): void {
  test("history names what a field once held, newest first, and what replaced it", async () => {
    const { writer, deps, namespace, owner } = await world();
    const a = writer("wa");
    await a.send(a.put("r1", { title: "v1" }));
    await a.send(a.set("r1", { title: "v2" }, { title: entryOf(1, a.id, "v1") }));
    await a.send(a.set("r1", { title: { deep: "v3" } }, { title: entryOf(2, a.id, "v2") }));
    const answer = await revisions(deps, { namespace, device: owner, record: id("r1") });
    expect(answer).toMatchObject({
      value: {
        revisions: [
          { field: "title", value: "v2", lamport: 2, replacedBy: { lamport: 3, writer: a.id } },
          { field: "title", value: "v1", lamport: 1, replacedBy: { lamport: 2, writer: a.id } },
        ],
        writers: [{ writer: a.id, device: owner }],
      },
    });
    const none = await revisions(deps, { namespace, device: owner, record: id("nobody") });
    expect(none).toEqual({ ok: true, value: { revisions: [], writers: [] } });
    const stranger = { namespace, device: "dev_x" as DeviceId, record: id("r1") };
    expect(await revisions(deps, stranger)).toMatchObject({ error: { kind: "not-found" } });
  });
}
