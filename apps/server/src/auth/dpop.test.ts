import { describe, expect, test } from "vitest";
import { verifyProof } from "./dpop.ts";
import { createAuthDeps, createTestClock } from "./testing/auth-deps.ts";
import { createTestDevice, forgedToken, proofParts, type ProofParts } from "./testing/device.ts";

const main = "https://tidemark.example";
const lan = "http://tidemark.lan:8420";
const path = "/v1/hello";
const token = "header.claims.signature";
const clock = createTestClock();
const nowS = clock.nowMs() / 1000;
const deps = { ...createAuthDeps(clock), publicUrls: [main, lan] as const };
const request = { method: "POST", path, token };
const invalid = { ok: false, error: { kind: "invalid-proof" } };

async function verify(change: { claims?: object; header?: object } = {}) {
  const device = await createTestDevice("a");
  const parts = goodParts(device);
  const claims = { ...parts.claims, ...change.claims };
  return await verifyProof(
    deps,
    await device.sign({ ...parts.header, ...change.header }, claims),
    request,
  );
}

function goodParts(device: Awaited<ReturnType<typeof createTestDevice>>): ProofParts {
  return proofParts(device, { method: "POST", url: main + path, nowMs: clock.nowMs(), token });
}

test("[AU6] a proof names its key and is remembered until its window closes", async () => {
  const { thumbprint } = await createTestDevice("a");
  expect(await verify({ claims: { jti: "0123456789abcdef" } })).toEqual({
    ok: true,
    value: { thumbprint, jti: "0123456789abcdef", untilMs: (nowS + 300) * 1000 },
  });
});

test.each([main + path, lan + path, `https://TIDEMARK.example${path}`, `${main}:443${path}`])(
  "[AU6] a proof may name any public address: %s (abuse 62)",
  async (htu) => {
    expect((await verify({ claims: { htu } })).ok).toBe(true);
  },
);

describe("[AU6] refused", () => {
  test.each([
    "https://evil.example/v1/hello",
    `http://tidemark.example${path}`,
    `${main}/v1/other`,
    `${main}${path}?a=b`,
    `${main}${path}#a`,
    `${main}${path}/`,
    `${main}/v1//hello`,
    `${main}/v1/%2e%2e/v1/hello`,
    `${main}/v1/../v1/hello`,
    `https://user@tidemark.example${path}`,
    `${main}.evil.example${path}`,
    path,
    "",
    1,
    undefined,
  ])("the address %s (abuse 62)", async (htu) => {
    expect(await verify({ claims: { htu } })).toEqual(invalid);
  });

  const wrongClaims: Record<string, object> = {
    "another method (abuse 61)": { htm: "GET" },
    "the method in small letters (abuse 61)": { htm: "post" },
    "no method": { htm: undefined },
    "no token hash (abuse 65)": { ath: undefined },
    "another token's hash (abuse 65)": { ath: "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU" },
    "too old (abuse 67)": { iat: nowS - 301 },
    "from the future (abuse 67)": { iat: nowS + 301 },
    "no time": { iat: undefined },
    "time as text": { iat: String(nowS) },
    "no id": { jti: undefined },
    "a short id": { jti: "short" },
    "a long id": { jti: "x".repeat(65) },
    expired: { exp: nowS - 301 },
  };
  test.each(Object.entries(wrongClaims))("%s", async (_, claims) => {
    expect(await verify({ claims })).toEqual(invalid);
  });

  test.each([{ typ: "JWT" }, { typ: "at+jwt" }, { kid: "a" }, { jku: "https://evil.example" }])(
    "a header with %j",
    async (header) => {
      expect(await verify({ header })).toEqual(invalid);
    },
  );

  test("a key with its private part, another key, or another spelling of the key (abuse 71)", async () => {
    const { key } = await createTestDevice("a");
    const other = await createTestDevice("b");
    const { claims, header } = goodParts(await createTestDevice("a"));
    for (const jwk of [{ ...key, d: key.x }, other.key, { ...key, alg: "EdDSA" }, undefined]) {
      expect(await verify({ header: { jwk } })).toEqual(invalid);
    }
    expect(
      await verifyProof(deps, forgedToken({ ...header, alg: "none" }, claims, ""), request),
    ).toEqual(invalid);
    expect(
      await verifyProof(deps, forgedToken({ ...header, alg: "EdDSA" }, claims), request),
    ).toEqual(invalid);
  });

  test("two proofs joined by a comma, and one that is too long (abuse 68)", async () => {
    const device = await createTestDevice("a");
    const { header, claims } = goodParts(device);
    const proof = await device.sign(header, claims);
    expect((await verifyProof(deps, proof, request)).ok).toBe(true);
    expect(await verifyProof(deps, `${proof}, ${proof}`, request)).toEqual(invalid);
    const long = await device.sign(header, { ...claims, filler: "x".repeat(2_048) });
    expect(await verifyProof(deps, long, request)).toEqual(invalid);
  });
});

test("[AU6] a clock may be five minutes off (abuse 67)", async () => {
  for (const iat of [nowS - 299, nowS + 299])
    expect((await verify({ claims: { iat } })).ok).toBe(true);
});
