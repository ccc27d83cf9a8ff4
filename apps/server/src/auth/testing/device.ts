import type { DeviceId, UserId } from "@tidemark/protocol";
import type { DeviceKey } from "@tidemark/protocol/wire";
import { base64url, importJWK, SignJWT, type CryptoKey, type JWK } from "jose";
import { sha256 } from "../../platform/hash.ts";
import type { DeviceRow } from "../../store/accounts-port.ts";
import { privateJwk } from "../signing-keys.ts";
import { canonicalKey } from "../thumbprint.ts";

/** A device of the tests: a real key that signs whatever a test wants to show. */
export interface TestDevice {
  readonly key: DeviceKey;
  readonly thumbprint: string;
  /** Signs claims under this header, as jose would or as an attacker might. */
  sign(header: object, claims: object): Promise<string>;
}

/** Makes a device's key from a name; the same name gives the same key. */
export async function createTestDevice(name: string): Promise<TestDevice> {
  const jwk = await privateJwk(sha256(`device ${name}`));
  const canonical = await canonicalKey({ kty: jwk.kty, crv: jwk.crv, x: jwk.x });
  if (!canonical.ok) throw new Error("the test's key is not canonical");
  return { ...canonical.value, sign: signer(await importKey(jwk)) };
}

/** The device as the database would have it. */
export function deviceRow(device: TestDevice, given: Partial<DeviceRow> = {}): DeviceRow {
  const { key, thumbprint } = device;
  return {
    id: "dev_a" as DeviceId,
    user: "usr_a" as UserId,
    name: "laptop",
    status: "active",
    key,
    thumbprint,
    kind: "person",
    ...given,
  };
}

/** What a DPoP proof says; tests overwrite one member at a time. */
export interface ProofParts {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
}

let proofs = 0;

/** A correct proof of a device for one request, not yet signed. */
export function proofParts(
  device: TestDevice,
  request: { method: string; url: string; nowMs: number; token?: string; query?: string },
): ProofParts {
  proofs += 1;
  const { method, url, nowMs, token, query } = request;
  return {
    header: { alg: "Ed25519", typ: "dpop+jwt", jwk: device.key },
    claims: {
      jti: `proof-number-${String(proofs).padStart(8, "0")}`,
      htm: method,
      htu: url,
      iat: Math.floor(nowMs / 1000),
      ...(token === undefined ? {} : { ath: base64url.encode(sha256(token)) }),
      ...(query === undefined ? {} : { qh: base64url.encode(sha256(query)) }),
    },
  };
}

/** A correct assertion of a device, not yet signed. */
export function assertionParts(
  device: TestDevice,
  request: { id: string; audience: string; nowMs: number },
): ProofParts {
  proofs += 1;
  const iat = Math.floor(request.nowMs / 1000);
  const { id, audience: aud } = request;
  const jti = `assertion-number-${proofs}`;
  return {
    header: { alg: "Ed25519", typ: "client-authentication+jwt", kid: device.thumbprint },
    claims: { iss: id, sub: id, aud, iat, exp: iat + 60, jti, ctr: proofs },
  };
}

/** A compact JWS with any header and any signature; no library would make it. */
export function forgedToken(header: object, claims: object, signature = "AAAA"): string {
  const part = (value: object): string => base64url.encode(JSON.stringify(value));
  return `${part(header)}.${part(claims)}.${signature}`;
}

function signer(key: CryptoKey): TestDevice["sign"] {
  return async (header, claims) =>
    await new SignJWT({ ...claims }).setProtectedHeader({ alg: "Ed25519", ...header }).sign(key);
}

async function importKey(jwk: JWK): Promise<CryptoKey> {
  const key = await importJWK(jwk, "Ed25519");
  if (key instanceof Uint8Array) throw new Error("not a private key");
  return key;
}
