import type { RecordId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import type { Entry } from "./draft-entry.ts";
import { createFamilies } from "./families.ts";
import { emptyKnown, emptyMissing } from "./known.ts";

test("[TB12] however many there are below a record, a forget buries all of them at once", () => {
  const known = emptyKnown();
  const parent = "parent" as RecordId;
  const children = Array.from({ length: 200_000 }, (_, index) => ({
    id: `child${index}` as RecordId,
    collection: "observation",
    parent,
    digest: "0".repeat(16),
    bytes: 2,
  }));
  known.children.set(parent, children);
  const entries = new Map<RecordId, Entry>();
  const buried = createFamilies(known, emptyMissing(), entries).bury(parent, undefined);
  expect([buried.length, entries.size]).toEqual([children.length, children.length]);
});
