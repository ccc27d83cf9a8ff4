import { expect, test } from "vitest";
import { heldHash, heldText, holdSame } from "./held-value.ts";
import type { WriterId } from "./ids.ts";
import type { JsonValue } from "./json.ts";
import type { Register } from "./record.ts";
import { sha256 } from "./testing/sha256.ts";
import { valueHash } from "./value-hash.ts";

function holding(value: JsonValue): Register {
  return { value, clock: { lamport: 1, writer: "a" as WriterId }, at: 7 };
}

test("[CF1] the text and the hash of a held value are made once", () => {
  let reads = 0;
  const value = {
    get member(): string {
      reads += 1;
      return "read";
    },
  };
  const register = holding(value);
  expect(heldText(register)).toBe('{"member":"read"}');
  expect(heldText(register)).toBe('{"member":"read"}');
  expect(reads).toBe(1);
  let hashed = 0;
  const counting = (text: string): Uint8Array => {
    hashed += 1;
    return sha256(text);
  };
  expect(heldHash(counting, register)).toBe(valueHash(sha256, value));
  expect(heldHash(counting, register)).toBe(valueHash(sha256, value));
  expect(hashed).toBe(1);
});

test.each<[JsonValue, JsonValue, boolean]>([
  ["a", "a", true],
  ["a", "b", false],
  [1, "1", false],
  [-0, 0, true],
  [null, null, true],
  [null, {}, false],
  [{ a: 1, b: [2] }, { b: [2], a: 1 }, true],
  [{ a: 1 }, { a: 2 }, false],
  [[], {}, false],
  ["[]", [], false],
  [[], "[]", false],
])("[CF4] %j and %j are the same value: %s", (left, right, isSame) => {
  expect(holdSame(holding(left), holding(right))).toBe(isSame);
});
