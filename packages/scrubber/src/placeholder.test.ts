import { expect, test } from "vitest";
import { bytesToTag, isPlaceholder, placeholderEndAt, writePlaceholder } from "./placeholder.ts";

const tag = "abcdefgh2345";

test("[SC2] a placeholder is known whole, and by nothing less or more", () => {
  const one = writePlaceholder("github_pat", tag);
  expect(one).toBe("__SECRET_github_pat_abcdefgh2345__");
  expect(isPlaceholder(one)).toBe(true);
  for (const other of [`${one}_`, `_${one}`, one.slice(1), one.slice(0, -1), `${one}${one}`]) {
    expect(isPlaceholder(other)).toBe(false);
  }
  expect(isPlaceholder(writePlaceholder("Upper", tag))).toBe(false);
  expect(isPlaceholder(writePlaceholder("k", "abcdefgh1345"))).toBe(false);
  const ofLength = (chars: number): string => writePlaceholder("k".repeat(chars - 24), tag);
  expect(ofLength(128)).toHaveLength(128);
  expect([isPlaceholder(ofLength(128)), isPlaceholder(ofLength(129))]).toEqual([true, false]);
});

test("[SC2] a placeholder ends at the first double underscore, so neighbours are told apart", () => {
  const one = writePlaceholder("a_b", tag);
  const text = `x${one}${one}y`;
  expect(placeholderEndAt(text, 1)).toBe(1 + one.length);
  expect(placeholderEndAt(text, 1 + one.length)).toBe(1 + 2 * one.length);
  expect(placeholderEndAt(text, 2)).toBe(-1);
  expect(placeholderEndAt(one.slice(0, -1), 0)).toBe(-1);
  expect(placeholderEndAt(`__SECRET_a_${tag}`, 0)).toBe(-1);
  // The longest that is looked at: 62 characters between its ends.
  const long = (chars: number): string => writePlaceholder("k".repeat(chars - 13), tag);
  expect(placeholderEndAt(long(62), 0)).toBe(long(62).length);
  expect(placeholderEndAt(long(63), 0)).toBe(-1);
});

test("[SC3] a tag is the first 60 bits of the HMAC in base32", () => {
  expect(bytesToTag(Uint8Array.from([0, 0, 0, 0, 0, 0, 0, 0]))).toBe("aaaaaaaaaaaa");
  expect(bytesToTag(Uint8Array.from([255, 255, 255, 255, 255, 255, 255, 255]))).toBe(
    "777777777777",
  );
  // 0x0123456789abcdef in groups of five bits: 0 4 17 20 11 7 17 6 21 15 6 30.
  const bytes = [0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef];
  expect(bytesToTag(Uint8Array.from(bytes))).toBe("aerukz4jvpg6");
  expect(bytesToTag(Uint8Array.from([...bytes, 1, 2, 3]))).toBe("aerukz4jvpg6");
  expect(() => bytesToTag(Uint8Array.from(bytes.slice(1)))).toThrow(RangeError);
});
