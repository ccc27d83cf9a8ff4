import { isTombstone, type RecordId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import { settle } from "../testing/exchange.ts";
import { id, make, namespace, put, set, world } from "../testing/world.ts";

test("[HL22] a healed state is merged, and stands where the server says it stands", () => {
  const { server, a } = world();
  make(a, put("mother", { title: "m" }), put("other", { title: "o" }));
  make(a, put("record1", { title: "confirmed" }, "mother"));
  settle(a, server);
  make(a, set("record1", { title: "unsent" }));
  const plan = a.replicas.planPull(namespace);
  if (plan === undefined) throw new Error("a paired store can pull");
  const wanted: RecordId = id("record1");
  const answer = server.heal([], [wanted], 0);
  const healed = answer.records.map(({ state, ...rest }) => ({
    ...rest,
    state: isTombstone(state) ? state : { ...state, parent: id("other") },
  }));
  a.replicas.takeHealed(namespace, { ...answer, records: healed });
  const view = a.reads.get(namespace, wanted);
  expect(view).toMatchObject({ parent: "other", fields: { title: "unsent" } });
});
