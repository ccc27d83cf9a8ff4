import type { NamespaceId } from "@tidemark/protocol";
import type { NamespaceInfo } from "@tidemark/protocol/wire";
import { expect, test } from "vitest";
import { pair, pairedStore, settle } from "../testing/exchange.ts";
import { TestServer } from "../testing/test-server.ts";
import { testStore } from "../testing/test-store.ts";
import { at, make, namespace, put, replica, world } from "../testing/world.ts";

test("[NS10] pairing gives the personal namespace the server's id and sends what was captured before", () => {
  const server = new TestServer(namespace);
  const store = testStore();
  const personal = "personal" as NamespaceId;
  store.changes.change(personal, [put("record1", { title: "one" })], at);
  store.bindings.bind("project1", personal);
  expect(store.replicas.planPush(personal, { ops: 9, bytes: 9999 })).toBeUndefined();
  pair(store, server);
  expect(store.replicas.replica(personal)).toBeUndefined();
  settle(store, server);
  expect(server.state("record1")).toBeDefined();
  expect(store.bindings.namespaceOf("project1")).toBe(namespace);
  expect(store.reads.list({}).map((one) => one.namespace)).toEqual([namespace]);
  expect(store.upkeep.check()).toEqual([]);
});

test("[NS16] `personal` goes on meaning the personal namespace after pairing", () => {
  const { a } = world();
  const made = a.changes.change("personal" as NamespaceId, [put("record1", { title: "x" })], at);
  expect(made).toMatchObject({ ok: true, value: [{ namespace }] });
  expect(a.bindings.personal()).toBe(namespace);
});

test("[NS14] a namespace that is no longer listed is parked with all it holds, and comes back", () => {
  const { server, a } = world();
  make(a, put("record1", { title: "one" }));
  a.replicas.takeNamespaces("server-1", []);
  expect(replica(a)).toMatchObject({ status: "parked", unsent: 1 });
  expect(replica(a).notice).toContain("kept");
  expect(a.replicas.planPush(namespace, { ops: 9, bytes: 9999 })).toBeUndefined();
  expect(a.replicas.planPull(namespace)).toBeUndefined();
  expect([...a.reads.exportLines(namespace)].length).toBe(1);
  pair(a, server);
  expect(replica(a)).toMatchObject({ status: "active", notice: undefined });
  settle(a, server);
  expect(server.state("record1")).toBeDefined();
});

const team = (id: string): NamespaceInfo => {
  return { id: id as NamespaceId, name: id, kind: "team", role: "writer", head: 9 };
};

test("[NS27] what was parked and holds nothing is dropped when it is not listed again", () => {
  const { server, a } = world();
  const ids = (): readonly string[] =>
    a.replicas.replicas().flatMap(({ namespace: id, kind }) => (kind === "team" ? [id] : []));
  const others = ["bare", "bound", "confirmed", "given-up", "nse_bare", "written"].map(team);
  const write = (name: string): TestServer => {
    const id = name as NamespaceId;
    a.changes.change(id, [put("record1", { title: "x" })], at);
    return new TestServer(id);
  };
  pair(a, server, others);
  a.bindings.bind("project1", "bound" as NamespaceId);
  write("written");
  settle(a, write("confirmed"));
  const refusing = write("given-up");
  refusing.refusals.set("record1", "invalid");
  settle(a, refusing);
  for (const op of a.reads.rejected()) a.changes.dropRejected(op);
  pair(a, server);
  expect(a.replicas.replica("bare" as NamespaceId)).toMatchObject({ status: "parked" });
  pair(a, server);
  expect(ids()).toEqual(["bound", "confirmed", "written"]);
  pair(a, server, others);
  expect(a.replicas.replica("bare" as NamespaceId)).toMatchObject({ status: "active", head: 9 });
});

test("[NS27] what another server listed, and the personal one before pairing, is not dropped", () => {
  const store = testStore();
  store.replicas.takeNamespaces("server-1", [team("bare")]);
  for (let hello = 0; hello < 2; hello += 1) store.replicas.takeNamespaces("server-2", []);
  const ids = store.replicas.replicas().map(({ namespace: id }) => id);
  expect(ids).toEqual(expect.arrayContaining(["bare", "personal"]));
});

test("[NS15] a server that lists another server's namespace, or `local`, gets nothing of it", () => {
  const { server, a } = world();
  make(a, put("record1", { title: "one" }));
  settle(a, server);
  const info = { name: "x", kind: "personal", role: "owner", head: 9 } as const;
  a.replicas.takeNamespaces("server-2", [
    { ...info, id: namespace },
    { ...info, id: "local" as NamespaceId, kind: "team" },
  ]);
  expect(replica(a)).toMatchObject({ status: "parked", head: 1 });
  expect(a.replicas.replica("local" as NamespaceId)).toMatchObject({ kind: "local" });
  expect(a.replicas.planPull("local" as NamespaceId)).toBeUndefined();
  a.replicas.takeNamespaces("server-1", [{ ...info, id: namespace }]);
  expect(replica(a).status).toBe("active");
});

test("[PL23] the writers of a page become the authors of what they wrote", () => {
  const { server, a, b } = world();
  make(a, put("record1", { title: "one" }));
  settle(a, server);
  const writer = replica(a).writer;
  if (writer === undefined) throw new Error("no writer");
  server.writers = [
    {
      writer,
      device: "dev_a" as never,
      deviceName: "thinkpad",
      user: "usr_d" as never,
      userName: "dana",
    },
  ];
  settle(b, server);
  expect(b.reads.list({})[0]).toMatchObject({ author: { user: "dana", device: "thinkpad" } });
});

test("[NS18] projects that are bound to none go to the device's default, where it has that one", () => {
  const { server } = world();
  const placeOf = (defaultNamespace: string): NamespaceId => {
    const store = pairedStore(server, { defaultNamespace });
    store.bindings.bind("bound", namespace);
    expect(store.bindings.namespaceOf("bound")).toBe(namespace);
    return store.bindings.namespaceOf("other");
  };
  expect(placeOf("local")).toBe("local");
  expect(placeOf("Personal")).toBe(namespace);
  expect(placeOf("nowhere")).toBe(namespace);
});
