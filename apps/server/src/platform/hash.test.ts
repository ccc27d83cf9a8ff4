import { expect, test } from "vitest";
import { sha256, sha256Hex, timingSafeEqual } from "./hash.ts";

test("SHA-256 of text is that of its UTF-8 bytes", () => {
  const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  expect(sha256Hex("abc")).toBe(abc);
  expect(sha256.hex("abc")).toBe(abc);
  expect(Buffer.from(sha256(new TextEncoder().encode("abc"))).toString("hex")).toBe(abc);
});

test("secrets of any length can be compared", () => {
  expect(timingSafeEqual("same", "same")).toBe(true);
  expect(timingSafeEqual("same", "other")).toBe(false);
  expect(timingSafeEqual("same", "sam")).toBe(false);
});
