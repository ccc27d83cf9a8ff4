import type { NamespaceId, NamespaceKeys } from "@tidemark/protocol";
import { expect, test } from "vitest";
import { pair, settle } from "../testing/exchange.ts";
import { seededRandom, testStore } from "../testing/test-store.ts";
import { TestServer } from "../testing/test-server.ts";
import { at, id, put, set } from "../testing/world.ts";
import type { Change } from "../local-store.ts";
import type { Store } from "../store.ts";

const namespace = "nse_box" as NamespaceId;

function keysOf(...epochs: readonly number[]): NamespaceKeys {
  const key = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);
  return { namespace, names: key(99), epochs: new Map(epochs.map((one) => [one, key(one)])) };
}

function takeKeys(store: Store, ...epochs: readonly number[]): void {
  const epoch = Math.max(...epochs);
  const log = { namespace, length: epoch, head: `h${epoch}`, epoch, name: "box", entries: [] };
  store.replicas.takeSealing(log, keysOf(...epochs));
}

function device(server: TestServer, name: string, ...epochs: readonly number[]): Store {
  const store = testStore({ random: seededRandom(name) });
  takeKeys(store, ...epochs);
  pair(store, server);
  return store;
}

function make(store: Store, ...changes: readonly Change[]): void {
  expect(store.changes.change(namespace, changes, at).ok).toBe(true);
}

test("[EE28] a device knows which earlier keys it lacks, and how many records they would open", () => {
  const server = new TestServer(namespace);
  const a = device(server, "a", 1);
  make(a, put("first", { title: "one", kind: "note" }), put("whole", { title: "seen" }));
  settle(a, server);
  takeKeys(a, 1, 2);
  make(a, set("first", { title: "one, edited" }), put("second", { title: "two" }));
  settle(a, server);
  takeKeys(a, 1, 2, 3);
  const b = device(server, "b", 1, 3);
  settle(b, server);
  expect(b.replicas.sealing(namespace)).toMatchObject({ hasKey: true, missing: [2] });
  expect(b.reads.closedRecords(namespace)).toBe(2);
  expect(a.replicas.sealing(namespace)).toMatchObject({ hasKey: true, missing: [] });
  expect(a.reads.closedRecords(namespace)).toBe(0);
  takeKeys(b, 1, 2, 3);
  expect(b.replicas.sealing(namespace)?.missing).toEqual([]);
  expect(b.reads.closedRecords(namespace)).toBe(0);
});

test("[EE28] a missing key under which nothing stands any more closes nothing", () => {
  const server = new TestServer(namespace);
  const a = device(server, "a", 1, 2);
  make(a, put("first", { title: "one" }));
  settle(a, server);
  make(a, { kind: "forget", id: id("first") });
  settle(a, server);
  takeKeys(a, 1, 2, 3);
  const b = device(server, "b", 1, 3);
  settle(b, server);
  expect(b.replicas.sealing(namespace)?.missing).toEqual([2]);
  expect(b.reads.closedRecords(namespace)).toBe(0);
});
