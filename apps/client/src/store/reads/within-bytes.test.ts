import { expect, test } from "vitest";
import { pullAll, settle } from "../testing/exchange.ts";
import { make, put, world } from "../testing/world.ts";

/** A store that has got notes of these lengths from another one, in this order. */
function storeOf(...lengths: readonly number[]) {
  const { server, a, b } = world();
  for (const [index, length] of lengths.entries()) {
    make(a, put(`note${index}`, { title: `word ${index}`, narrative: "n".repeat(length), createdAt: index })); // prettier-ignore
  }
  settle(a, server);
  pullAll(b, server);
  return b;
}

test("[ST25] within a bound of bytes the largest are left out, and the others keep their order", () => {
  const store = storeOf(500, 40_000, 700, 60_000, 300);
  const listed = (bytesMax?: number) =>
    store.reads.list({ bytesMax, limit: 10 }).map(({ id }) => id);
  expect(listed()).toEqual(["note4", "note3", "note2", "note1", "note0"]);
  expect(listed(50_000)).toEqual(["note4", "note2", "note1", "note0"]);
  expect(listed(10_000)).toEqual(["note4", "note2", "note0"]);
  expect(listed(100)).toEqual([]);
});

test("[ST25] what was not sent yet is read, and is not counted", () => {
  const store = storeOf(500);
  make(store, put("own", { title: "word", narrative: "n".repeat(5_000) }));
  expect(store.reads.list({ bytesMax: 2_000 }).map(({ id }) => id)).toContain("own");
});

test("[ST25] a search keeps to the bound as well", () => {
  const store = storeOf(500, 40_000, 700);
  const found = (bytesMax?: number) =>
    store.reads.search("word", { bytesMax }).map(({ observation }) => observation.id);
  expect(found().toSorted()).toEqual(["note0", "note1", "note2"]);
  expect(found(10_000).toSorted()).toEqual(["note0", "note2"]);
});
