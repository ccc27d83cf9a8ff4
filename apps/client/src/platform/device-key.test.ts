import { createPublicKey, verify } from "node:crypto";
import { calculateJwkThumbprint } from "jose";
import { expect, test } from "vitest";
import { newDeviceKey, parseDeviceKey } from "./device-key.ts";

test("[OPS46] signatures verify under the public key, and the thumbprint is RFC 7638", async () => {
  const key = newDeviceKey();
  const bytes = Buffer.from("what is signed");
  const publicKey = createPublicKey({ key: { ...key.publicJwk }, format: "jwk" });
  expect(verify(null, bytes, publicKey, key.sign(bytes))).toBe(true);
  expect(verify(null, Buffer.from("other"), publicKey, key.sign(bytes))).toBe(false);
  expect(key.thumbprint).toBe(await calculateJwkThumbprint({ ...key.publicJwk }));
  expect(key.privateJwk()).toMatchObject(key.publicJwk);
});

test("[OPS46] a key is read from its own text, and from nothing less", () => {
  const key = newDeviceKey();
  const jwk = key.privateJwk();
  expect(parseDeviceKey(JSON.stringify(jwk))?.thumbprint).toBe(key.thumbprint);
  for (const text of ["", "null", "[]", '{"kty":"OKP"}', JSON.stringify(key.publicJwk)])
    expect(parseDeviceKey(text)).toBeUndefined();
});
