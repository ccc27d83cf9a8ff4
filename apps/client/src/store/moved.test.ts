import { copyFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { localNamespace, type NamespaceId } from "@tidemark/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { storeFiles } from "../platform/store-files.ts";
import type { Store } from "./store.ts";
import { attempt } from "./store-error.ts";
import { memoryFolder } from "./testing/damage.ts";
import { testStore } from "./testing/test-store.ts";

let folder: string;

beforeEach(() => {
  folder = memoryFolder();
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const writes: readonly (readonly [string, (store: Store) => void])[] = [
  ["a note", ({ upkeep }) => upkeep.setMeta("note", "1")],
  ["a note that is taken away", ({ upkeep }) => upkeep.setMeta("note", undefined)],
  ["a notice that was read", ({ upkeep }) => upkeep.clearNotice(localNamespace)],
  ["a binding", ({ bindings }) => void bindings.bind("name:app", localNamespace)],
  ["the end of a binding", ({ bindings }) => bindings.unbind("name:app")],
  ["doubt of a log", ({ replicas }) => replicas.distrust("nse_1" as NamespaceId, "forged")],
  ["the end of all vectors", ({ vectors }) => vectors.clear()],
];

test.each(writes)("[ST17] a database that was replaced takes no write: %s", (_, write) => {
  const path = join(folder, "tidemark.db");
  const store = testStore({ path, files: storeFiles });
  expect(attempt(() => write(store))).toMatchObject({ ok: true });
  copyFileSync(path, `${path}.new`);
  renameSync(`${path}.new`, path);
  expect(attempt(() => write(store))).toMatchObject({ ok: false, error: { kind: "moved" } });
  store.close();
});
