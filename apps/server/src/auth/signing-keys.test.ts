import { expect, test } from "vitest";
import { createKeyVault } from "./key-vault.ts";
import { createSigningKeys, turnSigningKeys } from "./signing-keys.ts";
import { areMastersMany, publishedAheadMs, signingKeyLifeMs } from "./signing-key-rules.ts";
import { createAuthDeps, createKeyShelf, createTestClock, openVault } from "./testing/auth-deps.ts";

function createKeys() {
  const clock = createTestClock();
  const accounts = createKeyShelf();
  const deps = { ...createAuthDeps(clock), vault: openVault, accounts };
  return { clock, accounts, deps, keys: createSigningKeys(deps) };
}

function createVault(name: string) {
  const key = new Uint8Array(32).fill(name.charCodeAt(0));
  return createKeyVault(createAuthDeps(createTestClock()), key);
}

test("[AU5] the first use makes a key that signs and one that waits, both published", async () => {
  const { keys } = createKeys();
  const { kid } = await keys.active();
  const published = await keys.published();
  expect(published).toHaveLength(2);
  for (const key of published) {
    expect(key).toEqual({
      kty: "OKP",
      crv: "Ed25519",
      x: expect.any(String),
      kid: expect.any(String),
      alg: "Ed25519",
      use: "sig",
    });
  }
  expect(published.map((key) => key.kid)).toContain(kid);
});

test("[AU5] a rotation is noticed with the next token, and the old key verifies a while longer", async () => {
  const { clock, deps, keys } = createKeys();
  const old = await keys.active();
  clock.advance(1);
  await turnSigningKeys(deps, { turn: "now" });
  expect((await keys.active()).kid).not.toBe(old.kid);
  expect(await keys.verifier(old.kid)).toBeDefined();
  expect(await keys.published()).toHaveLength(3);
  clock.advance(665_001);
  expect(await keys.verifier(old.kid)).toBeUndefined();
  expect(await keys.published()).toHaveLength(2);
});

test("[AU5] a key that waits signs nothing, and what it has signed is refused (abuse 50)", async () => {
  const { clock, accounts, deps, keys } = createKeys();
  const { kid } = await keys.active();
  const next = (await accounts.signingKeys()).find(({ status }) => status === "next")?.kid ?? "";
  clock.advance(2_000);
  expect(await keys.verifier(next)).toBeUndefined();
  await turnSigningKeys(deps, { turn: "now" });
  expect((await keys.active()).kid).toBe(next);
  expect(await keys.verifier(next)).toBeDefined();
  expect(await keys.verifier(kid)).toBeDefined();
  clock.advance(665_001);
  expect(await keys.verifier(kid)).toBeUndefined();
});

test("[AU5] an order to rotate waits until the next key was published for a day", async () => {
  const { clock, deps, keys } = createKeys();
  const { kid } = await keys.active();
  await turnSigningKeys(deps, { turn: "soon" });
  clock.advance(publishedAheadMs - 1);
  expect((await keys.active()).kid).toBe(kid);
  clock.advance(1);
  const second = (await keys.active()).kid;
  expect(second).not.toBe(kid);
  clock.advance(publishedAheadMs);
  expect((await keys.active()).kid).toBe(second);
  await turnSigningKeys(deps, { turn: "soon" });
  expect((await keys.active()).kid).not.toBe(second);
});

test("[AU5] another replica's new key is looked up at once", async () => {
  const { clock, deps, keys } = createKeys();
  await keys.active();
  clock.advance(2_000);
  await turnSigningKeys(deps, { turn: "anew" });
  const { kid } = await createSigningKeys(deps).active();
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

test("[AU5] a key that has signed for 30 days gives way to the one that was published all along", async () => {
  const { clock, accounts, keys } = createKeys();
  const old = await keys.active();
  const next = (await accounts.signingKeys()).find(({ status }) => status === "next")?.kid;
  clock.advance(signingKeyLifeMs - 1);
  expect((await keys.active()).kid).toBe(old.kid);
  clock.advance(1);
  expect((await keys.active()).kid).toBe(next);
});

test("[AU20] a revoked key signs and verifies no more, whichever it was", async () => {
  const { accounts, deps, keys } = createKeys();
  for (const status of ["signing", "next", "retiring"] as const) {
    await keys.active();
    await turnSigningKeys(deps, { turn: "now" });
    const kid = (await accounts.signingKeys()).find((row) => row.status === status)?.kid ?? "";
    await turnSigningKeys(deps, { revoke: kid });
    expect((await keys.active()).kid).not.toBe(kid);
    expect(await createSigningKeys(deps).verifier(kid)).toBeUndefined();
    const states = (await accounts.signingKeys()).map((row) => row.status);
    expect(states.filter((state) => state === "signing")).toHaveLength(1);
    expect(states.filter((state) => state === "next")).toHaveLength(1);
  }
});

test("[AU19] what is stored signs nothing without the master key", async () => {
  const { accounts, deps } = createKeys();
  const vault = createVault("a");
  await createSigningKeys({ ...deps, vault }).active();
  for (const { jwk, sealed = "", kid } of await accounts.signingKeys()) {
    expect(JSON.parse(jwk)).not.toHaveProperty("d");
    expect(await vault.open(kid, sealed)).toHaveProperty("d");
    expect(await vault.open("another", sealed)).toBeUndefined();
    expect(await createVault("b").open(kid, sealed)).toBeUndefined();
    expect(await vault.open(kid, `${sealed.slice(0, -4)}AAAA`)).toBeUndefined();
  }
});

test("[AU19] with another master key another key signs, and each verifies the other's", async () => {
  const { clock, deps } = createKeys();
  const one = createSigningKeys({ ...deps, vault: createVault("a") });
  const two = createSigningKeys({ ...deps, vault: createVault("b") });
  const first = await one.active();
  const second = await two.active();
  expect(second.kid).not.toBe(first.kid);
  expect((await one.active()).kid).toBe(first.kid);
  clock.advance(1_000);
  expect(await one.verifier(second.kid)).toBeDefined();
  expect(await two.verifier(first.kid)).toBeDefined();
});

test("[AU19] keys of master keys that are lost are not kept for ever", async () => {
  const { clock, accounts, deps } = createKeys();
  for (let count = 0; count < 20; count += 1) {
    clock.advance(3_600_001);
    await createSigningKeys({ ...deps, vault: createVault(String.fromCharCode(count)) }).active();
  }
  const rows = await accounts.signingKeys();
  expect(rows.filter(({ status }) => status === "signing")).toHaveLength(8);
  expect(rows.filter(({ status }) => status === "next")).toHaveLength(8);
  clock.advance(2 * signingKeyLifeMs);
  await createSigningKeys(deps).active();
  expect(await accounts.signingKeys()).toHaveLength(2);
});

test("[AU19] nine replicas without a common master key come to rest, each with a key of its own", async () => {
  const { clock, accounts, deps } = createKeys();
  const names = Array.from({ length: 9 }, (_, at) => String(at));
  const replicas = names.map((name) => createSigningKeys({ ...deps, vault: createVault(name) }));
  const round = async (): Promise<readonly string[]> => {
    const kids = [];
    for (const replica of replicas) {
      clock.advance(1_000);
      kids.push((await replica.active()).kid);
    }
    return kids;
  };
  const kids = await round();
  expect(await round()).toEqual(kids);
  clock.advance(2 * 3_600_000);
  expect(await round()).toEqual(kids);
  expect(areMastersMany(await accounts.signingKeys())).toBe(true);
  const few = (await accounts.signingKeys()).filter(({ kid }) => kid !== kids[0]);
  expect(areMastersMany(few)).toBe(false);
});

test("[AU19] a key whose sealed part was changed is replaced", async () => {
  const { accounts, deps } = createKeys();
  const vault = createVault("a");
  const { kid } = await createSigningKeys({ ...deps, vault }).active();
  await accounts.changeSigningKeys((rows) => ({
    rows: rows.map((row) => ({ ...row, sealed: "a.b.c.d.e" })),
  }));
  const { kid: other } = await createSigningKeys({ ...deps, vault }).active();
  expect(other).not.toBe(kid);
});

test("[AU19] a key in plain of a server of before verifies on, and loses its private part at a start", async () => {
  const { clock, accounts, deps, keys } = createKeys();
  const jwk = { kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" };
  const plain = JSON.stringify({ ...jwk, d: "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A" });
  const row = { kid: "old", jwk: plain, status: "active", createdAtMs: clock.nowMs() } as const;
  await accounts.changeSigningKeys(() => ({ rows: [row] }));
  await keys.active();
  expect(await keys.verifier("old")).toBeDefined();
  expect((await accounts.signingKeys()).map(({ jwk: text }) => text)).toContain(plain);
  await turnSigningKeys(deps, { stripPlain: true });
  const left = (await accounts.signingKeys()).find(({ kid }) => kid === "old");
  expect(left).toMatchObject({ status: "retiring", jwk: JSON.stringify(jwk) });
  const later = createSigningKeys(deps);
  expect(await later.verifier("old")).toBeDefined();
  clock.advance(665_001);
  expect(await later.verifier("old")).toBeUndefined();
});
