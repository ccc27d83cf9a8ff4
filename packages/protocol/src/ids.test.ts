import { expect, test } from "vitest";
import {
  base32,
  derivedId,
  deviceId,
  isId,
  namespaceId,
  recordId,
  userId,
  writerId,
} from "./ids.ts";
import { sha256 } from "./testing/sha256.ts";

const bytes = Uint8Array.from({ length: 16 }, (_, index) => index * 16);

test("[WR4] ids are 128 bits in lower-case base32, with a prefix that says what they name", () => {
  expect(recordId(bytes)).toHaveLength(26);
  for (const id of [recordId(bytes), writerId(bytes), namespaceId(bytes), deviceId(bytes)]) {
    expect(isId(id)).toBe(true);
  }
  expect(namespaceId(bytes)).toMatch(/^ns_/);
  expect(deviceId(bytes)).toMatch(/^dev_/);
  expect(userId(bytes)).toMatch(/^usr_/);
});

test("[WR4] an id is made of the first 16 bytes, however many there are", () => {
  const more = Uint8Array.of(...bytes, 255);
  for (const make of [recordId, writerId, namespaceId, deviceId, userId]) {
    expect(make(more)).toBe(make(bytes));
    expect(make(more).endsWith(base32(bytes))).toBe(true);
  }
});

test("[WR4] base32 follows RFC 4648's extended hex alphabet", () => {
  const encoded = ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map((text) =>
    base32(new TextEncoder().encode(text)),
  );
  expect(encoded).toEqual(["", "co", "cpng", "cpnmu", "cpnmuog", "cpnmuoj1", "cpnmuoj1e8"]);
  expect(base32(Uint8Array.of(255, 255, 255, 255, 255))).toBe("vvvvvvvv");
});

test("[WR4] derived ids follow from purpose and parts, and keep them apart", () => {
  const id = derivedId(sha256, "capture", ["session", "tool"]);
  expect(id).toBe(derivedId(sha256, "capture", ["session", "tool"]));
  expect(id).not.toBe(derivedId(sha256, "move", ["session", "tool"]));
  expect(id).not.toBe(derivedId(sha256, "capture", ["sessiontool", ""]));
  expect(id).toBe("3468gba0a1iu714c5sn2rfl3mc");
});

test("[WR4] what is no id is refused", () => {
  for (const text of ["", "a b", "a/b", "é", " a", "a ", "x".repeat(65)]) {
    expect(isId(text)).toBe(false);
  }
  for (const text of ["a", "A-Z_09", "x".repeat(64)]) expect(isId(text)).toBe(true);
});
