import { expect, test } from "vitest";
import { settle } from "../store/testing/exchange.ts";
import type { Store } from "../store/store.ts";
import {
  box as namespace,
  boxDevice as device,
  takeBoxKeys as takeKeys,
} from "../store/testing/sealed-box.ts";
import { TestServer } from "../store/testing/test-server.ts";
import { testOptions } from "../store/testing/test-store.ts";
import { at, id, put } from "../store/testing/world.ts";
import { importLines, type ImportOptions, type ImportReport } from "./import.ts";
import { testScrub } from "./testing/scrub.ts";

function take(store: Store, lines: readonly string[], options: ImportOptions = {}): ImportReport {
  const { clock, random, sha256 } = testOptions();
  return importLines(
    { store, scrub: testScrub(), clock, random, sha256 },
    namespace,
    lines,
    options,
  );
}

test("[IM17] a record of which nothing opens for want of a key is told, and not put over", () => {
  const server = new TestServer(namespace);
  const a = device(server, "a", 1, 2);
  expect(a.changes.change(namespace, [put("first1", { title: "one" })], at).ok).toBe(true);
  settle(a, server);
  const lines = [...a.reads.exportLines(namespace)];
  const b = device(server, "b", 1, 3);
  settle(b, server);
  expect(b.reads.get(namespace, id("first1"))).toBeUndefined();
  const report = take(b, lines, { differing: "newer" });
  expect(report).toMatchObject({ added: 0, changed: 0, known: 1 });
  expect(report.differing).toMatchObject([{ id: "first1", namespace }]);
  expect(b.reads.waiting()).toEqual([]);
  takeKeys(b, 1, 2, 3);
  expect(take(b, lines)).toMatchObject({ known: 1, differing: [] });
});

test("[IM17, IM14] where the key will never come, a person can have the file's values over it", () => {
  const server = new TestServer(namespace);
  const a = device(server, "a", 2);
  expect(a.changes.change(namespace, [put("first1", { title: "one" })], at).ok).toBe(true);
  settle(a, server);
  const lines = [...a.reads.exportLines(namespace)];
  const b = device(server, "b", 3);
  settle(b, server);
  expect(take(b, lines, { differing: "file" })).toMatchObject({ changed: 1, differing: [] });
  expect(b.reads.get(namespace, id("first1"))?.fields["title"]).toBe("one");
});
