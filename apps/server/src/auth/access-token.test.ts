import type { DeviceId, UserId } from "@tidemark/protocol";
import { decodeJwt, decodeProtectedHeader, SignJWT } from "jose";
import { describe, expect, test } from "vitest";
import { issueAccessToken, verifyAccessToken, type VerifiedHolder } from "./access-token.ts";
import { createKnownTokens } from "./known-tokens.ts";
import { createSigningKeys, type SigningKeys } from "./signing-keys.ts";
import { createAuthDeps, createKeyShelf, createTestClock, openVault } from "./testing/auth-deps.ts";
import { createTestDevice, forgedToken, proofParts } from "./testing/device.ts";

const holder = { user: "usr_a" as UserId, device: "dev_a" as DeviceId, thumbprint: "thumb" };
const invalid = { ok: false, error: { kind: "invalid-token" } };
const url = "https://tidemark.example";

function createDeps() {
  const clock = createTestClock();
  const deps = createAuthDeps(clock);
  const keys: SigningKeys = createSigningKeys({
    ...deps,
    vault: openVault,
    accounts: createKeyShelf(),
  });
  const knownTokens = createKnownTokens<VerifiedHolder>(deps);
  return { ...deps, clock, keys, knownTokens, publicUrls: [url] as const };
}

/** A token as the server signs it, but for what a test changes. */
async function signed(
  deps: ReturnType<typeof createDeps>,
  claims: object,
  header: object = {},
): Promise<string> {
  const { kid, key } = await deps.keys.active();
  const good = decodeJwt(await issueAccessToken(deps, holder));
  return await new SignJWT({ ...good, ...claims })
    .setProtectedHeader({ alg: "Ed25519", typ: "at+jwt", kid, ...header })
    .sign(key);
}

test("[AU4] a token says who, for ten minutes, and neither namespaces nor roles", async () => {
  const deps = createDeps();
  const token = await issueAccessToken(deps, holder);
  expect(await verifyAccessToken(deps, token)).toEqual({
    ok: true,
    value: { ...holder, kid: (await deps.keys.active()).kid },
  });
  const { iat = 0, ...claims } = decodeJwt(token);
  expect(claims).toEqual({
    iss: url,
    aud: `${url}/api`,
    sub: "usr_a",
    client_id: "dev_a",
    cnf: { jkt: "thumb" },
    exp: iat + 600,
    jti: expect.stringMatching(/^[\w-]{22}$/),
  });
  expect(decodeProtectedHeader(token)).toMatchObject({ alg: "Ed25519", typ: "at+jwt" });
});

test("[AU4] a token ends with its ten minutes, give or take replicas' clocks", async () => {
  const deps = createDeps();
  const token = await issueAccessToken(deps, holder);
  deps.clock.advance(604_000);
  expect((await verifyAccessToken(deps, token)).ok).toBe(true);
  deps.clock.advance(2_000);
  expect(await verifyAccessToken(deps, token)).toEqual(invalid);
});

test("[AU25] a token that was found good is good again until its time is over, and no longer", async () => {
  const deps = createDeps();
  const token = await issueAccessToken(deps, holder);
  const first = await verifyAccessToken(deps, token);
  expect(deps.knownTokens.find(token)).toMatchObject({ holder });
  deps.clock.advance(604_999);
  expect(await verifyAccessToken(deps, token)).toEqual(first);
  deps.clock.advance(1);
  expect(await verifyAccessToken(deps, token)).toEqual(invalid);
});

test("[AU25] a known token is not looked through again", async () => {
  const deps = createDeps();
  const { kid } = await deps.keys.active();
  const known = { holder: { ...holder, kid }, key: (await deps.keys.verifier(kid)) ?? {} };
  deps.knownTokens.remember("no token", { ...known, untilMs: deps.clock.nowMs() + 1000 });
  expect(await verifyAccessToken(deps, "no token")).toEqual({ ok: true, value: known.holder });
});

test("[AU25] a known token whose key is gone, or is another now, is looked through anew", async () => {
  const deps = createDeps();
  const token = await issueAccessToken(deps, holder);
  const good = await verifyAccessToken(deps, token);
  const gone = { ...deps.keys, verifier: () => Promise.resolve(undefined) };
  expect(await verifyAccessToken({ ...deps, keys: gone }, token)).toEqual(invalid);
  const other = createSigningKeys({ ...deps, vault: openVault, accounts: createKeyShelf() });
  const { key } = await other.active();
  const swapped = { ...deps.keys, verifier: () => Promise.resolve(key) };
  expect(await verifyAccessToken({ ...deps, keys: swapped }, token)).toEqual(invalid);
  expect(await verifyAccessToken(deps, token)).toEqual(good);
});

test("[AU25] a known token is not good before it was found so, where the clock is set back", async () => {
  const deps = createDeps();
  const token = await issueAccessToken(deps, holder);
  await verifyAccessToken(deps, token);
  deps.clock.advance(-60_000);
  expect(await verifyAccessToken(deps, token)).toEqual(invalid);
});

test("[AU25] what was refused is not remembered, and one letter more is another token", async () => {
  const deps = createDeps();
  const token = await issueAccessToken(deps, holder);
  const [head, claims] = token.split(".");
  const forged = `${head}.${claims}.${"A".repeat(86)}`;
  await verifyAccessToken(deps, token);
  for (const other of [forged, `${token}A`, token.slice(0, -1)]) {
    expect(await verifyAccessToken(deps, other)).toEqual(invalid);
    expect(deps.knownTokens.find(other)).toBeUndefined();
  }
});

describe("[AU3] refused", () => {
  const nowS = Math.floor(createTestClock().nowMs() / 1000);
  const wrongClaims: Record<string, object> = {
    "no expiry": { exp: undefined },
    "expiry as text": { exp: "soon" },
    "expiry beyond all time": { exp: 1e308 },
    "a life of eleven minutes": { exp: nowS + 660 },
    "not valid yet": { nbf: nowS + 60 },
    "made tomorrow": { iat: nowS + 86_400, exp: nowS + 86_600 },
    "no time of making": { iat: undefined },
    "another audience": { aud: "https://other.example/api" },
    "no audience": { aud: undefined },
    "several audiences, ours among them": { aud: [`${url}/api`, "https://other.example/api"] },
    "a list of only our audience": { aud: [`${url}/api`] },
    "issuer with a slash": { iss: `${url}/` },
    "issuer in capitals": { iss: "https://TIDEMARK.example" },
    "issuer over http": { iss: "http://tidemark.example" },
    "no id": { jti: undefined },
    "no key": { cnf: undefined },
    "an empty confirmation": { cnf: {} },
    "a key that is no text": { cnf: { jkt: 1 } },
    "no device": { client_id: undefined },
    "no person": { sub: undefined },
    "a person that is no id": { sub: "usr a' --" },
  };
  test.each(Object.entries(wrongClaims))("%s", async (_, claims) => {
    const deps = createDeps();
    expect(await verifyAccessToken(deps, await signed(deps, claims))).toEqual(invalid);
  });

  const wrongHeaders: Record<string, object> = {
    "another type": { typ: "JWT" },
    "the type of a proof": { typ: "dpop+jwt" },
    "an unknown key": { kid: "unknown" },
    "a key named like a prototype": { kid: "__proto__" },
    "an embedded key": { jwk: { kty: "OKP" } },
    "an address of keys": { jku: "https://evil.example/jwks" },
    "a certificate": { x5c: ["AAAA"] },
  };
  test.each(Object.entries(wrongHeaders))("%s", async (_, header) => {
    const deps = createDeps();
    expect(await verifyAccessToken(deps, await signed(deps, {}, header))).toEqual(invalid);
  });

  test("algorithms of other families, and the old name of ours", async () => {
    const deps = createDeps();
    const good = await issueAccessToken(deps, holder);
    const { kid } = await deps.keys.active();
    const claims = decodeJwt(good);
    const [, , signature = ""] = good.split(".");
    for (const alg of ["none", "None", "nOnE", "", "HS256", "RS256", "ES256", "Ed448", "EdDSA"]) {
      const header = { alg, typ: "at+jwt", kid };
      for (const mac of ["", "AAAA", signature]) {
        expect(await verifyAccessToken(deps, forgedToken(header, claims, mac))).toEqual(invalid);
      }
    }
  });

  test("HMAC with the public key as its secret", async () => {
    const deps = createDeps();
    const [shown] = await deps.keys.published();
    const secrets = [shown?.x ?? "", JSON.stringify(shown)].map((text) => Buffer.from(text));
    for (const secret of [...secrets, Buffer.from(shown?.x ?? "", "base64url")]) {
      const claims = decodeJwt(await issueAccessToken(deps, holder));
      const token = await new SignJWT(claims)
        .setProtectedHeader({ alg: "HS256", typ: "at+jwt", kid: shown?.kid ?? "" })
        .sign(secret);
      expect(await verifyAccessToken(deps, token)).toEqual(invalid);
    }
  });

  test("another server's token under our key's name", async () => {
    const deps = createDeps();
    const stranger = await createTestDevice("stranger");
    const { kid } = await deps.keys.active();
    const claims = decodeJwt(await issueAccessToken(deps, holder));
    const token = await stranger.sign({ typ: "at+jwt", kid }, claims);
    expect(await verifyAccessToken(deps, token)).toEqual(invalid);
  });

  test("a proof shown as a token", async () => {
    const deps = createDeps();
    const device = await createTestDevice("a");
    const parts = proofParts(device, { method: "GET", url, nowMs: deps.clock.nowMs() });
    const proof = await device.sign(parts.header, parts.claims);
    expect(await verifyAccessToken(deps, proof)).toEqual(invalid);
  });

  test("too long, too many parts, or no token at all", async () => {
    const deps = createDeps();
    const good = await issueAccessToken(deps, holder);
    const long = await signed(deps, { filler: "x".repeat(5_000) });
    for (const token of [long, `${good}.a`, `${good}=`, `${good} `, "", "a.b", "é.é.é", ".."]) {
      expect(await verifyAccessToken(deps, token)).toEqual(invalid);
    }
  });
});
