import { CompactEncrypt, FlattenedEncrypt, importJWK, type JWK } from "jose";
import type { LogState, NamespaceId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import { newDeviceKey, type DeviceKey } from "../../platform/device-key.ts";
import { sha256 } from "../../platform/hash.ts";
import { sealingKeyOf } from "../../platform/sealing-key.ts";
import { commitOf, type EpochKey } from "./epoch-key.ts";
import { openWrap, wrapKey, type Opening } from "./key-wrap.ts";
import { signText } from "./signed-text.ts";

const namespace = "nse_box" as NamespaceId;
const epochKey: EpochKey = {
  epoch: 2,
  key: new Uint8Array(32).fill(1),
  names: new Uint8Array(32).fill(2),
  name: "work",
};

interface Device {
  readonly id: string;
  readonly key: DeviceKey;
  readonly sealing: ReturnType<typeof sealingKeyOf>;
}

function device(id: string): Device {
  const key = newDeviceKey();
  return { id, key, sealing: sealingKeyOf(key.privateJwk()) };
}

const alice = device("dev_a");
const alices = device("dev_a2");
const bob = device("dev_b");
const mallory = device("dev_m");

function entry({ id, key, sealing }: Device, user: string, role: "admin" | "member") {
  const keys = { device: id, user, sig: key.publicJwk.x, enc: sealing.x };
  return [
    id,
    { ...keys, role, wasAdmin: role === "admin", isRemoved: false, by: "dev_a" },
  ] as const;
}

const log: LogState = {
  namespace,
  head: "h",
  length: 3,
  devices: new Map([
    entry(alice, "u_a", "admin"),
    entry(alices, "u_a", "member"),
    entry(bob, "u_b", "member"),
  ]),
  epoch: 2,
  epochs: new Map([[2, { commit: commitOf(sha256, epochKey), begun: undefined }]]),
  isRotationDue: false,
};

const openingOf = ({ id, sealing }: Device): Opening => ({
  sha256,
  log,
  device: id,
  jwk: { ...sealing },
});

async function wrapped(by: Device, to: Device, key = epochKey): Promise<string> {
  const from = { device: by.id, jwk: { ...by.key.privateJwk() } };
  return await wrapKey({ namespace, by: from, to: { device: to.id, enc: to.sealing.x } }, key);
}

const open = async (who: Device, wrap: string, epoch = 2) =>
  await openWrap(openingOf(who), { epoch, wrap });

test("[EE7] a key that an admin wraps for a device opens there and nowhere else", async () => {
  const wrap = await wrapped(alice, bob);
  expect(await open(bob, wrap)).toEqual(epochKey);
  expect(await open(alices, wrap)).toBe("not-for-us");
  expect(wrap.length).toBeLessThan(2000);
  const other = openingOf(bob);
  const elsewhere = { ...other, log: { ...log, namespace: "nse_other" as NamespaceId } };
  expect(await openWrap(elsewhere, { epoch: 2, wrap })).toBe("not-for-us");
  expect(await open(bob, wrap, 1)).toBe("not-for-us");
});

test("[EE7] one's own devices wrap for each other; members do not for others", async () => {
  expect(await open(alice, await wrapped(alices, alice))).toEqual(epochKey);
  expect(await open(alice, await wrapped(bob, alice))).toBe("not-from-a-member");
});

test("[EE7] [EE25] what a device wrapped while it was an admin's opens after it is one no more", async () => {
  const [id, keys] = entry(bob, "u_b", "member");
  const former = { ...keys, wasAdmin: true };
  const opening = openingOf(alice);
  const devices = new Map(log.devices).set(id, former);
  const wrap = await wrapped(bob, alice);
  const later = { ...opening, log: { ...log, devices } };
  expect(await openWrap(later, { epoch: 2, wrap })).toEqual(epochKey);
});

test("[EE7] a key that the server chose is refused, however it is signed (abuse 141)", async () => {
  const chosen = { ...epochKey, key: new Uint8Array(32).fill(9) };
  expect(await open(bob, await wrapped(mallory, bob, chosen))).toBe("not-from-a-member");
  const asAlice = await wrapped({ ...mallory, id: alice.id }, bob, chosen);
  expect(await open(bob, asAlice)).toBe("not-from-a-member");
  // Even a member's own device cannot put another key in the place of the one that the log names.
  expect(await open(bob, await wrapped(alice, bob, chosen))).toBe("another-key");
  const renamed = { ...epochKey, names: new Uint8Array(32).fill(9) };
  expect(await open(bob, await wrapped(alice, bob, renamed))).toBe("another-key");
  for (const text of ["", "a.b.c", "e30.e30.", "x".repeat(9000)]) {
    expect(await open(bob, text)).toBe("not-from-a-member");
  }
});

async function signedJwe(jwe: unknown, type = "tidemark-wrap+jws"): Promise<string> {
  const payload = { ns: namespace, ep: 2, by: alice.id, to: bob.id, enc: bob.sealing.x, jwe };
  return await signText({ ...alice.key.privateJwk() }, { type, payload });
}

const bytes = new TextEncoder().encode(JSON.stringify({ key: "k", names: "n", name: "x" }));

test("[EE7] other algorithms, compression and forms are refused before any work (abuse 145)", async () => {
  const secret = await importJWK(
    { kty: "oct", k: Buffer.alloc(32, 1).toString("base64url") },
    "dir",
  );
  const publicJwk: JWK = { kty: "OKP", crv: "X25519", x: bob.sealing.x };
  const recipient = await importJWK(publicJwk, "ECDH-ES");
  const direct = await new CompactEncrypt(bytes)
    .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
    .encrypt(secret);
  const agreed = await new CompactEncrypt(bytes)
    .setProtectedHeader({ alg: "ECDH-ES", enc: "A256GCM" })
    .encrypt(recipient);
  const cbc = await new CompactEncrypt(bytes)
    .setProtectedHeader({ alg: "ECDH-ES+A256KW", enc: "A128CBC-HS256" })
    .encrypt(recipient);
  const [, ...rest] = agreed.split(".");
  const header = (more: object): string =>
    Buffer.from(JSON.stringify({ alg: "ECDH-ES+A256KW", enc: "A256GCM", ...more })).toString(
      "base64url",
    );
  const zipped = [header({ zip: "DEF" }), ...rest].join(".");
  const slow = [header({ alg: "PBES2-HS256+A128KW", p2c: 1e9, p2s: "AAAA" }), ...rest].join(".");
  const flat = await new FlattenedEncrypt(bytes)
    .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
    .encrypt(secret);
  const startedAt = performance.now();
  for (const jwe of [direct, agreed, cbc, zipped, slow, "a.b.c.d.e"]) {
    expect(await open(bob, await signedJwe(jwe))).toBe("unreadable");
  }
  expect(await open(bob, await signedJwe(flat))).toBe("not-for-us");
  expect(performance.now() - startedAt).toBeLessThan(2000);
  expect(await open(bob, await signedJwe(direct, "JWT"))).toBe("not-from-a-member");
});

test("[EE7] what opens and holds no key of 32 bytes is unreadable", async () => {
  const recipient = await importJWK(
    { kty: "OKP", crv: "X25519", x: bob.sealing.x },
    "ECDH-ES+A256KW",
  );
  const good = Buffer.alloc(32, 1).toString("base64url");
  for (const held of [{}, { key: "k", names: good, name: "x" }, { key: good, names: good }, []]) {
    const jwe = await new CompactEncrypt(new TextEncoder().encode(JSON.stringify(held)))
      .setProtectedHeader({ alg: "ECDH-ES+A256KW", enc: "A256GCM" })
      .encrypt(recipient);
    expect(await open(bob, await signedJwe(jwe))).toBe("unreadable");
  }
});

test("[EE7] nothing is wrapped to a point that everybody shares a secret with", async () => {
  const enc = Buffer.alloc(32).toString("base64url");
  const by = { device: alice.id, jwk: { ...alice.key.privateJwk() } };
  const wrap = wrapKey({ namespace, by, to: { device: bob.id, enc } }, epochKey);
  await expect(wrap).rejects.toBeInstanceOf(Error);
});
