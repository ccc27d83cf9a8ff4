import { createHmac, createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import { base64url, decodeJwt, importJWK, SignJWT, type JWK } from "jose";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createSigningKeys, turnSigningKeys } from "../auth/signing-keys.ts";
import { assertionParts, createTestDevice, proofParts } from "../auth/testing/device.ts";
import {
  askToken,
  assertionForm,
  claimServer,
  createClient,
  joinServer,
  outcome,
  type TestClient,
} from "./testing/client.ts";
import { bodyText, createHarness, type Harness } from "./testing/harness.ts";

/** A server whose key a test may sign anything with, and a device that shows it. */
interface Shown {
  readonly harness: Harness;
  readonly owner: TestClient;
  readonly kid: string;
  /** What the owner's token says. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** A token of this header and these claims, signed by the server's own key. */
  sign(header: object, claims: object): Promise<string>;
}

let shown: Shown;
let before: object;

async function served(): Promise<Shown> {
  const harness = createHarness();
  const owner = await claimServer(harness);
  const keys = createSigningKeys({ ...harness.deps, accounts: harness.store.accounts });
  const { kid, key } = await keys.active();
  return {
    harness,
    owner,
    kid,
    claims: decodeJwt(owner.token),
    sign: async (header, claims) => {
      const text = signingInput(header, claims);
      const bytes = await crypto.subtle.sign("Ed25519", key, Buffer.from(text));
      return `${text}.${base64url.encode(new Uint8Array(bytes))}`;
    },
  };
}

function signingInput(header: object, claims: object): string {
  return [header, claims].map((part) => base64url.encode(JSON.stringify(part))).join(".");
}

/** What a request that would make a namespace is answered with this token, and a good proof. */
async function use(token: string, given: Shown = shown): Promise<string> {
  const client = createClient(given.harness, { ...given.owner, token });
  const response = await client.send("/v1/namespaces", {
    method: "POST",
    body: JSON.stringify({ name: "made with a forged token" }),
    headers: { "content-type": "application/json" },
  });
  return await outcome(response);
}

async function stored(): Promise<object> {
  const { namespaces } = await shown.owner.hello();
  return { namespaces, audit: await shown.owner.call("GET", "/v1/audit?limit=200") };
}

beforeEach(async () => {
  shown = await served();
  before = await stored();
});

afterEach(() => {
  vi.restoreAllMocks();
});

const good = () => ({ alg: "Ed25519", typ: "at+jwt", kid: shown.kid });
const refused = "401 invalid-token";

async function expectUntouched(): Promise<void> {
  expect(await stored()).toEqual(before);
}

describe("[AU3] a token is refused, and nothing has changed,", () => {
  test("without a signature, whatever its algorithm is called (abuse 39)", async () => {
    for (const alg of ["none", "None", "nOnE", "NONE", "", undefined]) {
      const text = signingInput({ ...good(), alg }, shown.claims);
      for (const signature of ["", "AAAA"]) expect(await use(`${text}.${signature}`)).toBe(refused);
      expect(await use(await shown.sign({ ...good(), alg }, shown.claims))).toBe(refused);
    }
    await expectUntouched();
  });

  test("with an HMAC by any spelling of the public key (abuse 40)", async () => {
    const [row] = (await shown.harness.store.accounts.signingKeys()).map(
      ({ jwk }) => JSON.parse(jwk) as { x: string },
    );
    const jwk = { kty: "OKP", crv: "Ed25519", x: row?.x ?? "" };
    const key = createPublicKey({ key: jwk, format: "jwk" });
    const secrets = [
      key.export({ format: "pem", type: "spki" }),
      key.export({ format: "der", type: "spki" }),
      Buffer.from(jwk.x, "base64url"),
      jwk.x,
      JSON.stringify(jwk),
      JSON.stringify({ ...jwk, kid: shown.kid, alg: "Ed25519", use: "sig" }),
    ];
    for (const alg of ["HS256", "Ed25519"]) {
      const text = signingInput({ ...good(), alg }, shown.claims);
      for (const secret of secrets) {
        const mac = createHmac("sha256", secret).update(text).digest("base64url");
        expect(await use(`${text}.${mac}`)).toBe(refused);
      }
    }
    await expectUntouched();
  });

  test("by the right key under the old name of its algorithm (abuse 41)", async () => {
    expect(await use(await shown.sign(good(), shown.claims))).toBe("201");
    before = await stored();
    for (const alg of ["EdDSA", "ed25519", "Ed25519 "]) {
      expect(await use(await shown.sign({ ...good(), alg }, shown.claims))).toBe(refused);
    }
    await expectUntouched();
  });

  test("by keys of other families (abuse 42)", async () => {
    const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
    const ec = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
    const ed448 = generateKeyPairSync("ed448").privateKey;
    const forged = [
      { alg: "RS256", key: rsa, hash: "sha256" },
      { alg: "PS256", key: rsa, hash: "sha256" },
      { alg: "ES256", key: { key: ec, dsaEncoding: "ieee-p1363" as const }, hash: "sha256" },
      { alg: "Ed448", key: ed448, hash: null },
      { alg: "Ed25519", key: ed448, hash: null },
    ];
    for (const { alg, key, hash } of forged) {
      const text = signingInput({ ...good(), alg }, shown.claims);
      const signature = sign(hash, Buffer.from(text), key).toString("base64url");
      expect(await use(`${text}.${signature}`)).toBe(refused);
    }
    await expectUntouched();
  });

  test("that names a key it should not, without asking the database (abuse 43)", async () => {
    const { accounts } = shown.harness.store;
    const asked = [vi.spyOn(accounts, "device"), vi.spyOn(accounts, "signingKeys")];
    const kids = [
      "../../etc/passwd",
      "' OR 1=1--",
      "x".repeat(65_536),
      1,
      [shown.kid],
      { kid: shown.kid },
      null,
      "__proto__",
      "constructor",
      "toString",
      "",
      `${shown.kid} `,
      shown.kid.toUpperCase(),
      "unknown",
    ];
    for (const kid of kids) {
      expect(await use(await shown.sign({ ...good(), kid }, shown.claims))).toBe(refused);
    }
    for (const spy of asked) expect(spy).not.toHaveBeenCalled();
    await expectUntouched();
  });

  test("with a header that brings a key along or changes the rules, unasked (abuse 44)", async () => {
    const fetched = vi.spyOn(globalThis, "fetch");
    const stranger = await createTestDevice("stranger");
    const additions = [
      { jwk: stranger.key },
      { jku: "https://evil.example/jwks.json" },
      { x5u: "https://evil.example/cert.pem" },
      { x5c: ["AAAA"] },
      { x5t: "AAAA" },
      { crit: ["x"], x: 1 },
      { crit: ["b64"], b64: false },
      { b64: false },
      { zip: "DEF" },
    ];
    for (const addition of additions) {
      const header = { ...good(), ...addition };
      expect(await use(await shown.sign(header, shown.claims))).toBe(refused);
      expect(await use(await stranger.sign(header, shown.claims).catch(() => "a.b.c"))).toBe(
        refused,
      );
    }
    expect(fetched).not.toHaveBeenCalled();
    await expectUntouched();
  });

  test("by another server's key, under its name or ours (abuse 51)", async () => {
    const stranger = await createTestDevice("another server");
    for (const kid of [shown.kid, "foreign"]) {
      expect(await use(await stranger.sign({ typ: "at+jwt", kid }, shown.claims))).toBe(refused);
    }
    await expectUntouched();
  });

  test("too long, of too many parts, or of other signs, before any cryptography (abuse 53)", async () => {
    const long = await shown.sign(good(), { ...shown.claims, filler: "x".repeat(5_120) });
    const verified = vi.spyOn(crypto.subtle, "verify");
    const many = Array.from({ length: 200 }, () => "AAAA").join(".");
    for (const token of [long, many, "é.é.é", "a.b", `${shown.owner.token}.AAAA`]) {
      expect(await use(token)).toBe(refused);
    }
    expect(verified).not.toHaveBeenCalled();
    vi.restoreAllMocks();
    await expectUntouched();
  });

  test("of another type, as are proofs and assertions shown as tokens, and the reverse (abuse 49)", async () => {
    for (const typ of ["JWT", "dpop+jwt", "client-authentication+jwt", "AT+JWT;", "", undefined]) {
      expect(await use(await shown.sign({ ...good(), typ }, shown.claims))).toBe(refused);
    }
    const { device, admission, token } = shown.owner;
    const nowMs = shown.harness.clock.nowMs();
    const { url } = shown.harness;
    const proof = proofParts(device, { method: "POST", url: `${url}/v1/namespaces`, nowMs });
    const { id } = admission.device;
    const assertion = assertionParts(device, { id, audience: url, nowMs });
    for (const { header, claims } of [proof, assertion]) {
      expect(await use(await device.sign(header, claims))).toBe(refused);
    }
    const form = (text: string): string =>
      new URLSearchParams({
        grant_type: "client_credentials",
        client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        client_assertion: text,
      }).toString();
    for (const text of [token, await device.sign(proof.header, proof.claims)]) {
      const answer = await askToken(shown.harness, device, { body: form(text) });
      expect(await outcome(answer)).toBe(refused);
    }
    await expectUntouched();
  });
});

describe("[AU4] a token is refused, and nothing has changed,", () => {
  const nowS = Math.floor(createHarness().clock.nowMs() / 1000);

  test.each<Record<string, unknown>>([
    { exp: nowS - 6 },
    { exp: undefined },
    { exp: String(nowS + 600) },
    { exp: 1e308 },
    { exp: nowS + 601 },
    { iat: nowS - 700, exp: nowS + 1 },
  ])("whose end is %j (abuse 45)", async (change) => {
    expect(await use(await shown.sign(good(), { ...shown.claims, ...change }))).toBe(refused);
    await expectUntouched();
  });

  test("within five seconds of its end, and not later (abuse 45)", async () => {
    shown.harness.clock.advance(604_000);
    expect(await use(shown.owner.token)).toBe("201");
    shown.harness.clock.advance(2_000);
    expect(await use(shown.owner.token)).toBe(refused);
  });

  test.each<Record<string, unknown>>([
    { nbf: nowS + 60 },
    { nbf: "now" },
    { iat: nowS + 86_400, exp: nowS + 86_700 },
    { iat: undefined },
    { iat: String(nowS) },
  ])("whose beginning is %j (abuse 46)", async (change) => {
    expect(await use(await shown.sign(good(), { ...shown.claims, ...change }))).toBe(refused);
    await expectUntouched();
  });

  const url = "https://tidemark.example";
  test.each<Record<string, unknown>>([
    { aud: url },
    { aud: "https://other.example/api" },
    { aud: undefined },
    { aud: [`${url}/api`, "https://other.example/api"] },
    { aud: [`${url}/api`] },
    { iss: `${url}/` },
    { iss: "https://TIDEMARK.example" },
    { iss: "http://tidemark.example" },
    { iss: undefined },
  ])("with %j (abuse 47)", async (change) => {
    expect(await use(await shown.sign(good(), { ...shown.claims, ...change }))).toBe(refused);
    await expectUntouched();
  });

  test.each(["jti", "cnf", "client_id", "sub"])("without %s (abuse 48)", async (name) => {
    const claims = { ...shown.claims, [name]: undefined };
    expect(await use(await shown.sign(good(), claims))).toBe(refused);
    await expectUntouched();
  });
});

test("[AU9] another spelling of a token's signature does not outlive its device (abuse 52)", async () => {
  const { harness, owner } = shown;
  const second = await joinServer(harness, await owner.createLink({ kind: "device" }), "desktop");
  const last = second.token.at(-1) ?? "";
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  // The last of 86 characters carries two bits; the other four are spare.
  const value = alphabet.indexOf(last);
  const others = Array.from({ length: 16 }, (_, spare) => alphabet[(value & 0b110000) | spare]);
  const spellings = others.map((sign) => second.token.slice(0, -1) + (sign ?? ""));
  expect(spellings).toContain(second.token);
  const ask = async (token: string): Promise<string> => {
    const client = createClient(harness, { ...second, token });
    return await outcome(await client.send("/v1/devices"));
  };
  for (const token of spellings) {
    expect(["200", refused]).toContain(await ask(token));
    expect(decodeJwt(token).jti).toBe(decodeJwt(second.token).jti);
  }
  await owner.call("DELETE", `/v1/devices/${second.admission.device.id}`);
  for (const token of spellings) {
    expect(["401 device-revoked", refused]).toContain(await ask(token));
  }
});

test("[AU4] asking for a scope gives none: rights are the database's (abuse 57)", async () => {
  const { harness, owner } = shown;
  const team = await owner.createNamespace("team");
  const link = { kind: "invite", namespace: team.id, role: "reader" };
  const reader = await joinServer(harness, await owner.createLink(link), "reader");
  const body = await assertionForm(harness, reader.device, { id: reader.admission.device.id });
  const granted = await askToken(harness, reader.device, {
    body: `${body}&scope=admin+sync%3Awrite+pair%3Aapprove`,
  });
  const { access_token: token } = JSON.parse(await bodyText(granted)) as { access_token: string };
  expect(Object.keys(decodeJwt(token)).toSorted()).toEqual(
    ["aud", "client_id", "cnf", "exp", "iat", "iss", "jti", "sub"].toSorted(),
  );
  const client = createClient(harness, { ...reader, token });
  const invite = { kind: "invite", namespace: team.id, role: "reader", authHash: "h".repeat(43) };
  await expect(client.call("POST", "/v1/links", invite)).rejects.toThrow("403 forbidden");
});

test("[AU8] the key of an assertion is the key of its proof, whatever it names (abuse 58)", async () => {
  const { harness, owner } = shown;
  const other = await createTestDevice("session key");
  const { id } = owner.admission.device;
  const claims = { cnf: { jkt: other.thumbprint } };
  const body = await assertionForm(harness, owner.device, { id, claims });
  expect(await outcome(await askToken(harness, owner.device, { body, prover: other }))).toBe(
    refused,
  );
  await expectUntouched();
});

test("[AU5] a key that waits lets nobody in, one that retires does to the end (abuse 50)", async () => {
  const { harness, owner } = shown;
  const deps = { ...harness.deps, accounts: harness.store.accounts };
  const rows = await deps.accounts.signingKeys();
  const next = rows.find(({ status }) => status === "next");
  const key = await importJWK(JSON.parse(next?.sealed ?? "") as JWK, "Ed25519");
  const early = await new SignJWT({ ...shown.claims })
    .setProtectedHeader({ ...good(), kid: next?.kid ?? "" })
    .sign(key);
  expect(await use(early)).toBe(refused);
  await expectUntouched();
  await turnSigningKeys(deps, { turn: "now" });
  harness.clock.advance(599_000);
  expect(await use(owner.token)).toBe("201");
  harness.clock.advance(120_000);
  expect(await use(await shown.sign(good(), { ...shown.claims, ...lifeNow() }))).toBe(refused);
});

test("[AU20] a token by a revoked key is refused on the next call (abuse 59)", async () => {
  const { harness, owner, kid } = shown;
  const deps = { ...harness.deps, accounts: harness.store.accounts };
  expect(await use(owner.token)).toBe("201");
  await turnSigningKeys(deps, { turn: "now", revoke: kid });
  expect(await use(owner.token)).toBe(refused);
  const body = await assertionForm(harness, owner.device, { id: owner.admission.device.id });
  const granted = await askToken(harness, owner.device, { body });
  const { access_token: token } = JSON.parse(await bodyText(granted)) as { access_token: string };
  expect(await use(token)).toBe("201");
});

function lifeNow(): object {
  const iat = Math.floor(shown.harness.clock.nowMs() / 1000);
  return { iat, exp: iat + 600 };
}
