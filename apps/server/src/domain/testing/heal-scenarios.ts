import { pull } from "../pull.ts";
import {
  bucketOf,
  compareText,
  conflictRecord,
  emptyDigest,
  isTombstone,
  limits,
  recordDigest,
  tombstone,
  xorDigests,
  type DeviceId,
  type RecordId,
  type Result,
  type WriterId,
} from "@tidemark/protocol";
import type { HealTail } from "@tidemark/protocol/wire";
import { describe, expect, test } from "vitest";
import type { MakeStore } from "../../store/contract.ts";
import { bucket, digests, type BucketRequest } from "../digests.ts";
import { heal } from "../heal.ts";
import type { StatesAnswer } from "../pull.ts";
import type { SyncError } from "../sync-error.ts";
import { lineOf, live } from "./states.ts";
import { createWorld, entryOf, sha256, valuesOf, type World } from "./world.ts";

const id = (text: string): RecordId => text as RecordId;
const writerA = "wa" as WriterId;
const writerB = "wb" as WriterId;

/** What a server does with heals, whatever its store. */
export function healScenarios(name: string, makeStore: MakeStore): void {
  const world = async (): Promise<World> => createWorld(await makeStore({ nowMs: () => 1 }));

  describe(`${name}: heals`, () => {
    joinScenarios(world);
    refusalScenarios(world);
    digestScenarios(world);
  });
}

function joinScenarios(world: () => Promise<World>): void {
  test("[HL3] a state the server lost comes back, with who brought it", async () => {
    const place = await world();
    const lost = live("r1", { title: ["lost", 5, writerA] });
    const answer = await deliver(place, [lineOf(lost)], { writer: writerB });
    expect(answer).toMatchObject({
      value: { tail: { head: 1, lamport: 5, count: 1, refused: [] } },
    });
    const { states, tail } = await place.pullAll();
    expect(states.get(id("r1"))).toEqual(lost);
    expect(tail.digest).toBe(recordDigest(sha256, lost));
    const [stored] = (await recordsOf(place, "r1")) ?? [];
    expect(stored?.via).toBe(writerB);
    const page = await pull(place.deps, { namespace: place.namespace, device: place.owner });
    expect(page.ok && page.value.lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { id: "r1", via: writerB },
    ]);
    expect(place.pokes).toEqual([{ namespace: place.namespace, head: 1 }]);
  });

  test("[HL3] an acknowledged write that loses a heal is kept as a conflict (C7)", async () => {
    const place = await world();
    const b = place.writer("wb");
    b.lamport = 21;
    await raiseLamport(place, 21);
    await b.send(b.put("r1", { title: "from b" }));
    const older = live("r1", { title: ["from a", 21, writerA] });
    await deliver(place, [lineOf(older)]);
    const { states } = await place.pullAll();
    const kept = conflictRecord(sha256, id("r1"), "title", {
      value: "from a",
      clock: { lamport: 21, writer: writerA },
      at: 7,
    });
    expect(valuesOf(states.get(id("r1")))).toEqual({ title: "from b" });
    expect(states.get(kept.id)).toEqual(kept);
  });

  test("[HL9] the answer holds the value that lost beside the one that beat it", async () => {
    const place = await world();
    const b = place.writer("wb");
    await raiseLamport(place, 21);
    b.lamport = 21;
    await b.send(b.put("r1", { title: "from b" }));
    const answer = await deliver(place, [lineOf(live("r1", { title: ["from a", 21, writerA] }))]);
    expect(linesOf(answer)).toMatchObject([
      { id: "r1", fields: { title: "from b" } },
      { collection: "conflict", parent: "r1", fields: { value: "from a" } },
    ]);
  });

  test("[HL3] a value that the winning side once held is history, not a conflict (C7)", async () => {
    const place = await world();
    const a = place.writer("wa");
    await a.send(a.put("r1", { title: "v1", note: "n1" }));
    await a.send(a.set("r1", { title: "v2" }, { title: entryOf(1, writerA, "v1") }));
    // The server wins with v2 and has v1 in its revisions; the client wins with n2, once held n1.
    const incoming = live("r1", { title: ["v1", 1, writerA], note: ["n2", 2, writerB] });
    await deliver(place, [lineOf(incoming, { note: [entryOf(1, writerA, "n1")] })]);
    const { states } = await place.pullAll();
    expect(states.size).toBe(1);
    expect(valuesOf(states.get(id("r1")))).toEqual({ title: "v2", note: "n2" });
  });

  test("[HL3] equal clocks with different values meet on the server (C14)", async () => {
    const place = await world();
    const a = place.writer("wa");
    await a.send(a.put("r1", { title: "b-value" }));
    await deliver(place, [lineOf(live("r1", { title: ["a-value", 1, writerA] }))]);
    const { states } = await place.pullAll();
    expect(valuesOf(states.get(id("r1")))).toEqual({ title: "b-value" });
    expect(states.size).toBe(2);
  });

  test("[CF7] a resolved conflict stays resolved when the same race is met again", async () => {
    const place = await world();
    const [a, b] = [place.writer("wa"), place.writer("wb")];
    await b.send(b.put("r1", { title: "from b" }));
    await a.send(a.put("r1", { title: "from a" }));
    const register = { value: "from a", clock: { lamport: 1, writer: writerA }, at: 7 };
    const conflict = conflictRecord(sha256, id("r1"), "title", register).id;
    await a.send(a.forget(conflict, { collection: "conflict" }));
    await deliver(place, [lineOf(live("r1", { title: ["from a", 1, writerA] }))]);
    expect((await place.pullAll()).states.get(conflict)).toMatchObject({ forgotten: true });
  });

  test("[TB10] a healed tombstone takes the children, a child of one is one (C6)", async () => {
    const place = await world();
    const a = place.writer("wa");
    await a.send(a.put("r1", { title: "child" }, { parent: id("s1") }));
    const gone = tombstone(id("s1"), "session");
    const late = { ...live("r2", { title: ["late", 3, writerA] }), parent: id("s1") };
    const answer = await deliver(place, [lineOf(gone), lineOf(late)]);
    const { states } = await place.pullAll();
    expect([...states.values()].every(isTombstone)).toBe(true);
    expect([...states.keys()].toSorted()).toEqual(["r1", "r2", "s1"]);
    expect(answer).toMatchObject({ value: { tail: { count: 3 } } });
  });

  test("[TB1] a heal never brings a forgotten record back", async () => {
    const place = await world();
    const a = place.writer("wa");
    await a.send(a.put("r1", { title: "one" }), a.forget("r1"));
    const answer = await deliver(place, [lineOf(live("r1", { title: ["one", 99, writerA] }))]);
    expect(linesOf(answer)).toEqual([
      { seq: 1, id: "r1", collection: "observation", forgotten: true },
    ]);
    expect((await place.pullAll()).tail.count).toBe(1);
  });

  test("[HL4] the answer holds every named record as it stands now, delivered or wanted", async () => {
    const place = await world();
    const a = place.writer("wa");
    await a.send(a.put("r1", { title: "one" }), a.put("r2", { title: "two" }));
    const newer = live("r1", { title: ["newer", 9, writerB] });
    const answer = await deliver(place, [lineOf(newer, { title: [entryOf(1, writerA, "one")] })], {
      want: [id("r2"), id("nobody")],
    });
    expect(linesOf(answer)).toMatchObject([
      { id: "r2", seq: 2 },
      { id: "r1", seq: 3 },
    ]);
  });

  test("a heal that changes nothing moves no head", async () => {
    const place = await world();
    const a = place.writer("wa");
    await a.send(a.put("r1", { title: "one" }));
    const same = (await place.pullAll()).states.get(id("r1"));
    const answer = await deliver(place, same === undefined ? [] : [lineOf(same)]);
    expect(answer).toMatchObject({ value: { tail: { head: 1 } } });
    expect(place.pokes).toHaveLength(1);
  });
}

function refusalScenarios(world: () => Promise<World>): void {
  test("[HL5] a reader delivers nothing, but may ask", async () => {
    const place = await world();
    const reader = await place.admit("rita", "reader");
    const a = place.writer("wa");
    await a.send(a.put("r1", { title: "one" }));
    const answer = await deliver(place, [lineOf(live("r9", { title: ["mine", 3, writerB] }))], {
      device: reader.device,
      want: [id("r1")],
      lamport: 1000,
    });
    expect(answer).toMatchObject({
      value: { tail: { head: 1, lamport: 1, refused: [{ id: "r9", code: "forbidden" }] } },
    });
    expect(linesOf(answer).map(({ id: record }) => record)).toEqual(["r1"]);
  });

  test("[HL5] what nobody could push is refused for itself alone", async () => {
    const place = await world();
    const forged = { ...live("c1", { value: ["x", 3, writerB] }), collection: "conflict" };
    const noFields = '{"id":"r1","collection":"observation","lamport":1,"writer":"w","at":0}';
    const far = live("r2", { title: ["far", limits.lamportMax, writerB] });
    const fine = live("r3", { title: ["fine", 3, writerB] });
    const answer = await deliver(place, [lineOf(forged), noFields, lineOf(far), lineOf(fine)]);
    expect(answer).toMatchObject({
      value: {
        tail: {
          count: 1,
          lamport: 3,
          refused: [
            { id: "c1", code: "immutable" },
            { id: "r1", code: "invalid" },
            { id: "r2", code: "invalid" },
          ],
        },
      },
    });
  });

  test("[HL5] a line without an id, too many lines, a stranger, a stolen writer", async () => {
    const place = await world();
    const bob = await place.admit("bob", "writer");
    const a = place.writer("wa");
    await a.send(a.put("r1", { title: "one" }));
    expect(await deliver(place, ["nonsense"])).toEqual({ ok: false, error: { kind: "invalid" } });
    const many = Array.from({ length: limits.healRecordsMax + 1 }, (_, index) => id(`r${index}`));
    expect(await deliver(place, [], { want: many })).toEqual({
      ok: false,
      error: { kind: "too-large" },
    });
    expect(await deliver(place, [], { device: "dev_x" as DeviceId })).toEqual({
      ok: false,
      error: { kind: "not-found" },
    });
    expect(await deliver(place, [], { device: bob.device, writer: writerA })).toEqual({
      ok: false,
      error: { kind: "writer-foreign" },
    });
  });

  test("[CK6] a heal tells the client's lamport, and raises the namespace's so far and no further (abuse 118)", async () => {
    const place = await world();
    expect(await raiseLamport(place, 500)).toMatchObject({ value: { tail: { lamport: 500 } } });
    expect(await raiseLamport(place, 20)).toMatchObject({ value: { tail: { lamport: 500 } } });
    expect(await raiseLamport(place, limits.lamportMax)).toMatchObject({
      value: { tail: { lamport: 500 + limits.healLamportRaiseMax } },
    });
    expect(place.pokes).toEqual([]);
  });
}

function digestScenarios(world: () => Promise<World>): void {
  test("[HL1, HL6] bucket digests add up to the namespace's, and name every record", async () => {
    const place = await world();
    const { deps, namespace, owner } = place;
    const a = place.writer("wa");
    await a.send(...Array.from({ length: 40 }, (_, index) => a.put(`r${index}`, { index })));
    await a.send(a.forget("r7"));
    const answer = await digests(deps, { namespace, device: owner });
    expect(answer.ok).toBe(true);
    if (!answer.ok) return;
    const { buckets, digest, count, cursor, head } = answer.value;
    expect(head).toBe(41);
    expect(buckets.map(([each]) => each).reduce(xorDigests, emptyDigest)).toBe(digest);
    expect(buckets.reduce((sum, [, each]) => sum + each, 0)).toBe(count);
    const listed = await Promise.all(
      buckets.map((_, index) => bucket(deps, { namespace, device: owner, bucket: index })),
    );
    const records = listed.flatMap((each) => (each.ok ? each.value.records : []));
    expect(records).toHaveLength(40);
    const { states } = await place.pullAll();
    for (const [record, each] of records) {
      const state = states.get(record);
      expect(state === undefined ? undefined : recordDigest(sha256, state)).toBe(each);
    }
    // Who exchanged every difference goes on from the answer's cursor.
    expect((await place.pullAll({ after: cursor })).seqs).toEqual([]);
  });

  test("[HL40] who asks for pages of a bucket gets them, and is told that there is more", async () => {
    const place = await world();
    const { deps, namespace, owner } = place;
    const a = place.writer("wa");
    const names = Array.from({ length: 900 }, (_, index) => `r${index}`);
    const inOne = names.filter((name) => bucketOf(name as RecordId) === 7).toSorted(compareText);
    await a.send(...inOne.map((name) => a.put(name, { name })));
    const request = { namespace, device: owner, bucket: 7 };
    const ask = async (page?: BucketRequest["page"]): Promise<unknown> => {
      const answer = await bucket(deps, { ...request, page });
      if (!answer.ok) return answer.error;
      return { ...answer.value, records: answer.value.records.map(([name]) => name) };
    };
    const last = inOne.at(-1) as RecordId;
    expect(inOne.length).toBeGreaterThan(2);
    expect(await ask()).toEqual({ records: inOne });
    expect(await ask({ after: undefined })).toEqual({ records: inOne, more: false });
    expect(await ask({ after: undefined, countMax: 1e9 })).toEqual({ records: inOne, more: false });
    expect(await ask({ after: undefined, countMax: inOne.length - 1 })).toEqual({
      records: inOne.slice(0, -1),
      more: true,
    });
    expect(await ask({ after: inOne[0] as RecordId, countMax: 1 })).toEqual({
      records: inOne.slice(1, 2),
      more: inOne.length > 2,
    });
    expect(await ask({ after: last })).toEqual({ records: [], more: false });
  });

  test("[HL1] nothing is added up for a stranger", async () => {
    const { deps, namespace } = await world();
    const stranger = { namespace, device: "dev_x" as DeviceId };
    const { store } = deps;
    const read = store.readNamespace.bind(store);
    const unasked = (): never => {
      throw new Error("all records were added up for a stranger");
    };
    store.readNamespace = async (named, work) =>
      await read(
        named,
        async (tx) => await work({ ...tx, bucketDigests: unasked, bucket: unasked }),
      );
    expect(await digests(deps, stranger)).toMatchObject({ error: { kind: "not-found" } });
    expect(await bucket(deps, { ...stranger, bucket: 1 })).toMatchObject({
      error: { kind: "not-found" },
    });
  });
}

interface Delivery {
  readonly writer?: WriterId;
  readonly device?: DeviceId;
  readonly lamport?: number;
  readonly want?: readonly RecordId[];
}

type Answer = Result<StatesAnswer<HealTail>, SyncError>;

function deliver(place: World, lines: readonly string[], how: Delivery = {}): Promise<Answer> {
  const { deps, namespace, owner } = place;
  const { writer, device = owner, lamport = 0, want = [] } = how;
  return heal(deps, { namespace, device, header: { writer, lamport, want }, lines });
}

function raiseLamport(place: World, lamport: number): Promise<Answer> {
  return deliver(place, [], { lamport });
}

function linesOf(answer: Answer): readonly { readonly id: string; readonly seq: number }[] {
  if (!answer.ok) throw new Error(answer.error.kind);
  return answer.value.lines.map((line) => JSON.parse(line) as { id: string; seq: number });
}

function recordsOf(place: World, record: string) {
  return place.deps.store.readNamespace(place.namespace, (tx) => tx.records([id(record)]));
}
