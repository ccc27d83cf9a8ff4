import { generateKeyPair } from "jose";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fetchFromIssuer } from "../../platform/issuer-fetch.ts";
import { sha256 } from "../../platform/hash.ts";
import { createTestClock, type TestClock } from "../testing/auth-deps.ts";
import { githubClaims, startTestIssuer, type TestIssuer } from "../testing/test-issuer.ts";
import { checkIdToken, type IdTokenDeps } from "./id-token.ts";
import { createIssuerKeys, publicIssuers } from "./issuers.ts";

const audience = "https://tidemark.example";
const discovery = "/.well-known/openid-configuration";

let clock: TestClock;
let issuer: TestIssuer;
let deps: IdTokenDeps;
beforeEach(async () => {
  clock = createTestClock();
  issuer = await startTestIssuer();
  const issuers = [{ provider: "github", issuer: issuer.issuer }] as const;
  const issuerKeys = createIssuerKeys({ clock, fetch: fetchFromIssuer }, issuers);
  deps = { clock, sha256, issuerKeys, publicUrls: [audience] };
});
afterEach(async () => {
  await issuer.close();
});

async function check(change: Parameters<TestIssuer["token"]>[1] = {}): Promise<string> {
  const claims = { ...githubClaims(audience), ...change.claims };
  const checked = await checkIdToken(
    deps,
    await issuer.token(clock.nowMs(), { ...change, claims }),
  );
  return checked.ok ? "ok" : checked.error;
}

test("[PR18] the public services are known, by https alone", () => {
  expect(publicIssuers.map(({ issuer: name }) => new URL(name).protocol)).toEqual([
    "https:",
    "https:",
  ]);
});

test("[PR18] nothing is fetched of an issuer that is not on the list, nor for an algorithm that is none of ours", async () => {
  expect(await check({ claims: { iss: "https://evil.example" } })).toBe("other-issuer");
  expect(await check({ claims: { iss: `${issuer.issuer}/` } })).toBe("other-issuer");
  const key = new TextEncoder().encode("k".repeat(64));
  expect(await check({ header: { alg: "HS256" }, key })).toBe("no-token");
  expect(issuer.asked).toEqual([]);
});

test("[PR18] keys are asked for once, and a flood of unknown ones asks for no more", async () => {
  expect(await check()).toBe("ok");
  const { privateKey: key } = await generateKeyPair("RS256");
  for (let guess = 0; guess < 50; guess += 1) {
    expect(await check({ key, header: { kid: `guess-${guess}` } })).toBe("no-token");
  }
  expect(issuer.asked).toEqual([discovery, "/keys"]);
  expect(await check()).toBe("ok");
});

test("[PR18] an issuer that is down, slow to speak or says nothing of use is told from a wrong token, and left alone for half a minute", async () => {
  for (const answer of [
    { status: 500, body: "{}" },
    { status: 200, body: "<html>" },
    { status: 200, body: "[]" },
    { status: 200, body: JSON.stringify({ issuer: issuer.issuer }) },
    { status: 200, body: "x".repeat(2_000_000) },
  ]) {
    for (const path of [discovery, "/keys"]) {
      issuer.answers.set(path, answer);
      expect([path, answer.status, await check()]).toEqual([path, answer.status, "unavailable"]);
      const asked = issuer.asked.length;
      const many = await Promise.all(Array.from({ length: 20 }, async () => await check()));
      expect(new Set(many)).toEqual(new Set(["unavailable"]));
      expect(issuer.asked).toHaveLength(asked);
      issuer.answers.clear();
      clock.advance(30_000);
      expect(await check()).toBe("ok");
      // Its keys are believed for a while: a new server asks again.
      const issuers = [{ provider: "github", issuer: issuer.issuer }] as const;
      const issuerKeys = createIssuerKeys({ clock, fetch: fetchFromIssuer }, issuers);
      deps = { ...deps, issuerKeys };
    }
  }
});

test("[PR18] one that did not answer is asked again where the clock was ahead and is set back", async () => {
  clock.advance(3_600_000);
  issuer.answers.set(discovery, { status: 500, body: "{}" });
  expect(await check()).toBe("unavailable");
  issuer.answers.clear();
  clock.advance(-3_600_000);
  expect(await check()).toBe("ok");
});

test("[PR18] one that never answers holds a job up for five seconds, and the next ones for none", async () => {
  issuer.answers.set(discovery, { status: 0, body: "" });
  const began = performance.now();
  expect(await check()).toBe("unavailable");
  expect(performance.now() - began).toBeLessThan(8_000);
  const next = performance.now();
  expect(await check()).toBe("unavailable");
  expect(performance.now() - next).toBeLessThan(1_000);
});

test("[PR18] keys lie on the issuer's own origin, in its own name, without a redirect", async () => {
  const other = await startTestIssuer();
  for (const body of [
    { issuer: issuer.issuer, jwks_uri: `${other.issuer}/keys` },
    { issuer: other.issuer, jwks_uri: `${issuer.issuer}/keys` },
    { issuer: issuer.issuer, jwks_uri: "file:///etc/passwd" },
  ]) {
    issuer.answers.set(discovery, { status: 200, body: JSON.stringify(body) });
    expect(await check()).toBe("unavailable");
    clock.advance(30_000);
  }
  expect(other.asked).toEqual([]);
  await other.close();
});

test("[PR18] a key that the issuer has turned is found once its old set is half a minute old", async () => {
  expect(await check()).toBe("ok");
  await issuer.rotate();
  expect(await check()).toBe("no-token");
  // The library asks the machine for the time.
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(Date.now() + 31_000);
  expect(await check()).toBe("ok");
  vi.useRealTimers();
});
