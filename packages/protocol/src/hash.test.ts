import { expect, test } from "vitest";
import { chainNext, chainStart } from "./chain.ts";
import { hex, sha256Hex, type Sha256 } from "./hash.ts";
import type { WriterId } from "./ids.ts";
import { sha256 } from "./testing/sha256.ts";
import { valueHash } from "./value-hash.ts";

test("every byte is two lower-case hex characters", () => {
  expect(hex(Uint8Array.of(0, 9, 15, 16, 171, 255))).toBe("00090f10abff");
});

test("a platform's own hex is taken where it has one", () => {
  const own: Sha256 = Object.assign((text: string) => sha256(text), { hex: () => "0f" });
  expect(sha256Hex(own, "a")).toBe("0f");
  expect(sha256Hex(sha256, "a")).toBe(hex(sha256("a")));
});

// Hashes travel: a later version must give them the same way.
test("[CH1] a chain is the same in every version", () => {
  const start = chainStart(sha256, "w1" as WriterId);
  expect(start).toBe("884c9f80c8dedf9116000cebce0d6071491bfb508599d33d846b867c763c7b09");
  expect(chainNext(sha256, start, "line")).toBe(
    "186ef625bd1a5ca1f8e2a7ce2faacc6d759b2ec1f591da57568f14d740b8f114",
  );
});

test("[CF1] a value's hash is the same in every version, whatever the order of its members", () => {
  expect(valueHash(sha256, { b: 1, a: ["x"] })).toBe("jfue30319q5avvka");
  expect(valueHash(sha256, { a: ["x"], b: 1 })).toBe("jfue30319q5avvka");
});
