import { expect, test } from "vitest";
import { sealCipher } from "./seal-cipher.ts";

const bytes = (hex: string): Uint8Array => Buffer.from(hex, "hex");
// McGrew and Viega, "The Galois/Counter Mode of Operation", test case 14: a key, a nonce and a
// block of zeros.
const zeroKey = new Uint8Array(32);
const zeros = { nonce: new Uint8Array(12), text: "\0".repeat(16), additional: "" };

test("[EE1] AES-256-GCM gives what its authors' test case says", () => {
  const sealed = Buffer.from(sealCipher.encrypt(zeroKey, zeros), "base64url").toString("hex");
  expect(sealed).toBe(
    `${"00".repeat(12)}cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919`,
  );
});

test("[EE3] HMAC-SHA-256 gives what RFC 4231 says", () => {
  const hmac = Buffer.from(sealCipher.hmac(bytes("0b".repeat(20)), "Hi There")).toString("hex");
  expect(hmac).toBe("b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
});

test("[EE1] what was changed, cut or spelled in another way does not open (abuse 144)", () => {
  const key = new Uint8Array(32).fill(7);
  const sealing = { nonce: new Uint8Array(12).fill(1), text: "né😀", additional: "a" };
  const body = sealCipher.encrypt(key, sealing);
  expect(sealCipher.decrypt(key, { body, additional: "a" })).toBe("né😀");
  expect(sealCipher.decrypt(key, { body, additional: "b" })).toBeUndefined();
  expect(sealCipher.decrypt(zeroKey, { body, additional: "a" })).toBeUndefined();
  for (const bent of [`${body}A`, body.slice(0, -2), "", "AAAA", `${body}=`, ` ${body}`]) {
    expect(sealCipher.decrypt(key, { body: bent, additional: "a" })).toBeUndefined();
  }
});
