import { unpairedNamespace } from "@tidemark/protocol";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Store } from "../store.ts";
import { testStore } from "../testing/test-store.ts";
import { put } from "../testing/world.ts";

let store: Store;
beforeEach(() => {
  store = testStore();
});
afterEach(() => {
  store.close();
});

function save(id: string, title: string, createdAt: number, session?: string): void {
  const fields = { title, createdAt, ...(session === undefined ? {} : { session }) };
  const saved = store.changes.change(unpairedNamespace, [put(id, fields)], createdAt);
  if (!saved.ok) throw new Error(saved.error.kind);
}

const search = (match: string, window: { limit?: number; offset?: number } = { limit: 10 }) =>
  store.reads.search(match, window).map(({ observation }) => observation.id);

test("[RC20] of two equal matches the one beside another match of its session comes first", () => {
  save("record-beside", "login broken", 1_000, "session-a");
  save("record-strong", "cookie cookie cookie", 2_000, "session-a");
  save("record-alone", "login broken", 3_000, "session-b");
  save("record-apart", "login broken", 4_000);
  // Newer ones come first where nothing else tells: only the neighbour can turn that round.
  expect(search("login")).toEqual(["record-apart", "record-alone", "record-beside"]);
  expect(search("login OR cookie").slice(0, 2)).toEqual(["record-strong", "record-beside"]);
});

test("[RC20] what stands between two matches parts them", () => {
  save("record-first", "login broken", 1_000, "session-a");
  save("record-between", "unrelated words here", 2_000, "session-a");
  save("record-strong", "cookie cookie cookie", 3_000, "session-a");
  save("record-alone", "login broken", 4_000, "session-b");
  const found = search("login OR cookie");
  expect(found).toEqual(["record-strong", "record-alone", "record-first"]);
});

test("[RC20] neighbours change the order alone, and pages follow each other", () => {
  const words = ["login", "cookie", "cache", "parser"] as const;
  const one = fc.record({
    words: fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 4 }),
    session: fc.constantFrom("s-1", "s-2", undefined),
    at: fc.integer({ min: 1, max: 5 }),
  });
  fc.assert(
    fc.property(fc.array(one, { minLength: 1, maxLength: 12 }), (drafts) => {
      store.close();
      store = testStore();
      for (const [index, draft] of drafts.entries()) {
        save(`record-${index}`, draft.words.join(" "), draft.at, draft.session);
      }
      const all = search("login OR cache", {});
      const wanted = drafts.flatMap((draft, index) =>
        draft.words.some((word) => word === "login" || word === "cache") ? [`record-${index}`] : [],
      );
      expect(all.toSorted()).toEqual(wanted.toSorted());
      const pages = [0, 3, 6, 9].flatMap((offset) =>
        search("login OR cache", { limit: 3, offset }),
      );
      expect(pages).toEqual(all);
    }),
    { numRuns: 100, seed: 20261123 },
  );
});
