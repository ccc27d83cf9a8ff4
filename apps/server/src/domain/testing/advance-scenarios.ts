import { limits } from "@tidemark/protocol";
import { expect, test } from "vitest";
import type { World } from "./world.ts";

/** What an answer tells of what its push alone made of a namespace. */
export function advanceScenarios(world: () => Promise<World>): void {
  test("[PS12] a push alone in its transaction is told what it made of the namespace", async () => {
    const { writer, pullAll } = await world();
    const a = writer("wa");
    await a.send(a.put("r1", { title: "one" }));
    const answer = await a.send(a.put("r2", { title: "two" }), a.set("r1", { summary: "added" }));
    const { tail } = await pullAll();
    const { cursor, digest, count, head } = tail;
    expect(head).toBe(3);
    expect(answer).toMatchObject({ value: { head, advance: { from: 1, cursor, digest, count } } });
  });

  test("[PS12] records get their seqs in the order in which the ops first touch them", async () => {
    const { writer, pullAll } = await world();
    const a = writer("wa");
    await a.send(a.put("r9", { title: "old" }), a.put("r5", { title: "old" }));
    await a.send(
      a.put("r7", { title: "new" }),
      a.set("r9", { summary: "added" }),
      a.set("r7", { summary: "added" }),
      a.put("r1", { title: "new" }),
    );
    expect([...(await pullAll()).states.keys()]).toEqual(["r5", "r7", "r9", "r1"]);
  });

  test("[PS12] pushes that shared a transaction are told nothing of it", async () => {
    const { writer } = await world();
    const [a, b, c] = [writer("wa"), writer("wb"), writer("wc")];
    const answers = await Promise.all([
      a.send(a.put("r1", { title: "first, alone" })),
      b.send(b.put("r2", { title: "together" })),
      c.send(c.put("r3", { title: "together" })),
    ]);
    const told = answers.map((answer) => answer.ok && "advance" in answer.value);
    expect(told).toEqual([true, false, false]);
  });

  test("[PS12] a push with a result that is not plain is told nothing of it", async () => {
    const { writer } = await world();
    const [a, b] = [writer("wa"), writer("wb")];
    await a.send(a.put("r1", { title: "of a" }));
    const refused = await a.send(a.put("r2", { title: "x".repeat(limits.opBytesMax) }));
    const conflict = await b.send(b.put("r1", { title: "of b" }));
    for (const answer of [refused, conflict]) {
      expect(answer.ok && answer.value.results).toHaveLength(1);
      expect(answer.ok && answer.value.advance).toBeUndefined();
    }
  });
}
