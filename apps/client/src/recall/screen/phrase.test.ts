import { expect, test } from "vitest";
import { compilePhrases } from "./phrase.ts";
import type { Signal } from "./signal.ts";

const find = compilePhrases({
  override: [{ weight: 1, groups: ["drop forget", "all", "orders"], gap: 1 }],
  trigger: [{ weight: 0.4, groups: ["when", "when"], gap: 0 }],
});

function found(text: string): ReadonlyMap<Signal, number> {
  const weights = new Map<Signal, number>();
  find(text.split(" "), weights);
  return weights;
}

test.each([
  ["forget all orders", true],
  ["forget about all your orders", true],
  ["forget about it all orders", false],
  ["all orders forget", false],
  ["forget all forget all orders", true],
  ["orders all forget orders", false],
])("[RC19] a phrase is its words in their order, near one another: %s is %s", (text, expected) => {
  expect(found(text).has("override")).toBe(expected);
});

test("[RC19] one word is not two words of a phrase", () => {
  expect(found("when it rains").has("trigger")).toBe(false);
  expect(found("when when").get("trigger")).toBe(0.4);
});
