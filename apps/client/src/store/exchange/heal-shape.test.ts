import { isTombstone, type RecordId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import { pairedStore, pullAll, pushOnce, settle } from "../testing/exchange.ts";
import { TestServer } from "../testing/test-server.ts";
import { seededRandom } from "../testing/test-store.ts";
import { id, make, namespace, put, replica, set, world } from "../testing/world.ts";

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
  a.replicas.takeHealed(namespace, { ...answer, records: healed, from: 0 });
  const view = a.reads.get(namespace, wanted);
  expect(view).toMatchObject({ parent: "other", fields: { title: "unsent" } });
});

test("[HL37] a heal tells who made what it delivers: this device's person, or whom a page named", () => {
  const server = new TestServer(namespace);
  const identity = { device: { id: "dev_a", name: "a" }, user: { id: "usr_a", name: "ann" } };
  const a = pairedStore(server, { random: seededRandom("a"), identity });
  const b = pairedStore(server, { random: seededRandom("b") });
  make(a, put("of-a", { title: "a" }));
  pushOnce(a, server);
  make(b, put("of-b", { title: "b" }));
  pushOnce(b, server);
  pullAll(a, server);
  const authors = (): readonly unknown[] =>
    a.replicas
      .healLines(namespace, [id("of-a"), id("of-b")])
      .map(({ line }) => (JSON.parse(line) as { author?: string }).author);
  expect(authors()).toEqual(["usr_a", undefined]);
  const { writer } = replica(b);
  if (writer === undefined) throw new Error("a store that pushed has a writer");
  const person = { device: "dev_b", deviceName: "b", user: "usr_b", userName: "bob" };
  server.writers = [{ writer, ...person } as never];
  make(b, set("of-b", { title: "b again" }));
  pushOnce(b, server);
  pullAll(a, server);
  expect(authors()).toEqual(["usr_a", "usr_b"]);
});
