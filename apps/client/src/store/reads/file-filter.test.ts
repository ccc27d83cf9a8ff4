import { unpairedNamespace } from "@tidemark/protocol";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Store } from "../store.ts";
import { testStore } from "../testing/test-store.ts";
import { put } from "../testing/world.ts";

let store: Store;
beforeEach(() => {
  store = testStore();
  const save = (id: string, fields: Parameters<typeof put>[1]): void => {
    store.changes.change(unpairedNamespace, [put(id, { title: "login", ...fields })], 1);
  };
  save("record-read", { filesRead: ["src/http/auth.ts"], createdAt: 1_000 });
  save("record-changed", { filesModified: ["src/http/auth.ts"], createdAt: 2_000 });
  save("record-told", { narrative: "see src/http/auth.ts", createdAt: 3_000 });
  save("record-other", { filesModified: ["src/auth/http.ts"], createdAt: 4_000 });
});
afterEach(() => {
  store.close();
});

test.each(["src/http/auth.ts", "http/auth.ts", "auth.ts"])(
  "[RC21] %s finds what read or changed the file, in a list and in a search",
  (file) => {
    expect(store.reads.list({ file }).map(({ id }) => id)).toEqual([
      "record-changed",
      "record-read",
    ]);
    expect(store.reads.count({ file })).toBe(2);
    expect(store.reads.search('"login"', { file }).length).toBe(2);
    expect(store.reads.countMatches('"login"', { file, sinceMs: 2_000 })).toBe(1);
  },
);

test("[RC21] no file name raises an error of the index", () => {
  const file = fc.oneof(
    fc.string({ unit: "binary", maxLength: 60 }),
    fc.constantFrom('"', '""', "a\0b", "C++", "-x", "*", "🎉", "", " ", 'a" OR "b', "{title} : x"),
  );
  fc.assert(
    fc.property(file, (name) => {
      store.reads.list({ file: name });
      store.reads.search('"login"', { file: name });
    }),
    { numRuns: 100, seed: 20261123 },
  );
});
