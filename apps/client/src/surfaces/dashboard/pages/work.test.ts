import { expect, test } from "vitest";
import { settle } from "../../../store/testing/exchange.ts";
import { make, put, set, world } from "../../../store/testing/world.ts";
import { conflictsPage } from "./work.ts";

/** A page of a device on which so many values lost. */
async function shown(conflicts: number, offset: number): Promise<string> {
  const { server, a, b } = world();
  const names = Array.from({ length: conflicts }, (_, n) => `record${n}`);
  make(a, ...names.map((name) => put(name, { title: `first ${name}` })));
  settle(a, server);
  settle(b, server);
  make(a, ...names.map((name) => set(name, { title: "one" })));
  make(b, ...names.map((name) => set(name, { title: "other" })));
  for (const store of [a, b, a]) settle(store, server);
  return String(await conflictsPage({ memory: { store: a } as never }, offset));
}

test("[CF14] conflicts are shown 25 a page, and no link leads to an empty one", async () => {
  const first = await shown(26, 0);
  expect(first.match(/<form/g)).toHaveLength(25);
  expect(first).toContain('href="/conflicts?from=25"');
  const second = await shown(26, 25);
  expect(second.match(/<form/g)).toHaveLength(1);
  expect(second).toContain('href="/conflicts?from=0"');
  expect(second).not.toContain("More");
  expect(await shown(25, 0)).not.toContain("More");
  // What was settled meanwhile leaves a page behind that is none.
  expect((await shown(2, 25)).match(/<form/g)).toHaveLength(2);
  expect(await shown(0, 0)).toContain("No conflicts.");
});
