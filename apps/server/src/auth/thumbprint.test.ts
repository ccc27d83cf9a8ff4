import { expect, test } from "vitest";
import { canonicalKey } from "./thumbprint.ts";
import { createTestDevice } from "./testing/device.ts";

test("[AU2] a key has one spelling and one thumbprint", async () => {
  const { key, thumbprint } = await createTestDevice("a");
  expect(await canonicalKey({ ...key })).toEqual({ ok: true, value: { key, thumbprint } });
});

test("[AU2] other spellings of the same key are refused", async () => {
  const { key } = await createTestDevice("a");
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const last = alphabet.indexOf(key.x.at(-1) ?? "");
  for (const spare of [1, 2, 3]) {
    const x = key.x.slice(0, -1) + (alphabet[last ^ spare] ?? "");
    expect(await canonicalKey({ ...key, x })).toEqual({
      ok: false,
      error: { kind: "invalid-key" },
    });
  }
});

test("[AU2] what is not an Ed25519 public key and nothing more is refused", async () => {
  const { key } = await createTestDevice("a");
  const wrong = [
    { ...key, d: key.x },
    { ...key, kid: "a" },
    { ...key, kty: "EC", crv: "P-256" },
    { ...key, crv: "X25519" },
    { kty: "oct", k: key.x },
    { ...key, x: key.x.slice(1) },
    { ...key, x: "" },
    null,
    "key",
    [],
  ];
  for (const jwk of wrong) expect((await canonicalKey(jwk)).ok).toBe(false);
});
