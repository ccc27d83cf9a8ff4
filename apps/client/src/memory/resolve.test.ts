import { expect, test } from "vitest";
import type { Store } from "../store/store.ts";
import { settle } from "../store/testing/exchange.ts";
import type { TestServer } from "../store/testing/test-server.ts";
import { testOptions } from "../store/testing/test-store.ts";
import { make, put, set, title, world } from "../store/testing/world.ts";
import type { MemoryDeps } from "./deps.ts";
import { resolveConflict, type Resolution } from "./resolve.ts";
import { canaries } from "./testing/canaries.ts";
import { testScrub } from "./testing/scrub.ts";

/** Two devices that set one title unaware of each other, and have synced. */
function conflicting(): { readonly server: TestServer; readonly a: Store; readonly b: Store } {
  const { server, a, b } = world();
  make(a, put("record1", { title: "start" }));
  for (const store of [a, b, a]) settle(store, server);
  make(a, set("record1", { title: "from a" }));
  make(b, set("record1", { title: "from b" }));
  for (const store of [a, b, a, b]) settle(store, server);
  return { server, a, b };
}

function resolve(store: Store, resolution: Resolution): ReturnType<typeof resolveConflict> {
  const { clock, random, sha256 } = testOptions();
  const deps: MemoryDeps = { store, scrub: testScrub(), clock, random, sha256 };
  return resolveConflict(deps, store.reads.conflicts()[0]?.id ?? "", resolution);
}

const [token = ""] = canaries;

test.each([
  ["the value that stands", { keep: "current" }, (current: unknown) => current],
  ["the value that lost", { keep: "losing" }, (_: unknown, losing: unknown) => losing],
  ["a third value", { keep: "other", value: "both" }, () => "both"],
] as const)("[CP64] a conflict is resolved with %s, on every device", (_, resolution, wanted) => {
  const { server, a, b } = conflicting();
  const [conflict] = a.reads.conflicts();
  expect(conflict?.field).toBe("title");
  const expected = wanted(conflict?.current, conflict?.value);
  expect(resolve(a, resolution)).toEqual({
    ok: true,
    value: { record: "record1", field: "title" },
  });
  for (const store of [a, b, a]) settle(store, server);
  for (const store of [a, b]) {
    expect(store.reads.conflicts()).toEqual([]);
    expect(title(store)).toBe(expected);
  }
});

test("[CP64] a value written to resolve a conflict is scrubbed", () => {
  const { a } = conflicting();
  expect(resolve(a, { keep: "other", value: `see ${token}` }).ok).toBe(true);
  expect(title(a)).toMatch(/^see __SECRET_/u);
});
