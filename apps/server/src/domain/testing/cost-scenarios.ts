import {
  emptyDigest,
  isTombstone,
  limits,
  type JsonObject,
  type RecordId,
  type WriterId,
} from "@tidemark/protocol";
import { describe, expect, test } from "vitest";
import { serverLimits } from "../../limits.ts";
import type { MakeStore } from "../../store/contract.ts";
import { heal } from "../heal.ts";
import { pull } from "../pull.ts";
import { readConflicts } from "../reading.ts";
import {
  deliver,
  observation,
  placesOn,
  readsOfChildren,
  under,
  watchReads,
  type MakePlace,
} from "./hostile-place.ts";
import { live } from "./states.ts";
import { entryOf, type World } from "./world.ts";

/** What one valid request of a member may cost, whatever the store. */
export function costScenarios(name: string, makeStore: MakeStore): void {
  const place = placesOn(makeStore);

  describe(`${name}: what a request may cost`, () => {
    largeRecordScenarios(place);
    losingScenarios(place);
    costlyScenarios(place);
    chainedScenarios(place);
    answerScenarios(place);
  });
}

/** Before every clock that stands. */
const first = { lamport: 1 };

function largeRecordScenarios(makePlace: MakePlace): void {
  const tooLarge = { ok: false, error: { kind: "too-large" } };

  test("[PS14] small changes to more large records than fit at once are refused whole, halves are taken", async () => {
    const { world, bob, device } = await makePlace();
    await saveLarge(world, "r1", "r2", "r3", "r4");
    const lines = ["r1", "r2", "r3", "r4"].map((record) => bob.set(record, { n: 1 }));
    expect(await bob.send(...lines)).toMatchObject(tooLarge);
    for (const half of [lines.slice(0, 2), lines.slice(2)]) {
      expect(await bob.send(...half)).toMatchObject({ ok: true });
    }
    await saveLarge(world, "h1", "h2", "h3");
    const states = ["h1", "h2", "h3"].map((id) => ({ ...observation({ n: 1 }), id }));
    expect(await deliver(world, device, ...states)).toMatchObject(tooLarge);
    expect(await deliver(world, device, ...states.slice(1))).toMatchObject({ ok: true });
  });

  test("[PS14] pushes that only together touch too much are taken one by one", async () => {
    const { world, ann, bob } = await makePlace();
    await saveLarge(world, "r1", "r2", "r3", "r4");
    const busy = world.writer("busy");
    const answers = await Promise.all([
      busy.send(busy.put("other", { title: "the group behind this one" })),
      ann.send(ann.set("r1", { n: 1 }), ann.set("r2", { n: 1 })),
      bob.send(bob.set("r3", { n: 1 }), bob.set("r4", { n: 1 })),
    ]);
    expect(answers).toMatchObject([{ ok: true }, { ok: true }, { ok: true }]);
  });
}

function losingScenarios(makePlace: MakePlace): void {
  const tooLarge = { ok: false, error: { kind: "too-large" } };
  const wide = (value: number): JsonObject =>
    Object.fromEntries(
      Array.from({ length: limits.fieldsMax }, (_, index) => [`f${index}`, value]),
    );
  const names = Array.from({ length: 36 }, (_, index) => `r${index + 10}`);

  test("[PS14] a push that has more values lose than one transaction takes is refused whole, halves are taken", async () => {
    const { world, ann, bob } = await makePlace();
    await ann.send(...names.map((name) => ann.put(name, wide(1))));
    bob.lamport = ann.lamport;
    const lines = names.map((name) => bob.set(name, wide(2)));
    expect(await bob.send(...lines)).toMatchObject(tooLarge);
    expect((await world.pullAll()).states.size).toBe(names.length);
    for (const half of [lines.slice(0, 18), lines.slice(18)]) {
      expect(await bob.send(...half)).toMatchObject({ ok: true });
    }
    const { tail } = await world.pullAll();
    expect(tail.count).toBe(names.length * (1 + limits.fieldsMax));
  });

  test("[PS14] ops that find no room count by the values that they would have lose", async () => {
    const { world, ann, bob } = await makePlace({ recordsMax: names.length });
    await ann.send(...names.map((name) => ann.put(name, wide(1))));
    bob.lamport = ann.lamport;
    const lines = names.map((name) => bob.set(name, wide(2)));
    expect(await bob.send(...lines)).toMatchObject(tooLarge);
    const half = lines.slice(0, 18);
    const results = half.map(() => ({ result: "rejected", code: "quota" }));
    expect(await bob.send(...half)).toMatchObject({ value: { results } });
    expect((await world.pullAll()).states.size).toBe(names.length);
  });

  test("[PS14] a heal that has more values lose than one transaction takes is refused whole, halves are taken", async () => {
    const { world, ann, device } = await makePlace();
    await ann.send(...names.map((name) => ann.put(name, wide(1))));
    const states = names.map((id) => ({ ...observation(wide(2)), id, lamport: 900 }));
    expect(await deliver(world, device, ...states)).toMatchObject(tooLarge);
    for (const half of [states.slice(0, 18), states.slice(18)]) {
      expect(await deliver(world, device, ...half)).toMatchObject({ ok: true });
    }
    const { tail } = await world.pullAll();
    expect(tail.count).toBe(names.length * (1 + limits.fieldsMax));
  });

  test("[HL9] what a heal gives back of values that lost is no more than a client takes", async () => {
    const { world, ann, device } = await makePlace();
    const text = "x".repeat(60_000);
    const many = Array.from({ length: 17 }, (_, index) => `f${index}`);
    const large = names.slice(0, 16);
    for (const name of large) {
      const put = ann.put(name, { n: 0 });
      const saved = await ann.send(put, ...many.map((field) => ann.set(name, { [field]: text })));
      expect(saved).toMatchObject({ value: { results: [] } });
    }
    const all = (value: string): JsonObject =>
      Object.fromEntries(many.map((field) => [field, value]));
    await ann.send(ann.put("small", all("wins")));
    const late = { ...observation(all(text)), id: "small" };
    const states = large.map((id) => ({ ...observation(all("wins")), id, lamport: 9_000 }));
    expect(await deliver(world, device, late, ...states)).toMatchObject(tooLarge);
    for (const half of [[late, ...states.slice(0, 7)], states.slice(7)]) {
      const answer = await deliver(world, device, ...half);
      const lines = answer.ok ? answer.value.lines : [];
      const kept = lines.filter((line) => line.includes('"collection":"conflict"'));
      expect(kept.length).toBe(half.length * many.length);
    }
  });
}

function costlyScenarios(makePlace: MakePlace): void {
  test("[PS14] a held value is hashed once, however many writes meet it", async () => {
    const { world, ann, bob } = await makePlace();
    const text = "x".repeat(60_000);
    await ann.send(ann.put("r0", { n: 0 }), ann.put("r1", { title: text }));
    const hashed = largeTextsHashed(world, text.length);
    const base = { title: entryOf(2, ann.id, text) };
    const late = Array.from({ length: 20 }, () => bob.set("r1", { title: "late" }, base, first));
    const results = late.map(() => ({ result: "conflict" }));
    expect(await bob.send(...late)).toMatchObject({ value: { results } });
    // The value, and the record that holds it.
    expect(hashed()).toBeLessThanOrEqual(2);
  });

  test("[PS14] a value that loses again and again, since there is no room for it, is hashed once", async () => {
    const { world, ann, bob } = await makePlace({ recordsMax: 1 });
    const text = "x".repeat(60_000);
    await ann.send(ann.put("r1", { title: text }));
    const hashed = largeTextsHashed(world, text.length);
    bob.lamport = ann.lamport;
    const sets = Array.from({ length: 20 }, () => bob.set("r1", { title: "beats it" }));
    const results = sets.map(() => ({ result: "rejected", code: "quota" }));
    expect(await bob.send(...sets)).toMatchObject({ value: { results } });
    expect(hashed()).toBeLessThanOrEqual(2);
  });

  test("[HL3] of a delivered past no more is read than a client keeps", async () => {
    const { world, ann, device } = await makePlace();
    await ann.send(ann.put("r1", { title: "held" }), ann.put("r2", { title: "held" }));
    const past = (lamport: number, place: number): object => {
      const others = Array.from({ length: place }, (_, n) => entryOf(500 + n, ann.id, n));
      return { past: { title: [...others, entryOf(lamport, ann.id, "held")] } };
    };
    const won = { ...observation({ title: "won" }), lamport: 900 };
    const { pastClocksMax } = limits;
    await deliver(
      world,
      device,
      { ...won, id: "r1", ...past(1, pastClocksMax - 1) },
      { ...won, id: "r2", ...past(2, pastClocksMax) },
    );
    const { states } = await world.pullAll();
    const conflicts = [...states.values()].filter(({ collection }) => collection === "conflict");
    expect(conflicts).toMatchObject([{ parent: "r2" }]);
  });

  test("[HL9] conflicts that a heal forgets are not values that lost", async () => {
    const { world, ann, bob, device } = await makePlace();
    await ann.send(ann.put("r1", { title: "first" }));
    bob.lamport = ann.lamport;
    await bob.send(bob.set("r1", { title: "second" }), bob.set("r1", { title: "third" }));
    const forgotten = { id: "r1", collection: "observation", forgotten: true };
    const answer = await deliver(world, world.owner, forgotten);
    expect(answer.ok && answer.value.lines.length).toBe(1);
    const { states } = await world.pullAll();
    expect(states.size).toBe(3);
    expect([...states.values()].every((state) => isTombstone(state))).toBe(true);
    expect(await deliver(world, device, forgotten)).toMatchObject({ ok: true });
  });
}

/** Counts the texts of at least so many characters that are hashed from now on. */
function largeTextsHashed({ deps }: World, charsMin: number): () => number {
  let count = 0;
  const { sha256 } = deps;
  Object.assign(deps, {
    sha256: (text: string) => {
      if (text.length >= charsMin) count += 1;
      return sha256(text);
    },
  });
  return () => count;
}

function chainedScenarios(makePlace: MakePlace): void {
  test("[PS14] what is found link by link is looked for eight times at most, and halves take fewer", async () => {
    const { world, bob } = await makePlace();
    // Each link hangs on a record between two, which no op names.
    const hang = async (name: string, count: number): Promise<readonly string[]> => {
      const links = Array.from({ length: count }, (_, index) => index);
      const at = (kind: string, index: number): string => `${name}${kind}${index}`;
      await bob.send(bob.put(at("w", 0), { n: 1 }));
      for (const n of links) await bob.send(bob.put(at("p", n), { n }, under(at("v", n))));
      for (const n of links) await bob.send(bob.put(at("v", n), { n }, under(at("w", n))));
      const forget = bob.forget(at("w", 0));
      const late = links.slice(1).map((n) => bob.put(at("w", n), { n }, under(at("p", n - 1))));
      return [forget, ...late];
    };
    const few = await hang("few", 7);
    expect(await bob.send(...few)).toMatchObject({ ok: true });
    const many = await hang("many", 8);
    const tooLarge = { ok: false, error: { kind: "too-large" } };
    expect(await bob.send(...many)).toMatchObject(tooLarge);
    for (const half of [many.slice(0, 4), many.slice(4)]) {
      expect(await bob.send(...half)).toMatchObject({ ok: true });
    }
    const { states } = await world.pullAll();
    expect([...states.values()].every((state) => isTombstone(state))).toBe(true);
  });

  test("[PS14] children that are found one behind the other are not looked for one by one", async () => {
    const { world, bob } = await makePlace();
    const links = Array.from({ length: 40 }, (_, index) => index + 1);
    const root = bob.put("o0", { n: 0 });
    await bob.send(root, ...links.map((n) => bob.put(`o${n}`, { n }, under(`a${n}`))));
    const asked = readsOfChildren(world);
    // Each comes too late only because the one before it did, and takes a child along.
    const forget = bob.forget("o0");
    const late = links.map((n) => bob.put(`a${n}`, { n }, under(`o${n - 1}`)));
    const sent = await bob.send(forget, ...late);
    expect(sent).toMatchObject({ value: { results: links.map(() => ({ result: "forgotten" })) } });
    expect(asked()).toBeLessThan(10);
    const { states } = await world.pullAll();
    expect([...states.values()].every((state) => isTombstone(state))).toBe(true);
  });
}

function answerScenarios(makePlace: MakePlace): void {
  test("[PS14] a heal answers with no more than a client takes, and tells the rest when asked again", async () => {
    const { world, device } = await makePlace();
    const names = Array.from({ length: 24 }, (_, index) => `r${index + 10}` as RecordId);
    const text = "x".repeat(900_000);
    await world.deps.store.writeNamespace(world.namespace, async (tx) => {
      const title = [text, 1, "wz" as WriterId] as const;
      const records = names.map((name, index) => ({
        seq: index + 1,
        state: live(name, { title }),
        digest: emptyDigest,
        bytes: text.length,
      }));
      await tx.saveRecords(records);
    });
    const left = new Set(names);
    let read = 0;
    watchReads(world, (tx) => ({
      records: async (...asked) => {
        const given = await tx.records(...asked);
        read += given.length;
        return given;
      },
    }));
    for (let round = 0; left.size > 0 && round < 10; round += 1) {
      const header = { lamport: 0, want: [...left] };
      const answer = await heal(world.deps, {
        namespace: world.namespace,
        device,
        header,
        lines: [],
      });
      const lines = answer.ok ? answer.value.lines : [];
      const bytes = lines.reduce((sum, line) => sum + line.length, 0);
      expect(bytes).toBeLessThan(limits.healBytesMax + 1_000_000);
      for (const line of lines) left.delete((JSON.parse(line) as { id: RecordId }).id);
    }
    expect(left.size).toBe(0);
    // What there is no room for is not read either.
    expect(read).toBeLessThanOrEqual(names.length + 5);
  });

  test("[PL5] a page and a heal's answer tell of no more writers than a client takes, and all is told in the end", async () => {
    const { world, device } = await makePlace();
    const fields = Array.from({ length: 250 }, (_, at) => `f${at}`);
    const states = Array.from({ length: 40 }, (_, at) => ({
      ...observation(Object.fromEntries(fields.map((field) => [field, at]))),
      id: `r${at + 10}`,
      clocks: Object.fromEntries(fields.map((field) => [field, [1, `w${at}-${field}`, 1]])),
    }));
    expect(await deliver(world, device, ...states)).toMatchObject({
      value: { tail: { refused: [] } },
    });
    const told: string[] = [];
    const ask = { namespace: world.namespace, device };
    for (let after: string | undefined = undefined, more = true; more;) {
      const page = await pull(world.deps, { ...ask, after });
      if (!page.ok) throw new Error(page.error.kind);
      const { lines, tail } = page.value;
      expect(lines.length * fields.length).toBeLessThanOrEqual(serverLimits.answer.writersMax);
      told.push(...lines);
      ({ cursor: after, more } = tail);
    }
    expect(told).toHaveLength(states.length);
    const header = { lamport: 0, want: states.map(({ id }) => id as RecordId) };
    const healed = await heal(world.deps, { ...ask, header, lines: [] });
    const count = healed.ok ? healed.value.lines.length : 0;
    expect(count * fields.length).toBeLessThanOrEqual(
      serverLimits.answer.writersMax + fields.length,
    );
    expect(count).toBeGreaterThan(1);
  });

  test("[CO8] a page of conflicts reads no more than its bound of the records that they lost in", async () => {
    const { world, ann } = await makePlace();
    const names = ["r1", "r2", "r3", "r4"];
    for (const name of names) {
      await ann.send(ann.put(name, { title: "first" }), ann.set(name, { title: "second" }));
    }
    const at = { ...world, device: world.owner };
    expect(await readConflicts(world.deps, at)).toMatchObject({ value: { hasMore: false } });
    await world.deps.store.writeNamespace(world.namespace, async (tx) => {
      const parents = await tx.records(names as RecordId[]);
      await tx.saveRecords(parents.map((parent) => ({ ...parent, bytes: 1_500_000 })));
    });
    const page = await readConflicts(world.deps, at);
    if (!page.ok) throw new Error(page.error.kind);
    expect(page.value.records).toHaveLength(3);
    expect(page.value.hasMore).toBe(true);
    for (const { state } of page.value.records) {
      const parent = isTombstone(state) ? undefined : state.parent;
      expect(page.value.parents.has(parent ?? ("" as RecordId))).toBe(true);
    }
  });

  test("[PS14] a kept losing value that is there is not read, however large it is", async () => {
    const { world, ann, device } = await makePlace();
    await ann.send(ann.put("r1", { title: "first" }), ann.set("r1", { title: "second" }));
    const lost = { ...observation({ title: "lost" }), id: "r1", writer: "wl" };
    await deliver(world, device, lost);
    const { states } = await world.pullAll();
    const kept = [...states.values()].find(({ collection }) => collection === "conflict");
    if (kept === undefined) throw new Error("the value was kept");
    await world.deps.store.writeNamespace(world.namespace, async (tx) => {
      await tx.saveRecords([{ seq: 900, state: kept, digest: emptyDigest, bytes: 64 * 2 ** 20 }]);
    });
    expect(await deliver(world, device, lost)).toMatchObject({ ok: true });
  });
}

/** Puts records there of which the store says that each holds six megabytes. */
async function saveLarge({ deps, namespace }: World, ...names: readonly string[]): Promise<void> {
  await deps.store.writeNamespace(namespace, async (tx) => {
    const title = ["large", 1, "wz" as WriterId] as const;
    const records = names.map((name) => ({
      seq: 1_000 * name.charCodeAt(0) + Number(name[1]),
      state: live(name, { title }),
      digest: emptyDigest,
      bytes: 6 * 2 ** 20,
    }));
    await tx.saveRecords(records);
  });
}
