import { expect, test } from "vitest";
import { run } from "./rule.ts";
import { hasShape } from "./shape.ts";

test("[SC1] a text has a shape as a whole or not at all", () => {
  const parts = ["k-", run("digit", 2, 4), "-", run("lower", 3)];
  for (const text of ["k-12-abc", "k-1234-abc"]) expect([text, hasShape(text, parts)]).toEqual([text, true]); // prettier-ignore
  for (const text of [
    "k-1-abc",
    "k-12345-abc",
    "x-12-abc",
    "k-12_abc",
    "k-12-ab",
    "k-12-abcd",
    "k-12-abc ",
    "k-12-ab1",
    "k-12",
    "",
  ]) {
    expect([text, hasShape(text, parts)]).toEqual([text, false]);
  }
  expect([hasShape("", []), hasShape("a", [])]).toEqual([true, false]);
  expect([hasShape("", [run("digit", 0, 4)]), hasShape("12", [run("digit", 0, 4), "x"])]).toEqual([true, false]); // prettier-ignore
});
