import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject, NamespaceId, RecordId } from "@tidemark/protocol";
import type { Change } from "../local-store.ts";
import type { Replica } from "../replica-store.ts";
import type { Store } from "../store.ts";
import { pairedStore, pullAll, settle } from "./exchange.ts";
import { TestServer } from "./test-server.ts";
import { scrubbed, seededRandom, testStore } from "./test-store.ts";

export const namespace = "ns_1" as NamespaceId;
export const at = 1000;
let clones = 0;
export const id = (text: string): RecordId => text as RecordId;

export function put(record: string, fields: JsonObject, parent?: string): Change {
  const under = parent === undefined ? {} : { parent: id(parent) };
  return {
    kind: "put",
    id: id(record),
    collection: "observation",
    fields: scrubbed(fields),
    ...under,
  };
}

export function set(record: string, fields: JsonObject): Change {
  return { kind: "set", id: id(record), fields: scrubbed(fields) };
}

export function make(store: Store, ...changes: readonly Change[]): void {
  const made = store.changes.change(namespace, changes, at);
  if (!made.ok) throw new Error(made.error.kind);
}

export function world(): { readonly server: TestServer; readonly a: Store; readonly b: Store } {
  const server = new TestServer(namespace);
  const a = pairedStore(server, { random: seededRandom("a") });
  const b = pairedStore(server, { random: seededRandom("b") });
  return { server, a, b };
}

/** A record that the second store has forgotten, of which the first has not heard yet. */
export function forgottenUnseen(): ReturnType<typeof world> {
  const { server, a, b } = world();
  make(a, put("record1", { title: "one" }));
  settle(a, server);
  settle(b, server);
  make(b, { kind: "forget", id: id("record1") });
  settle(b, server);
  return { server, a, b };
}

/** Two stores that have named one record otherwise at the same time; the second syncs last. */
export function disagreeing(theirs: string, ours: string): ReturnType<typeof world> {
  const { server, a, b } = world();
  make(a, put("record1", { title: "first" }));
  settle(a, server);
  pullAll(b, server);
  make(a, set("record1", { title: theirs }));
  make(b, set("record1", { title: ours }));
  settle(a, server);
  settle(b, server);
  pullAll(a, server);
  return { server, a, b };
}

export function title(store: Store, record = "record1"): unknown {
  return store.reads.get(namespace, id(record))?.fields["title"];
}

export function replica(store: Store): Replica {
  const found = store.replicas.replica(namespace);
  if (found === undefined) throw new Error("no replica");
  return found;
}

/** A copy of a store as it is now, as a cloned or restored home is. */
export function cloneOf(store: Store): Store {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-clone-"));
  const path = join(folder, "clone.db");
  try {
    store.upkeep.backupTo(path);
    clones += 1;
    return testStore({ path, random: seededRandom(`clone ${clones}`) });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
