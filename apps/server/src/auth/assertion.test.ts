import type { DeviceId } from "@tidemark/protocol";
import { describe, expect, test } from "vitest";
import { verifyAssertion } from "./assertion.ts";
import { createAuthDeps, createTestClock } from "./testing/auth-deps.ts";
import { assertionParts, createTestDevice, deviceRow } from "./testing/device.ts";

const url = "https://tidemark.example";
const clock = createTestClock();
const nowS = clock.nowMs() / 1000;
const invalid = { ok: false, error: { kind: "invalid-token" } };

async function verify(
  change: { claims?: object; header?: object } = {},
  options: { signer?: string; status?: "active" | "revoked" } = {},
) {
  const device = await createTestDevice("a");
  const row = deviceRow(device, { status: options.status ?? "active" });
  const deps = {
    ...createAuthDeps(clock),
    publicUrls: [url, "http://tidemark.lan"] as const,
    device: async (id: DeviceId) => await Promise.resolve(id === row.id ? row : undefined),
  };
  const { header, claims } = assertionParts(device, {
    id: row.id,
    audience: url,
    nowMs: clock.nowMs(),
  });
  const signer = await createTestDevice(options.signer ?? "a");
  const assertion = await signer.sign(
    { ...header, ...change.header },
    { ...claims, ...change.claims },
  );
  return await verifyAssertion(deps, assertion);
}

test("[AU8] a device's own assertion is taken, for any public address", async () => {
  expect(await verify()).toMatchObject({ ok: true, value: { device: { id: "dev_a" } } });
  expect((await verify({ claims: { aud: "http://tidemark.lan" } })).ok).toBe(true);
});

test("[AU8] a laptop's clock may be five minutes off", async () => {
  for (const off of [-299, 299]) {
    const iat = nowS + off;
    expect((await verify({ claims: { iat, exp: iat + 60 } })).ok).toBe(true);
  }
});

test("[AU9] who holds a revoked key learns that it was revoked, and nobody else does (abuse 56)", async () => {
  const revoked = { ok: false, error: { kind: "device-revoked" } };
  expect(await verify({}, { status: "revoked" })).toEqual(revoked);
  expect(await verify({}, { status: "revoked", signer: "b" })).toEqual(invalid);
});

describe("[AU8] refused (abuse 54)", () => {
  const wrongClaims: Record<string, object> = {
    "several audiences": { aud: [url, "https://other.example"] },
    "the token endpoint as audience": { aud: `${url}/v1/auth/token` },
    "another server": { aud: "https://other.example" },
    "a life of more than a minute": { exp: nowS + 61 },
    "an end before its beginning": { iat: nowS, exp: nowS - 1 },
    "long ago": { iat: nowS - 361, exp: nowS - 301 },
    "far ahead": { iat: nowS + 301, exp: nowS + 361 },
    "no end": { exp: undefined },
    "no id": { jti: undefined },
    "a short id": { jti: "short" },
    "no counter": { ctr: undefined },
    "a counter that is no integer": { ctr: "1" },
    "a counter that is not above zero": { ctr: 0 },
    "a counter more than a year above the clock": { ctr: clock.nowMs() + 365 * 86_400_000 + 1 },
    "a counter that leaves none above it": { ctr: Number.MAX_SAFE_INTEGER },
    "issuer and subject apart": { iss: "dev_b" },
    "an unknown device": { iss: "dev_b", sub: "dev_b" },
    "a device that is no id": { iss: "dev a", sub: "dev a" },
  };
  test.each(Object.entries(wrongClaims))("%s", async (_, claims) => {
    expect(await verify({ claims })).toEqual(invalid);
  });

  test.each([{ typ: "JWT" }, { typ: "dpop+jwt" }, { kid: "other" }, { jwk: {} }])(
    "a header with %j",
    async (header) => {
      expect(await verify({ header })).toEqual(invalid);
    },
  );

  test("another device's signature, and what is no assertion", async () => {
    expect(await verify({}, { signer: "b" })).toEqual(invalid);
    expect(await verify({ claims: { filler: "x".repeat(4_096) } })).toEqual(invalid);
  });
});
