import fc from "fast-check";
import { expect, test } from "vitest";
import { hmacSha256, sha256 } from "./hash.ts";
import { leanHmacSha256, leanSha256 } from "./lean-hash.ts";

test("[HK5] the hook's hash is SHA-256 for every length around a block", () => {
  for (let length = 0; length < 200; length += 1) {
    const text = "é".repeat(length >> 1) + "a".repeat(length & 1);
    expect(Buffer.from(leanSha256(text))).toEqual(Buffer.from(sha256(text)));
  }
});

test("[HK5] the hook's HMAC is HMAC-SHA-256 for every key and text", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 100 }),
      fc.string({ unit: "binary", maxLength: 300 }),
      (key, text) => {
        expect(Buffer.from(leanHmacSha256(key, text))).toEqual(Buffer.from(hmacSha256(key, text)));
        expect(Buffer.from(leanSha256(text))).toEqual(Buffer.from(sha256(text)));
      },
    ),
    { seed: 14, numRuns: 300 },
  );
});
