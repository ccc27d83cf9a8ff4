import {
  chainStart,
  conflictId,
  emptyDigest,
  isTombstone,
  limits,
  recordDigest,
  xorDigests,
  type JsonObject,
  type JsonValue,
  type RecordId,
  type WriterId,
} from "@tidemark/protocol";
import { describe, expect, test } from "vitest";
import { serverLimits } from "../../limits.ts";
import type { MakeStore } from "../../store/contract.ts";
import { revisions } from "../revisions.ts";
import { advanceScenarios } from "./advance-scenarios.ts";
import { createWorld, entryOf, sha256, valuesOf, type World } from "./world.ts";

const id = (text: string): RecordId => text as RecordId;

/** What a server does with pushes, whatever its store. */
export function pushScenarios(name: string, makeStore: MakeStore): void {
  const world = async (): Promise<World> => createWorld(await makeStore({ nowMs: () => 1 }));

  describe(`${name}: pushes`, () => {
    positionScenarios(world);
    lamportScenarios(world);
    conflictScenarios(world);
    forgetScenarios(world);
    rightsScenarios(world);
    bookkeepingScenarios(world);
    advanceScenarios(world);
  });
}

function positionScenarios(world: () => Promise<World>): void {
  test("[PS1] a push that follows is taken, its repeat is told the position (abuse 119)", async () => {
    const { writer, push, namespace, owner } = await world();
    const a = writer("wa");
    const lines = [a.put("r1", { title: "one" }), a.set("gone", { title: "x" })];
    const header = { writer: a.id, after: 0, chain: chainStart(sha256, a.id) };
    const first = await push({ namespace, device: owner, header, lines });
    const position = {
      acked: 2,
      since: 0,
      results: [{ n: 2, result: "unknown-record" }],
      chain: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    };
    expect(first).toMatchObject({ value: { head: 1, lamport: 2, position } });
    const again = await push({ namespace, device: owner, header, lines });
    expect(again).toMatchObject({ error: { kind: "writer-position", position } });
  });

  test("[PS1] the same n after another chain is not taken (C12) (abuse 126)", async () => {
    const { writer } = await world();
    const a = writer("wa");
    await a.send(a.put("r1", { title: "one" }));
    a.ackedChain = chainStart(sha256, "other" as WriterId);
    const answer = await a.send(a.put("r2", { title: "two" }));
    expect(answer).toMatchObject({ error: { kind: "writer-position", position: { acked: 1 } } });
  });

  test("[PS2] a writer the server never met starts at 0, with its chain's start", async () => {
    const { writer, pullAll } = await world();
    const a = writer("wa");
    a.acked = 7;
    const answer = await a.send(a.put("r1", { title: "one" }));
    const position = { acked: 0, since: 0, results: [], chain: chainStart(sha256, a.id) };
    expect(answer).toEqual({ ok: false, error: { kind: "writer-position", position } });
    expect((await pullAll({ writer: a.id })).tail.position).toBeNull();
  });

  test("[PS3] a writer belongs to the device of its first push", async () => {
    const { writer, admit } = await world();
    const bob = await admit("bob", "writer");
    const a = writer("wa");
    await a.send(a.put("r1", { title: "one" }));
    const stolen = writer("wa", bob.device);
    expect(await stolen.send(stolen.put("r2", { title: "two" }))).toEqual({
      ok: false,
      error: { kind: "writer-foreign" },
    });
  });

  test("[PS6] results are those of the last accepted push alone, since tells from where (C12)", async () => {
    const { writer, pullAll } = await world();
    const a = writer("wa");
    await a.send(a.set("gone", { title: "x" }));
    await a.send(a.put("r1", { title: "one" }));
    const { tail } = await pullAll({ writer: a.id });
    expect(tail.position).toMatchObject({ acked: 2, since: 1, results: [] });
  });

  test("an empty push changes nothing and keeps the last results", async () => {
    const { writer, pullAll } = await world();
    const a = writer("wa");
    await a.send(a.set("gone", { title: "x" }));
    const answer = await a.send();
    const kept = { acked: 1, since: 0, results: [{ n: 1, result: "unknown-record" }] };
    expect(answer).toMatchObject({ value: { position: kept } });
    expect((await pullAll({ writer: a.id })).tail.position).toMatchObject(kept);
  });

  test("[PS5] a line nobody can read is consumed and blocks nothing behind it (abuse 123)", async () => {
    const { writer, pullAll } = await world();
    const a = writer("wa");
    const large = a.put("r1", { title: "x".repeat(limits.opBytesMax) });
    a.n += 3;
    a.lamport += 3;
    const wrongN = a.put("r2", { title: "skips a number" }, { n: 99 });
    const lines = [large, "{", "", '{"n":4}', wrongN, a.put("r3", { title: "fine" })];
    const answer = await a.send(...lines);
    const codes = ["too-large", "invalid", "invalid", "invalid", "invalid"];
    expect(answer).toMatchObject({
      value: {
        position: { acked: 6 },
        results: codes.map((code, index) => ({ n: index + 1, result: "rejected", code })),
      },
    });
    expect([...(await pullAll()).states.keys()]).toEqual(["r3"]);
  });

  test("[PS5] bytes are counted as UTF-8, not as characters", async () => {
    const { writer } = await world();
    const a = writer("wa");
    const answer = await a.send(a.put("r1", { title: "字".repeat(30_000) }));
    expect(answer).toMatchObject({ value: { results: [{ n: 1, code: "too-large" }] } });
  });

  test("[PS8] more ops than a push may carry fail it whole", async () => {
    const { push, namespace, owner, writer } = await world();
    const a = writer("wa");
    const header = { writer: a.id, after: 0, chain: a.ackedChain };
    const lines = Array.from({ length: limits.pushOpsMax + 1 }, () => "{}");
    const answer = await push({ namespace, device: owner, header, lines });
    expect(answer).toEqual({ ok: false, error: { kind: "too-large" } });
  });
}

function lamportScenarios(world: () => Promise<World>): void {
  test("[CK3] a clock beyond what an honest writer can have consumes nothing (abuse 118)", async () => {
    const { writer, pullAll } = await world();
    const a = writer("wa");
    await a.send(a.put("r1", { title: "one" }));
    const fine = a.put("r2", { title: "two" });
    const far = a.put("r3", { title: "three" }, { lamport: 4 });
    expect(await a.send(fine, far)).toEqual({ ok: false, error: { kind: "lamport-too-far" } });
    const { states, tail } = await pullAll({ writer: a.id });
    expect([...states.keys()]).toEqual(["r1"]);
    expect(tail).toMatchObject({ lamport: 1, position: { acked: 1 } });
  });

  test("[CK7] every consumed op raises the lamport, whatever its result (C15)", async () => {
    const { writer, admit, pullAll } = await world();
    const reader = await admit("rita", "reader");
    const r = writer("wr", reader.device);
    expect(await r.send(r.put("r1", { a: 1 }), r.put("r2", { a: 1 }))).toMatchObject({
      value: { lamport: 2, head: 0 },
    });
    const a = writer("wa");
    a.lamport = 2;
    const unreadable = '{"n":1}';
    a.n += 1;
    a.lamport += 1;
    await a.send(unreadable);
    // The unreadable op had lamport 3; the next honest one has 4.
    expect(a.lamport).toBe(3);
    expect(await a.send(a.put("r3", { a: 1 }))).toMatchObject({ value: { lamport: 4 } });
    expect((await pullAll()).tail.lamport).toBe(4);
  });

  test("[CK3] the bound counts from the start of the push, for each op its place (abuse 118)", async () => {
    const { writer } = await world();
    const a = writer("wa");
    const lines = Array.from({ length: 5 }, (_, index) => a.put(`r${index}`, { a: index }));
    expect(await a.send(...lines)).toMatchObject({ ok: true, value: { lamport: 5, results: [] } });
  });
}

function conflictScenarios(world: () => Promise<World>): void {
  test("[CF1] an edit unaware of another keeps the loser in a conflict record (C7)", async () => {
    const { writer, pullAll } = await world();
    const [a, b] = [writer("wa"), writer("wb")];
    await a.send(a.put("r1", { title: "base" }));
    const base = { title: entryOf(1, a.id, "base") };
    b.lamport = 1;
    await b.send(b.set("r1", { title: "from b" }, base));
    a.lamport = 1;
    const answer = await a.send(a.set("r1", { title: "from a" }, base));
    expect(answer).toMatchObject({ value: { results: [{ n: 2, result: "conflict" }] } });
    const { states } = await pullAll();
    const loser = { value: "from a", clock: { lamport: 2, writer: a.id }, at: 1002 };
    const conflict = conflictId(sha256, id("r1"), "title", loser);
    expect(valuesOf(states.get(id("r1")))).toEqual({ title: "from b" });
    expect(valuesOf(states.get(conflict))).toMatchObject({ field: "title", value: "from a" });
  });

  test("[CF3] a put of an id that exists is a set without base (C13) (abuse 120)", async () => {
    const { writer, pullAll } = await world();
    const [a, b] = [writer("wa"), writer("wb")];
    await a.send(a.put("r1", { title: "from a", same: 1 }));
    const answer = await b.send(b.put("r1", { title: "from b", same: 1 }));
    expect(answer).toMatchObject({ value: { results: [{ n: 1, result: "conflict" }] } });
    const { states } = await pullAll();
    expect(states.size).toBe(2);
    expect(valuesOf(states.get(id("r1")))).toEqual({ title: "from b", same: 1 });
  });

  test("[PL11] no page brings the winner of a conflict before the value that it beat", async () => {
    const { writer, pullAll } = await world();
    const [a, b] = [writer("wa"), writer("wb")];
    await a.send(a.put("r1", { title: "from a" }));
    await b.send(b.put("r1", { title: "from b" }));
    const { states } = await pullAll({ limit: 1 });
    expect([...states.values()].map(({ collection }) => collection)).toEqual([
      "conflict",
      "observation",
    ]);
  });

  test("[CF4] equal values never conflict (C17)", async () => {
    const { writer, pullAll } = await world();
    const [a, b] = [writer("wa"), writer("wb")];
    await a.send(a.put("r1", { title: "same" }));
    expect(await b.send(b.put("r1", { title: "same" }))).toMatchObject({ value: { results: [] } });
    expect((await pullAll()).states.size).toBe(1);
  });

  test("[CF6] a conflict record is immutable; all one can do is forget it", async () => {
    const { writer, pullAll } = await world();
    const [a, b] = [writer("wa"), writer("wb")];
    await a.send(a.put("r1", { title: "from a" }));
    await b.send(b.put("r1", { title: "from b" }));
    const loser = { value: "from a", clock: { lamport: 1, writer: a.id }, at: 1001 };
    const conflict = conflictId(sha256, id("r1"), "title", loser);
    const collection = { collection: "conflict" };
    const edit = a.set(conflict, { value: "forged" }, {}, collection);
    const put = a.put(conflict, { value: "forged" }, collection);
    expect(await a.send(edit, put)).toMatchObject({
      value: {
        results: [
          { n: 2, code: "immutable" },
          { n: 3, code: "immutable" },
        ],
      },
    });
    await a.send(a.forget(conflict, collection));
    expect((await pullAll()).states.get(conflict)).toMatchObject({ forgotten: true });
  });

  test("[CF1] ops of one push see one another, conflicts included", async () => {
    const { writer, pullAll } = await world();
    const [a, b] = [writer("wa"), writer("wb")];
    await a.send(a.put("r1", { title: "v1" }));
    const own = entryOf(1, b.id, "w1");
    const answer = await b.send(
      b.put("r1", { title: "w1" }),
      b.set("r1", { title: "w2" }, { title: own }),
      b.forget("r1"),
    );
    // v1@1.wa loses against w1@1.wb, the set follows its base, the forget takes all with it.
    expect(answer).toMatchObject({ ok: true });
    const { states } = await pullAll();
    expect([...states.values()].every(isTombstone)).toBe(true);
    expect(states.size).toBe(2);
  });

  test("[OP2] a set on another collection than the stored one is refused", async () => {
    const { writer } = await world();
    const a = writer("wa");
    await a.send(a.put("r1", { title: "one" }));
    expect(await a.send(a.set("r1", { title: "x" }, {}, { collection: "session" }))).toMatchObject({
      value: { results: [{ code: "collection-mismatch" }] },
    });
  });
}

function forgetScenarios(world: () => Promise<World>): void {
  test("[TB10] forgetting a parent forgets its children and their conflicts", async () => {
    const { writer, pullAll } = await world();
    const [a, b] = [writer("wa"), writer("wb")];
    const parent = { parent: id("s1") };
    await a.send(
      a.put("s1", { title: "session" }, { collection: "session" }),
      a.put("r1", { title: "from a" }, parent),
      a.put("r2", { title: "fine" }, parent),
      a.put("other", { title: "stays" }),
    );
    await b.send(b.put("r1", { title: "from b" }, parent));
    expect((await pullAll()).states.size).toBe(5);
    await a.send(a.forget("s1", { collection: "session" }));
    const { states } = await pullAll();
    const alive = [...states.values()].filter((state) => !isTombstone(state));
    expect(alive.map((state) => state.id)).toEqual(["other"]);
    expect(states.size).toBe(5);
  });

  test("[TB12] a family larger than a statement is forgotten whole", async () => {
    const { writer, deps, namespace, pullAll } = await world();
    const a = writer("wa");
    await a.send(a.put("top", { title: "above" }), a.put("other", { title: "stays" }));
    const parent = { parent: id("top") };
    const count = 10_100;
    for (let from = 0; from < count; from += limits.pushOpsMax) {
      const many = Math.min(limits.pushOpsMax, count - from);
      const lines = Array.from({ length: many }, (_, n) => a.put(`r${from + n}`, { n }, parent));
      expect(await a.send(...lines)).toMatchObject({ value: { results: [] } });
    }
    expect(await a.send(a.forget("top"))).toMatchObject({ value: { results: [] } });
    const { states, tail } = await pullAll();
    const alive = [...states.values()].filter((state) => !isTombstone(state));
    expect(alive.map((state) => state.id)).toEqual(["other"]);
    expect(tail.count).toBe(count + 2);
    const held = await deps.store.readNamespace(namespace, (tx) => tx.head());
    expect(held).toMatchObject({ liveCount: 1, liveBytes: '{"title":"stays"}'.length });
  });

  test("[TB11] forgetting erases revisions, also those of the same push", async () => {
    const { writer, deps, namespace, pullAll } = await world();
    const a = writer("wa");
    await a.send(a.put("r1", { title: "v1" }));
    await a.send(a.set("r1", { title: "v2" }, { title: entryOf(1, a.id, "v1") }));
    const kept = () =>
      deps.store.readNamespace(namespace, (tx) => tx.revisions(id("r1"), serverLimits.revisions));
    expect(await kept()).toMatchObject({ rows: [{ value: '"v1"', replacedByLamport: 2 }] });
    const edit = a.set("r1", { title: "v3" }, { title: entryOf(2, a.id, "v2") });
    await a.send(edit, a.forget("r1"));
    expect(await kept()).toMatchObject({ rows: [] });
    const { tail } = await pullAll();
    expect(tail.count).toBe(1);
  });

  test("[WR41] of a long history the newest values are told, and that there are older ones", async () => {
    const { writer, deps, namespace, owner: device } = await world();
    const a = writer("wa");
    const asked = { namespace, device, record: id("r1") };
    await a.send(a.put("r1", { title: "v1" }));
    for (const end of [1_000, 1_002]) {
      const lines: string[] = [];
      while (a.n < end) {
        const base = { title: entryOf(a.n, a.id, `v${a.n}`) };
        lines.push(a.set("r1", { title: `v${a.n + 1}` }, base));
      }
      expect(await a.send(...lines)).toMatchObject({ value: { results: [] } });
      const told = await revisions(deps, asked);
      if (!told.ok) throw new Error(told.error.kind);
      expect(told.value.revisions).toHaveLength(Math.min(end - 1, 1_000));
      expect(told.value.revisions[0]).toMatchObject({ value: `v${end - 1}` });
      expect(told.value.more).toBe(end > 1_001 ? true : undefined);
    }
  });

  test("[TB3] a child that arrives after its parent was forgotten is a tombstone", async () => {
    const { writer, pullAll } = await world();
    const [a, b] = [writer("wa"), writer("wb")];
    await a.send(a.put("s1", { title: "session" }), a.forget("s1"));
    // Its own child came first, when nobody knew of the parent.
    await b.send(b.put("note", { text: "grandchild" }, { parent: id("r1") }));
    const answer = await b.send(b.put("r1", { title: "late" }, { parent: id("s1") }));
    expect(answer).toMatchObject({ value: { results: [{ n: 2, result: "forgotten" }] } });
    const { states } = await pullAll();
    expect(states.get(id("r1"))).toMatchObject({ forgotten: true });
    expect(states.get(id("note"))).toMatchObject({ forgotten: true });
  });

  test("[TB1] forgotten stays forgotten: later ops end as forgotten (abuse 120)", async () => {
    const { writer, pullAll } = await world();
    const [a, b] = [writer("wa"), writer("wb")];
    await a.send(a.put("r1", { title: "one" }), a.forget("r1"));
    const answer = await b.send(
      b.put("r1", { title: "again" }),
      b.set("r1", { title: "again" }),
      b.forget("r1"),
    );
    expect(answer).toMatchObject({
      value: { head: 1, results: [1, 2, 3].map((n) => ({ n, result: "forgotten" })) },
    });
    expect((await pullAll()).states.get(id("r1"))).toMatchObject({ forgotten: true });
  });

  test("[TB2] a forget of a record that nobody has makes its tombstone", async () => {
    const { writer, pullAll } = await world();
    const a = writer("wa");
    expect(await a.send(a.forget("r1"))).toMatchObject({ value: { results: [], head: 1 } });
    const { states, tail } = await pullAll();
    expect(states.get(id("r1"))).toMatchObject({ forgotten: true });
    expect(tail.count).toBe(1);
  });

  test("[PS7] a set on an unknown record is told so, and may come again (C3, C4)", async () => {
    const { writer, pullAll } = await world();
    const [a, b] = [writer("wa"), writer("wb")];
    b.lamport = 1;
    const set = b.set("r1", { title: "edit" }, { title: entryOf(1, a.id, "one") }, { lamport: 2 });
    b.lamport = 2;
    await a.send(a.put("r0", { a: 1 }), a.put("r00", { a: 1 }));
    expect(await b.send(set)).toMatchObject({ value: { results: [{ result: "unknown-record" }] } });
    await a.send(a.put("r1", { title: "one" }, { lamport: 1 }));
    const again = b.set(
      "r1",
      { title: "edit" },
      { title: entryOf(1, a.id, "one") },
      { lamport: 2 },
    );
    expect(await b.send(again)).toMatchObject({ value: { results: [] } });
    expect(valuesOf((await pullAll()).states.get(id("r1")))).toEqual({ title: "edit" });
  });
}

function rightsScenarios(world: () => Promise<World>): void {
  test("[NS5] a reader's ops end rejected: forbidden, and nothing changes", async () => {
    const { writer, admit, pullAll } = await world();
    const reader = await admit("rita", "reader");
    const r = writer("wr", reader.device);
    const answer = await r.send(r.put("r1", { title: "one" }), r.forget("r2"));
    expect(answer).toMatchObject({
      value: { results: [1, 2].map((n) => ({ n, result: "rejected", code: "forbidden" })) },
    });
    expect((await pullAll({ device: reader.device })).states.size).toBe(0);
  });

  test("[CK3] what a reader sends is answered however far its clock is, and raises the namespace's by no more than an op may (abuse 118)", async () => {
    const { writer, admit } = await world();
    const reader = await admit("rita", "reader");
    const r = writer("wr", reader.device);
    // Its replica is ahead of a server that was set back, and it may not tell its clock by a heal.
    const lines = [
      r.put("r1", { a: 1 }, { lamport: 900 }),
      r.put("r2", { a: 1 }, { lamport: 901 }),
    ];
    expect(await r.send(...lines)).toMatchObject({
      value: {
        lamport: 2,
        results: [1, 2].map((n) => ({ n, result: "rejected", code: "forbidden" })),
      },
    });
    const a = writer("wa");
    expect(await a.send(a.put("r3", { a: 1 }, { lamport: 4 }))).toMatchObject({
      error: { kind: "lamport-too-far" },
    });
  });

  test("[NS6] forgetting is for the author and for admins; conflicts are for every writer", async () => {
    const { writer, admit, pullAll } = await world();
    const ann = await admit("ann", "writer");
    const bob = await admit("bob", "writer");
    const eve = await admit("eve", "admin");
    const [a, b, e] = [
      writer("wa", ann.device),
      writer("wb", bob.device),
      writer("we", eve.device),
    ];
    await a.send(a.put("r1", { title: "from a" }), a.put("r2", { title: "mine" }));
    await a.send(a.put("r3", { title: "mine" }));
    await b.send(b.put("r1", { title: "from b" }, { lamport: 2 }));
    const loser = { value: "from a", clock: { lamport: 1, writer: a.id }, at: 1001 };
    const conflict = conflictId(sha256, id("r1"), "title", loser);
    const forbidden = await b.send(b.forget("r2"), b.forget(conflict, { collection: "conflict" }));
    expect(forbidden).toMatchObject({ value: { results: [{ n: 2, code: "forbidden" }] } });
    // Another device and writer of the same person is the author too.
    expect(await a.send(a.forget("r2"))).toMatchObject({ value: { results: [] } });
    expect(await e.send(e.forget("r3"))).toMatchObject({ value: { results: [] } });
    const { states } = await pullAll();
    const alive = [...states.values()].filter((state) => !isTombstone(state));
    expect(alive.map((state) => state.id)).toEqual(["r1"]);
  });

  test("[NS6] within one group of pushes, too, only the author forgets", async () => {
    const { writer, admit } = await world();
    const ann = await admit("ann", "writer");
    const bob = await admit("bob", "writer");
    const [o, a, b] = [writer("wo"), writer("wa", ann.device), writer("wb", bob.device)];
    const [, first, second] = await Promise.all([
      o.send(o.put("busy", { title: "the group behind this one" })),
      a.send(a.put("r1", { title: "mine" })),
      b.send(b.forget("r1")),
    ]);
    expect(first).toMatchObject({ value: { results: [] } });
    expect(second).toMatchObject({ value: { results: [{ n: 1, code: "forbidden" }] } });
  });

  test("[NS7] strangers, removed members and revoked devices find nothing", async () => {
    const { writer, admit, namespace, deps, owner, namespaceOf, push } = await world();
    const bob = await admit("bob", "writer");
    const b = writer("wb", bob.device);
    await b.send(b.put("r1", { title: "one" }));
    await deps.store.accounts.removeMember({ device: owner, namespace }, bob.user);
    const notFound = { ok: false, error: { kind: "not-found" } };
    expect(await b.send(b.put("r2", { title: "two" }))).toEqual(notFound);
    const second = await namespaceOf("second");
    const header = { writer: b.id, after: 0, chain: chainStart(sha256, b.id) };
    const request = { namespace: second, device: bob.device, header, lines: [] };
    expect(await push(request)).toEqual(notFound);
    expect(await push({ ...request, namespace: "ns_none" as typeof namespace })).toEqual(notFound);
  });
}

function bookkeepingScenarios(world: () => Promise<World>): void {
  test("[DG2] digest and count are those of the records, after all kinds of ops", async () => {
    const { writer, pullAll, deps, namespace } = await world();
    const [a, b] = [writer("wa"), writer("wb")];
    await a.send(a.put("r1", { title: "from a" }), a.put("r2", { x: 1 }), a.put("r3", { y: 2 }));
    await b.send(b.put("r1", { title: "from b" }), b.set("r2", { x: 2, z: [1] }));
    await a.send(a.forget("r3"), a.forget("never"));
    const { states, tail } = await pullAll();
    const digest = [...states.values()]
      .map((state) => recordDigest(sha256, state))
      .reduce(xorDigests, emptyDigest);
    expect(tail).toMatchObject({ digest, count: states.size });
    const head = await deps.store.readNamespace(namespace, (tx) => tx.head());
    const page = await deps.store.readNamespace(namespace, (tx) => tx.records([...states.keys()]));
    const live = (page ?? []).filter(({ state }) => !isTombstone(state));
    expect(head?.liveCount).toBe(live.length);
    expect(head?.liveBytes).toBe(live.reduce((sum, { bytes }) => sum + bytes, 0));
  });

  test("[PS4] a changed record gets one new seq, an unchanged one keeps its own", async () => {
    const { writer, pullAll } = await world();
    const a = writer("wa");
    await a.send(a.put("r1", { title: "one" }), a.put("r2", { title: "two" }));
    const edits = [
      a.set("r1", { title: "v2" }, { title: entryOf(1, a.id, "one") }),
      a.set("r1", { more: true }),
    ];
    expect(await a.send(...edits)).toMatchObject({ value: { head: 3 } });
    const { seqs } = await pullAll();
    expect(seqs).toEqual([2, 3]);
    const old = a.set("r2", { title: "older" }, {}, { lamport: 1 });
    expect(await a.send(old)).toMatchObject({ value: { head: 4 } });
  });

  test("[MK1] every moved head gets a mark of its own, and is poked", async () => {
    const { writer, pokes, namespace, deps } = await world();
    const a = writer("wa");
    await a.send(a.put("r1", { title: "one" }));
    await a.send(a.set("gone", { title: "x" }));
    await a.send(a.put("r2", { title: "two" }));
    const [first, second] = [1, 2].map((head) =>
      deps.store.readNamespace(namespace, (tx) => tx.markOf(head)),
    );
    expect(await first).toMatch(/^[0-9a-v]{26}$/);
    expect(await second).not.toBe(await first);
    expect(pokes).toEqual([
      { namespace, head: 1 },
      { namespace, head: 2 },
    ]);
  });

  test("[PS9] a record that edits grew beyond its limit refuses more", async () => {
    const { writer } = await world();
    const a = writer("wa");
    await a.send(a.put("r1", { f0: "x" }));
    const grow = async (field: number): Promise<unknown> =>
      a.send(a.set("r1", { [`f${field}`]: "x".repeat(60_000) }));
    for (let field = 1; field <= 17; field += 1) {
      expect(await grow(field)).toMatchObject({ value: { results: [] } });
    }
    expect(await grow(18)).toMatchObject({ value: { results: [{ code: "too-large" }] } });
  });

  test("[PS9] of edits in one push, those that would grow a record beyond its limit are refused", async () => {
    const { writer } = await world();
    const a = writer("wa");
    await a.send(a.put("r1", { f0: "x".repeat(50_000) }));
    await a.send(a.set("r1", { f1: "x".repeat(50_000) }));
    const edits = Array.from({ length: 16 }, (_, index) =>
      a.set("r1", { [`f${index + 2}`]: "x".repeat(62_000) }),
    );
    const last = { n: 18, result: "rejected", code: "too-large" };
    expect(await a.send(...edits)).toMatchObject({ value: { results: [last] } });
  });

  test("[PS9] an op counts by what it makes a record take, however short it is itself", async () => {
    const { writer } = await world();
    const a = writer("w".repeat(64));
    const many = (from: number, value: JsonValue): JsonObject =>
      Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`f${from + index}`, value]));
    const nearLimit = async (record: string): Promise<void> => {
      await a.send(a.put(record, many(0, 0)));
      for (let field = 0; field < 17; field += 1) {
        const sent = await a.send(a.set(record, { [`big${field}`]: "x".repeat(61_200) }));
        expect(sent).toMatchObject({ value: { results: [] } });
      }
    };
    const tooLarge = { value: { results: [{ code: "too-large" }] } };
    await nearLimit("r1");
    // Each field of it stores its clock once more.
    expect(await a.send(a.set("r1", many(100, 1)))).toMatchObject(tooLarge);
    await nearLimit("r2");
    // And 9e15 is stored in 16 digits.
    const digits = a.set("r2", { digits: Array.from({ length: 500 }, () => 1) });
    expect(await a.send(digits.replaceAll("1,1", "9e15,9e15"))).toMatchObject(tooLarge);
  });

  test("[NS8] the same id in two namespaces is two records", async () => {
    const { writer, namespaceOf, pullAll, owner } = await world();
    const second = await namespaceOf("second");
    const [a, b] = [writer("wa"), writer("wa", owner, second)];
    await a.send(a.put("r1", { title: "here" }));
    await b.send(b.put("r1", { title: "there" }));
    await b.send(b.forget("r1"));
    expect(valuesOf((await pullAll()).states.get(id("r1")))).toEqual({ title: "here" });
    expect((await pullAll({ namespace: second })).states.get(id("r1"))).toMatchObject({
      forgotten: true,
    });
  });

  test("[PS10] pushes of one group are judged one after another, none fails the rest", async () => {
    const { writer, admit, pullAll } = await world();
    const bob = await admit("bob", "writer");
    const [a, b, c, d] = [writer("wa"), writer("wb", bob.device), writer("wc"), writer("wd")];
    const far = d.put("r9", { title: "far" }, { lamport: 1_000_000 });
    const late = writer("we");
    late.acked = 3;
    const line = b.put("r2", { title: "from b" });
    const answers = await Promise.all([
      a.send(a.put("r1", { title: "first, alone" })),
      b.send(line),
      b.send(line),
      d.send(far),
      late.send(late.put("r4", { title: "late" })),
      c.send("not json", c.put("r2", { title: "from c" }, { n: 2 })),
    ]);
    expect(answers.map((answer) => (answer.ok ? answer.value.head : answer.error.kind))).toEqual([
      1,
      3,
      "writer-position",
      "lamport-too-far",
      "writer-position",
      3,
    ]);
    expect([...(await pullAll()).states.keys()]).toContain("r2");
  });
}
