import { isTombstone, limits, tombstone, type JsonObject } from "@tidemark/protocol";
import { describe, expect, test } from "vitest";
import type { MakeStore } from "../../store/contract.ts";
import {
  childrenAskedOf,
  deliver,
  observation,
  placesOn,
  readsOfChildren,
  under,
  type MakePlace,
  type Place,
} from "./hostile-place.ts";
import { valuesOf } from "./world.ts";

/** What a member may not do to others by odd pushes and heals, whatever the store. */
export function hostileScenarios(name: string, makeStore: MakeStore): void {
  const place = placesOn(makeStore);

  describe(`${name}: hostile members`, () => {
    authorScenarios(place);
    toldAuthorScenarios(place);
    deliveryScenarios(place);
    inheritedNameScenarios(place);
    familyScenarios(place);
  });
}

function authorScenarios(makePlace: MakePlace): void {
  test("[NS6] editing every field of a record does not make its editor the author", async () => {
    const place = await annSaved(makePlace);
    const { ann, bob } = place;
    await bob.send(bob.set("r1", { title: "edited" }, {}, { lamport: 2 }));
    expect(await bob.send(bob.forget("r1"))).toMatchObject(refused("forbidden", 2));
    await expectHeld(place, { title: "edited" });
    expect(await ann.send(ann.forget("r1"))).toMatchObject({ value: { results: [] } });
  });

  test("[NS6] a field under an older clock does not make its writer the author", async () => {
    const place = await annSaved(makePlace);
    const { bob } = place;
    await bob.send(bob.set("r1", { more: 1 }, {}, { lamport: 1 }));
    expect(await bob.send(bob.forget("r1"))).toMatchObject(refused("forbidden", 2));
    await expectHeld(place, { title: "ann's", more: 1 });
  });

  test("[NS6] a put of an id that exists leaves the author who they were", async () => {
    const place = await annSaved(makePlace);
    const { bob } = place;
    await bob.send(bob.put("r1", { more: 1 }, { lamport: 1 }));
    expect(await bob.send(bob.forget("r1"))).toMatchObject(refused("forbidden", 2));
    await expectHeld(place, { title: "ann's", more: 1 });
  });

  test("[NS6] what a heal brings back is its author's, as far as the server knows them", async () => {
    const place = await annSaved(makePlace);
    const { world, ann, bob, device } = place;
    const lost = { ...observation({ title: "lost" }), id: "r2" };
    await deliver(world, device, { ...lost, writer: ann.id }, { ...lost, id: "r3", writer: "wx" });
    const forgets = await bob.send(bob.forget("r2"), bob.forget("r3"));
    expect(forgets).toMatchObject(refused("forbidden", 1, 2));
    expect(await ann.send(ann.forget("r2"))).toMatchObject({ value: { results: [] } });
  });
}

function toldAuthorScenarios(makePlace: MakePlace): void {
  test("[HL37] a record that a restored server gets back is whose the device says it is", async () => {
    const place = await annSaved(makePlace);
    const { world, ann, bob, device, users } = place;
    const lost = { ...observation({ title: "lost" }), writer: "lost-writer", author: users.ann };
    await deliver(world, device, { ...lost, id: "r2" }, { ...lost, id: "r3", author: 7 });
    expect(await bob.send(bob.forget("r2"))).toMatchObject(refused("forbidden", 1));
    expect(await ann.send(ann.forget("r2"))).toMatchObject({ value: { results: [] } });
    expect(await ann.send(ann.forget("r3"))).toMatchObject(refused("forbidden", 4));
  });

  test("[HL37] no device says whose a record is that the server has, or whose writer it knows", async () => {
    const place = await annSaved(makePlace);
    const { world, ann, bob, device, users } = place;
    const claimed = { ...observation({ more: 1 }), writer: ann.id, author: users.bob };
    await deliver(world, device, claimed, { ...claimed, id: "r2" });
    expect(await bob.send(bob.forget("r1"), bob.forget("r2"))).toMatchObject(
      refused("forbidden", 1, 2),
    );
  });
}

function deliveryScenarios(makePlace: MakePlace): void {
  test("[HL7] a healed tombstone needs the right to forget", async () => {
    const place = await annSaved(makePlace);
    const { world, ann, bob, device } = place;
    const grave = tombstone(ann.id as never, "observation");
    const answer = await deliver(world, device, { ...grave, id: "r1" });
    expect(answer).toMatchObject({ value: { tail: { refused: [refusal("r1", "forbidden")] } } });
    await expectHeld(place, { title: "ann's" });
    await deliver(world, ann.device, { ...grave, id: "r1" });
    expect((await world.pullAll()).states.get("r1" as never)).toMatchObject({ forgotten: true });
    expect(await deliver(world, bob.device, { ...grave, id: "never-seen" })).toMatchObject({
      value: { tail: { refused: [] } },
    });
  });

  test("[HL7] a tombstone that its parent's brings along is not refused", async () => {
    const { world, ann, bob, device } = await makePlace();
    await bob.send(bob.put("p1", { title: "bob's" }));
    await ann.send(ann.put("r1", { title: "ann's" }, { parent: "p1" as never, lamport: 2 }));
    const grave = { collection: "observation", forgotten: true };
    const answer = await deliver(world, device, { id: "r1", ...grave }, { id: "p1", ...grave });
    expect(answer).toMatchObject({ value: { tail: { refused: [], count: 2 } } });
  });

  test("[HL8] a heal moves no record under another parent or into another collection", async () => {
    const place = await makePlace();
    const { world, ann, bob, device } = place;
    await bob.send(bob.put("aa", { title: "bob's" }), bob.forget("grave"));
    await ann.send(ann.put("p1", { title: "p" }, { lamport: 2 }));
    await ann.send(ann.put("r1", { title: "ann's" }, { parent: "p1" as never }));
    const own = { ...observation({ more: 1 }), writer: bob.id };
    await deliver(world, device, { ...own, parent: "aa" });
    await deliver(world, device, { ...own, parent: "grave", fields: { less: 1 } });
    await deliver(world, device, { ...own, collection: "another", fields: { last: 1 } });
    await bob.send(bob.forget("aa"));
    const { states } = await world.pullAll();
    expect(states.get("r1" as never)).toMatchObject({ collection: "observation", parent: "p1" });
    const values = { title: "ann's", more: 1, less: 1, last: 1 };
    expect(valuesOf(states.get("r1" as never))).toEqual(values);
  });

  test("[HL10] a value that met another collection first is kept; conflict records mix with nothing", async () => {
    const { world, ann, bob, device } = await makePlace();
    await bob.send(bob.put("r1", { title: "bob's" }));
    const title = { ...observation({ title: "ann's" }), writer: ann.id };
    const lost = { ...title, collection: "moonstone" };
    expect(await deliver(world, device, lost)).toMatchObject({ value: { tail: { refused: [] } } });
    const [conflict, ...others] = [...(await world.pullAll()).states.values()].filter(
      ({ collection }) => collection === "conflict",
    );
    expect(others).toEqual([]);
    expect(valuesOf(conflict)).toMatchObject({ value: "ann's", field: "title" });
    const forged = { ...observation({ value: "forged" }), id: conflict?.id };
    expect(await deliver(world, device, forged)).toMatchObject({
      value: { tail: { refused: [refusal(conflict?.id ?? "", "collection-mismatch")] } },
    });
  });

  test("[HL5] no heal makes a record larger than pushes may", async () => {
    const place = await annSaved(makePlace);
    const { world, device } = place;
    const many = (prefix: string): object =>
      observation(
        Object.fromEntries(
          Array.from({ length: limits.fieldsMax }, (_, index) => [`${prefix}${index}`, 1]),
        ),
      );
    const big = observation({ title: "x".repeat(limits.recordBytesMax) });
    const tooLarge = { value: { tail: { refused: [refusal("r1", "too-large")] } } };
    expect(await deliver(world, device, many("a"))).toMatchObject(tooLarge);
    expect(await deliver(world, device, big)).toMatchObject(tooLarge);
    expect(await deliver(world, device, { ...big, id: "r2" })).toMatchObject({
      value: { tail: { refused: [refusal("r2", "too-large")] } },
    });
    await expectHeld(place, { title: "ann's" });
  });
}

function inheritedNameScenarios(makePlace: MakePlace): void {
  test("[WR1] a base with an inherited name is unreadable and fails nobody else's push (abuse 116)", async () => {
    const { world, ann, bob } = await makePlace();
    await ann.send(ann.put("r1", { map: 1 }));
    const own = world.writer("wo");
    const base = '"base":{"__proto__":[1,"w","h"]}';
    const [, odd, fine] = await Promise.all([
      own.send(own.put("busy", { title: "the group behind this one" }, { lamport: 2 })),
      bob.send(bob.set("r1", { map: 2 }).replace('"base":{}', base)),
      ann.send(ann.put("r2", { title: "fine" })),
    ]);
    expect(odd).toMatchObject(refused("invalid", 1));
    expect(fine).toMatchObject({ value: { results: [] } });
  });

  test("[HL3] a past with an inherited name is no past", async () => {
    const { world, ann, device } = await makePlace();
    await ann.send(ann.put("r1", { map: 1 }));
    const past = JSON.parse('{"__proto__":[[1,"wa","h"]]}') as object;
    const state = { ...observation({ map: 2 }), lamport: 3, past };
    const answer = await deliver(world, device, state);
    expect(answer).toMatchObject({ value: { tail: { refused: [], count: 2 } } });
  });
}

function familyScenarios(makePlace: MakePlace): void {
  test("[OP24] what would stand two below another is refused, and blocks nothing", async () => {
    const { bob } = await makePlace();
    const sent = await bob.send(
      bob.put("d1", { n: 1 }),
      bob.put("d2", { n: 2 }, under("d1")),
      bob.put("d3", { n: 3 }, under("d2")),
      bob.put("d4", { n: 4 }, under("d4")),
      bob.put("d5", { n: 5 }, under("d1")),
    );
    expect(sent).toMatchObject(refused("invalid", 3, 4));
  });

  test("[OP24] what was piled up from its end is forgotten four generations at a time", async () => {
    const { world, bob } = await makePlace();
    const pile = [9, 8, 7, 6, 5, 4, 3, 2, 1];
    const puts = pile.map((n) => bob.put(`u${n}`, { n }, under(`u${n - 1}`)));
    expect(await bob.send(...puts)).toMatchObject({ value: { results: [] } });
    const asked = readsOfChildren(world);
    expect(await bob.send(bob.forget("u1"))).toMatchObject({ value: { results: [] } });
    expect(asked()).toBe(4);
    const { states, tail } = await world.pullAll();
    const alive = [...states.values()].filter((state) => !isTombstone(state)).map(({ id }) => id);
    expect(alive.toSorted()).toEqual(["u6", "u7", "u8", "u9"]);
    expect(tail.count).toBe(9);
    expect(await bob.send(bob.forget("u7"))).toMatchObject({ value: { results: [] } });
    const held = await world.deps.store.readNamespace(world.namespace, (tx) => tx.head());
    expect(held?.liveCount).toBe(1);
  });

  test("[TB12] a forget has nobody look for the children of what it does not reach", async () => {
    const { world, ann, bob } = await annSaved(makePlace);
    await ann.send(ann.put("c1", { n: 1 }, under("r1")));
    await bob.send(bob.put("b1", { n: 1 }), bob.put("b2", { n: 2 }, under("b1")));
    const asked = childrenAskedOf(world);
    // The put is no put of a child: the record is there, and stands under nothing.
    bob.lamport = ann.lamport;
    const forget = bob.forget("b1");
    const late = bob.put("r1", { n: 3 }, under("b2"));
    const sent = await bob.send(forget, late, bob.set("r0", { n: 1 }));
    expect(sent).toMatchObject({ ok: true });
    expect(asked()).toEqual(new Set(["b1", "b2"]));
  });

  test("[TB12] who may not forget has nobody look for children, nor has who puts one", async () => {
    const place = await annSaved(makePlace);
    const { world, ann, bob, device } = place;
    await ann.send(ann.put("c1", { n: 1 }, under("r1")));
    const asked = readsOfChildren(world);
    bob.lamport = ann.lamport;
    const sent = await bob.send(bob.forget("r1"), bob.put("c2", { n: 2 }, under("r1")));
    expect(sent).toMatchObject(refused("forbidden", 1));
    await deliver(world, device, { id: "r1", collection: "observation", forgotten: true });
    expect(asked()).toBe(0);
  });
}

async function annSaved(makePlace: MakePlace): Promise<Place> {
  const place = await makePlace();
  const { ann, bob } = place;
  await ann.send(ann.put("r0", { title: "first" }), ann.put("r1", { title: "ann's" }));
  // Bob's next op ticks to the clock that the server has.
  bob.lamport = ann.lamport - 1;
  return place;
}

function refusal(id: string, code: string): object {
  return { id, code };
}

function refused(code: string, ...numbers: readonly number[]): object {
  return { value: { results: numbers.map((n) => ({ n, result: "rejected", code })) } };
}

async function expectHeld({ world }: Place, values: JsonObject): Promise<void> {
  expect(valuesOf((await world.pullAll()).states.get("r1" as never))).toEqual(values);
}
