import { createPublicKey, verify } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { calculateJwkThumbprint } from "jose";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadDeviceKey, loadOrCreateDeviceKey, newDeviceKey } from "./device-key.ts";

let path = "";
beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), "tidemark-key-")), "device.key");
});
afterEach(() => {
  rmSync(join(path, ".."), { recursive: true, force: true });
});

test("[OPS46] the key is made once, 0600, and read again", () => {
  expect(loadDeviceKey(path)).toEqual({ ok: true, value: undefined });
  const made = loadOrCreateDeviceKey(path);
  const again = loadOrCreateDeviceKey(path);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(made.ok && again.ok).toBe(true);
  if (made.ok && again.ok) expect(again.value.thumbprint).toBe(made.value.thumbprint);
});

test("[OPS46] signatures verify under the public key, and the thumbprint is RFC 7638", async () => {
  const key = newDeviceKey();
  const bytes = Buffer.from("what is signed");
  const publicKey = createPublicKey({ key: { ...key.publicJwk }, format: "jwk" });
  expect(verify(null, bytes, publicKey, key.sign(bytes))).toBe(true);
  expect(verify(null, Buffer.from("other"), publicKey, key.sign(bytes))).toBe(false);
  expect(key.thumbprint).toBe(await calculateJwkThumbprint({ ...key.publicJwk }));
  expect(key.privateJwk()).toMatchObject(key.publicJwk);
});

test("[OPS46] a damaged or readable key file is refused and never replaced (abuse 175)", () => {
  writeFileSync(path, '{"kty":"OKP"}', { mode: 0o600 });
  expect(loadOrCreateDeviceKey(path)).toMatchObject({ ok: false, error: { kind: "bad-key" } });
  writeFileSync(path, JSON.stringify(newDeviceKey().privateJwk()));
  chmodSync(path, 0o644);
  expect(loadOrCreateDeviceKey(path)).toMatchObject({ ok: false, error: { kind: "unsafe-file" } });
});
