import { expect, test } from "vitest";
import { assertInvariant, InvariantError } from "./invariant.ts";

test("a bug is named and carries the facts it was found with", () => {
  const bug = new InvariantError("it is so", { n: 3 });
  expect(bug).toBeInstanceOf(Error);
  expect(bug).toMatchObject({ name: "InvariantError", message: "it is so", facts: { n: 3 } });
  expect(new InvariantError("it is so").facts).toEqual({});
});

test("what holds is let pass, what does not is thrown with its facts", () => {
  expect(() => {
    assertInvariant(true, "it is so");
  }).not.toThrow();
  expect(() => {
    assertInvariant(false, "it is so", { n: 3 });
  }).toThrow(expect.objectContaining({ message: "it is so", facts: { n: 3 } }));
});
