import { expect, test } from "vitest";
import { settle } from "../testing/exchange.ts";
import {
  box as namespace,
  boxDevice as device,
  takeBoxKeys as takeKeys,
} from "../testing/sealed-box.ts";
import { TestServer } from "../testing/test-server.ts";
import { at, id, put, set } from "../testing/world.ts";
import type { Change } from "../local-store.ts";
import type { Store } from "../store.ts";

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
  expect(b.replicas.sealing(namespace)).toMatchObject({ hasKey: true });
  expect(b.reads.closedRecords(namespace)).toEqual({ missing: [2], count: 2 });
  expect(a.reads.closedRecords(namespace)).toEqual({ missing: [], count: 0 });
  takeKeys(b, 1, 2, 3);
  expect(b.reads.closedRecords(namespace)).toEqual({ missing: [], count: 0 });
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
  expect(b.reads.closedRecords(namespace)).toEqual({ missing: [2], count: 0 });
});
