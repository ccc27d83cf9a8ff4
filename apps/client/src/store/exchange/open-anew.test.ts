import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { chainStart, opLine, type Op, type WriterId } from "@tidemark/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sealCipher } from "../../platform/seal-cipher.ts";
import { pair, settle } from "../testing/exchange.ts";
import { seededRandom, testSha256, testStore } from "../testing/test-store.ts";
import { box as namespace, boxKeys, boxLog } from "../testing/sealed-box.ts";
import { TestServer } from "../testing/test-server.ts";
import { at, id, put } from "../testing/world.ts";
import type { OpenOptions } from "../open.ts";
import type { Store } from "../store.ts";

const keys = boxKeys(1);
const log = boxLog(1);

/** Opens nothing, as a version from before the present way of sealing. */
const earlierCipher: typeof sealCipher = {
  ...sealCipher,
  decrypt: (byKey, sealed) =>
    sealed.additional.includes("tidemark value 2") ? undefined : sealCipher.decrypt(byKey, sealed),
};

/** What happens once, right before the next transaction of a store with this probe. */
const before = {
  transaction: (): void => {},
  probe: (statement: string): void => {
    if (statement !== "BEGIN") return;
    const work = before.transaction;
    before.transaction = () => {};
    work();
  },
};

let path = "";
beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), "tidemark-open-anew-")), "memory.db");
});
afterEach(() => {
  rmSync(dirname(path), { recursive: true, force: true });
});

function device(server: TestServer, options: Partial<OpenOptions>): Store {
  const store = testStore(options);
  store.replicas.takeSealing(log, keys);
  pair(store, server);
  return store;
}

function make(store: Store, record: string): void {
  expect(store.changes.change(namespace, [put(record, { title: record })], at).ok).toBe(true);
}

function filled(): TestServer {
  const server = new TestServer(namespace);
  const other = device(server, { random: seededRandom("other") });
  make(other, "theirs");
  settle(other, server);
  return server;
}

test("[EE4, ST2] what another process does while this one opens values anew stays done", () => {
  const server = filled();
  const earlier = device(server, { path, random: seededRandom("a"), cipher: earlierCipher });
  settle(earlier, server);
  const later = testStore({ path, random: seededRandom("b"), probe: before.probe });
  before.transaction = () => {
    make(earlier, "mine");
  };
  expect(later.upkeep.openAnew()).toBe(true);
  expect(later.replicas.replica(namespace)?.notice).toBeUndefined();
  expect(later.upkeep.check()).toEqual([]);
  make(later, "another");
  settle(later, server);
  expect(server.states()).toHaveLength(3);
  earlier.close();
  later.close();
});

test("[EE4, ST2] of two programs that start at once after an update one does the work", () => {
  const server = filled();
  const first = device(server, { path, random: seededRandom("a") });
  const second = testStore({ path, random: seededRandom("b"), probe: before.probe });
  before.transaction = () => {
    expect(first.upkeep.openAnew()).toBe(true);
  };
  expect(second.upkeep.openAnew()).toBe(false);
  first.close();
  second.close();
});

test("[EE4] what opens for no version goes on being told, and so does whatever else is told", () => {
  const server = new TestServer(namespace);
  const store = device(server, { path, random: seededRandom("a") });
  const writer = "aaaaaaaaaaaaaaaaaaaaaaaaaa" as WriterId;
  const [record, fields] = [id("forged"), { title: "no member sealed this" }];
  const op: Op = { op: "put", n: 1, record, collection: "observation", lamport: 1, at, fields };
  const chain = chainStart(testSha256, writer);
  server.push({ header: { writer, after: 0, chain }, lines: [opLine(op)] });
  settle(store, server);
  const { notice } = store.replicas.replica(namespace) ?? {};
  expect(notice).toMatch(/gave out 1 value/);
  expect(store.upkeep.openAnew()).toBe(true);
  expect(store.replicas.replica(namespace)?.notice).toBe(notice);
  store.close();
});

test("[EE4] a namespace that is parked goes on saying so", () => {
  const store = device(filled(), { path, random: seededRandom("a") });
  store.replicas.takeNamespaces("server-1", []);
  const { notice } = store.replicas.replica(namespace) ?? {};
  expect(notice).toMatch(/no longer lists/);
  expect(store.upkeep.openAnew()).toBe(true);
  expect(store.replicas.replica(namespace)?.notice).toBe(notice);
  store.close();
});
