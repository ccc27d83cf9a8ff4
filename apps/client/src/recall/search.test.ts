import { unpairedNamespace } from "@tidemark/protocol";
import { expect, test } from "vitest";
import { put } from "../store/testing/world.ts";
import { testStore } from "../store/testing/test-store.ts";
import { searchObservations } from "./search.ts";

test("[RC11] where whole words find nothing, beginnings of words and parts of names do", () => {
  const store = testStore();
  const titles = { one: "Authentication needs the proxy", two: "The router drops the query" };
  for (const [id, title] of Object.entries(titles)) {
    store.changes.change(unpairedNamespace, [put(`record-${id}`, { title })], 1);
  }
  const titlesFor = (query: string): readonly string[] =>
    searchObservations(store.reads, query, { limit: 5 }).items.map(({ title }) => title);
  expect(titlesFor("auth")).toEqual([titles.one]);
  expect(titlesFor("MyApp.Router")).toEqual([titles.two]);
  expect(titlesFor("proxy auth")).toEqual([titles.one]);
  for (const none of ["zebra", "q*", "au", '"']) expect(titlesFor(none)).toEqual([]);
  store.close();
});
