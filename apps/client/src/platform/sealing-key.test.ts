import { createPrivateKey, diffieHellman, createPublicKey } from "node:crypto";
import { expect, test } from "vitest";
import { newDeviceKey } from "./device-key.ts";
import { sealingKeyOf } from "./sealing-key.ts";

test("[EE7] a device's key for wraps follows from its own key, and says nothing of it", () => {
  const device = newDeviceKey().privateJwk();
  const key = sealingKeyOf(device);
  expect(sealingKeyOf(device)).toEqual(key);
  expect(sealingKeyOf(newDeviceKey().privateJwk()).x).not.toBe(key.x);
  expect(key.d).not.toBe(device.d);
  expect(key.x).not.toBe(device.x);
});

test("[EE7] it is an X25519 key: two of them agree on a secret", () => {
  const [one, other] = [newDeviceKey(), newDeviceKey()].map((key) =>
    sealingKeyOf(key.privateJwk()),
  );
  if (one === undefined || other === undefined) throw new Error("two keys");
  const secretOf = (own: typeof one, theirs: typeof one): string =>
    diffieHellman({
      privateKey: createPrivateKey({ key: { ...own }, format: "jwk" }),
      publicKey: createPublicKey({
        key: { kty: "OKP", crv: "X25519", x: theirs.x },
        format: "jwk",
      }),
    }).toString("hex");
  expect(secretOf(one, other)).toBe(secretOf(other, one));
});
