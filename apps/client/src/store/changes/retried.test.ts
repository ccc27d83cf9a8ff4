/** What a retry does to what else waits of its record. */
import { expect, test } from "vitest";
import { pushOnce, settle } from "../testing/exchange.ts";
import { id, make, namespace, put, set, world } from "../testing/world.ts";

test.each(["waits for its answer", "is refused again"])(
  "[OP28] what is written to a record that is nowhere stays in view where its put is sent again and %s",
  (what) => {
    const { server, a, b } = world();
    const fields = { title: "one", narrative: "told" };
    const shown = () => a.reads.get(namespace, id("record1"))?.fields;
    make(a, put("record1", { title: "one" }));
    server.refusals.set("record1", "quota");
    pushOnce(a, server);
    make(a, set("record1", { narrative: "told" }));
    const [op] = a.reads.rejected();
    if (op === undefined) throw new Error("the put is refused");
    expect(a.changes.retryRejected(op, 1)).toMatchObject({ ok: true });
    if (what === "is refused again") settle(a, server);
    expect(shown()).toEqual(fields);
    expect(a.reads.search("told", {})).toHaveLength(1);
    server.refusals.clear();
    for (const each of a.reads.rejected()) a.changes.retryRejected(each, 1);
    settle(a, server);
    settle(b, server);
    expect([shown(), b.reads.get(namespace, id("record1"))?.fields]).toEqual([fields, fields]);
    expect([a.reads.rejected(), a.reads.conflicts()]).toEqual([[], []]);
  },
);
