import { collections, type RecordId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import { entryOf, valuesOf, type Pulled, type World } from "./world.ts";

/**
 * What a home that was set back or copied sends a second time, by a new writer with the lamports of
 * the first.
 */
export function forkScenarios(world: () => Promise<World>): void {
  test("[CF14] what a fork sends again after it was replaced is no conflict", async () => {
    const { writer, pullAll } = await world();
    const [a, fork] = [writer("wa"), writer("wf")];
    await a.send(a.put("r1", { title: "one" }));
    const base = { title: entryOf(1, a.id, "one") };
    await a.send(a.set("r1", { title: "two" }, base));
    await a.send(a.set("r1", { title: "three" }, { title: entryOf(2, a.id, "two") }));
    const before = await pullAll();
    fork.lamport = 1;
    const again = await fork.send(fork.set("r1", { title: "two" }, base));
    expect(again).toMatchObject({ value: { results: [] } });
    const after = await pullAll();
    expect(after.tail.digest).toBe(before.tail.digest);
    expect(valuesOf(after.states.get(recordOne))).toEqual({ title: "three" });
  });

  test("[CF14] it is none where it was replaced in the same transaction", async () => {
    const { writer, pullAll } = await world();
    const [a, b, fork] = [writer("wa"), writer("wb"), writer("wf")];
    await a.send(a.put("r1", { title: "one" }));
    fork.lamport = 0;
    const answers = await Promise.all([
      b.send(b.put("r2", { title: "first, alone" })),
      a.send(a.set("r1", { title: "two" }, { title: entryOf(1, a.id, "one") })),
      fork.send(fork.put("r1", { title: "one" })),
    ]);
    const shared = answers.slice(1).map((answer) => answer.ok && "advance" in answer.value);
    expect(shared).toEqual([false, false]);
    expect(losersIn(await pullAll())).toEqual([]);
  });

  test("[CF14] a fork's next write is none with what it had sent by its writer of before", async () => {
    const { writer, pullAll } = await world();
    // The older writer's clock is the greater one: its write stays where the fork's comes again.
    const [a, fork] = [writer("wz"), writer("wa")];
    await a.send(a.put("r1", { title: "one" }));
    fork.lamport = 0;
    const base = { title: entryOf(1, fork.id, "one") };
    await fork.send(fork.put("r1", { title: "one" }), fork.set("r1", { title: "two" }, base));
    const after = await pullAll();
    expect(losersIn(after)).toEqual([]);
    expect(valuesOf(after.states.get(recordOne))).toEqual({ title: "two" });
  });

  test.each([
    ["somebody else's same write", "bob", 1, "two"],
    ["their own write of another lamport", "owner", 0, "two"],
    ["their own other value", "owner", 1, "another"],
  ] as const)("[CF14] %s is a conflict", async (_, by, lamport, title) => {
    const { writer, admit, owner, pullAll } = await world();
    const bob = await admit("bob", "writer");
    const [a, other] = [writer("wa"), writer("wf", by === "bob" ? bob.device : owner)];
    await a.send(a.put("r1", { title: "one" }));
    const base = { title: entryOf(1, a.id, "one") };
    await a.send(a.set("r1", { title: "two" }, base));
    await a.send(a.set("r1", { title: "three" }, { title: entryOf(2, a.id, "two") }));
    other.lamport = lamport;
    const answer = await other.send(other.set("r1", { title }, base));
    expect(answer).toMatchObject({ value: { results: [{ n: 1, result: "conflict" }] } });
    expect(losersIn(await pullAll())).toEqual([title]);
  });
}

const recordOne = "r1" as RecordId;

function losersIn({ states }: Pulled): readonly unknown[] {
  const conflicts = [...states.values()].filter((each) => each.collection === collections.conflict);
  return conflicts.map((each) => valuesOf(each)?.["value"]);
}
