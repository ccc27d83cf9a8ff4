import { createHmac, scryptSync } from "node:crypto";
import { expect, test } from "vitest";
import { hmacSha256 } from "../../platform/hash.ts";
import { slowKey } from "../../platform/slow-hash.ts";
import { pairMac } from "./pair-mac.ts";

const secret = { half: "7KQ2XN", salt: "AAECAwQFBgcICQoLDA0ODw" };
const vouched = { thumbprint: "t".repeat(43), name: "thinkpad x1", serverId: "srv_1" };
const hashes = { hmacSha256, slowKey };

test("[PR3] the mac is HMAC-SHA-256 under scrypt of the half that no server sees", async () => {
  const salt = Buffer.from(secret.salt, "base64url");
  const key = scryptSync(secret.half, salt, 32, { N: 2 ** 16, r: 8, p: 1, maxmem: 2 ** 27 });
  const text = `${vouched.thumbprint}|thinkpad x1|srv_1`;
  const expected = createHmac("sha256", key).update(text).digest("base64url");
  expect(await pairMac(hashes, secret, vouched)).toBe(expected);
});

test("[PR3] another half, salt, key, name or server gives another mac", async () => {
  // The cost is the test above's business.
  const quick = {
    hmacSha256,
    slowKey: async (half: string, salt: Uint8Array) => hmacSha256(salt, half),
  };
  const macs = await Promise.all([
    pairMac(quick, secret, vouched),
    pairMac(quick, { ...secret, half: "7KQ2XM" }, vouched),
    pairMac(quick, { ...secret, salt: "BAECAwQFBgcICQoLDA0ODw" }, vouched),
    pairMac(quick, secret, { ...vouched, thumbprint: "u".repeat(43) }),
    pairMac(quick, secret, { ...vouched, name: "thinkpad x2" }),
    pairMac(quick, secret, { ...vouched, serverId: "srv_2" }),
  ]);
  expect(new Set(macs).size).toBe(6);
});
