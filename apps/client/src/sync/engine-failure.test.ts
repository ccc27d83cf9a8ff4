import { expect, test } from "vitest";
import { failureOf, storeHintOf } from "./engine-failure.ts";

test("[ST9] trouble of the machine is told as what is wrong, with what to do about it", () => {
  const full = failureOf(Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" })); // prettier-ignore
  const title = "database or disk is full (SQLITE_FULL)";
  expect(full).toEqual({ family: "retry", code: "store-full", title });
  expect(storeHintOf(full.code)).toMatch(/^free some space/u);
});

test("[ST9] damage is no trouble that passes, and all else is a defect", () => {
  const corrupt = Object.assign(new Error("malformed"), { code: "SQLITE_CORRUPT" });
  expect(failureOf(corrupt)).toMatchObject({ family: "bug", code: "store-corrupt" });
  expect(failureOf(new Error("oops"))).toMatchObject({ family: "bug", code: "defect" });
});

test("[ST9] what is no failure of the store has no hint of one", () => {
  expect(["space-full", "store-", "store-constructor", "unreachable"].map(storeHintOf)).toEqual(
    Array.from({ length: 4 }),
  );
});
