import { expect, test } from "vitest";
import { createSigningKeys, rotateSigningKeys, signingKeyLifeMs } from "./signing-keys.ts";
import { createAuthDeps, createKeyShelf, createTestClock } from "./testing/auth-deps.ts";

function createKeys() {
  const clock = createTestClock();
  const accounts = createKeyShelf();
  const deps = { ...createAuthDeps(clock), accounts };
  return { clock, accounts, deps, keys: createSigningKeys(deps) };
}

test("[AU5] the first use makes the first key, and every key shows its algorithm", async () => {
  const { keys } = createKeys();
  const { kid } = await keys.active();
  const published = await keys.published();
  expect(published).toEqual([
    { kty: "OKP", crv: "Ed25519", x: expect.any(String), kid, alg: "Ed25519", use: "sig" },
  ]);
  expect(published[0]).not.toHaveProperty("d");
});

test("[AU5] a rotation is noticed within a minute, and the old key verifies a while longer", async () => {
  const { clock, deps, keys } = createKeys();
  const old = await keys.active();
  clock.advance(1);
  const { kid } = await rotateSigningKeys(deps);
  expect((await keys.active()).kid).toBe(old.kid);
  clock.advance(60_000);
  expect((await keys.active()).kid).toBe(kid);
  expect(await keys.verifier(old.kid)).toBeDefined();
  expect(await keys.published()).toHaveLength(2);
  clock.advance(605_001);
  expect(await keys.verifier(old.kid)).toBeUndefined();
  expect(await keys.published()).toHaveLength(1);
});

test("[AU5] another replica's new key is looked up at once", async () => {
  const { clock, deps, keys } = createKeys();
  await keys.active();
  clock.advance(2_000);
  const { kid } = await rotateSigningKeys(deps);
  expect(await keys.verifier(kid)).toBeDefined();
});

test("[AU5] unknown keys do not hammer the database", async () => {
  const { accounts, keys } = createKeys();
  await keys.active();
  const reads = accounts.reads();
  for (const kid of ["__proto__", "constructor", "", "../../etc/passwd", "' OR 1=1--"]) {
    expect(await keys.verifier(kid)).toBeUndefined();
  }
  expect(accounts.reads()).toBe(reads);
});

test("[AU5] a key that has signed for 30 days is replaced", async () => {
  const { clock, keys } = createKeys();
  const old = await keys.active();
  clock.advance(signingKeyLifeMs);
  expect((await keys.active()).kid).not.toBe(old.kid);
});
