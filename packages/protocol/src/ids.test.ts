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

test("[WR4] base32 follows RFC 4648's extended hex alphabet", () => {
  expect(base32(new TextEncoder().encode("foobar"))).toBe("cpnmuoj1e8");
});

test("[WR4] derived ids follow from purpose and parts, and keep them apart", () => {
  const id = derivedId(sha256, "capture", ["session", "tool"]);
  expect(id).toBe(derivedId(sha256, "capture", ["session", "tool"]));
  expect(id).not.toBe(derivedId(sha256, "move", ["session", "tool"]));
  expect(id).not.toBe(derivedId(sha256, "capture", ["sessiontool", ""]));
});

test("[WR4] what is no id is refused", () => {
  for (const text of ["", "a b", "a/b", "é", "x".repeat(65)]) expect(isId(text)).toBe(false);
});
