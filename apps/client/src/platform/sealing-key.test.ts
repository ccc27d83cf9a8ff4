import { createPrivateKey, diffieHellman, createPublicKey } from "node:crypto";
import { expect, test } from "vitest";
import { newDeviceKey } from "./device-key.ts";
import { epochSecretOf, sealingKeyOf } from "./sealing-key.ts";

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

test("[EE23] what keys of epochs follow from is a device's own, and neither of its keys", () => {
  const device = newDeviceKey().privateJwk();
  const secret = Buffer.from(epochSecretOf(device)).toString("base64url");
  expect(Buffer.from(epochSecretOf(device)).toString("base64url")).toBe(secret);
  const others = [device.d, sealingKeyOf(device).d, newDeviceKey().privateJwk().d];
  expect(others).not.toContain(secret);
  expect(epochSecretOf(newDeviceKey().privateJwk())).not.toEqual(epochSecretOf(device));
});
