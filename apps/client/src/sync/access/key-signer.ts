/** Signs with a device's key: assertions and the proofs that go along with requests. */
import { base32 } from "@tidemark/protocol";
import type { DeviceKey } from "@tidemark/protocol/wire";
import { base64url, importJWK, SignJWT, type JWTPayload } from "jose";
import type { Random } from "../ports.ts";

/** The device's key, as `platform/` keeps it. */
export interface SigningKey {
  readonly publicJwk: DeviceKey;
  /** RFC 7638 thumbprint, base64url. */
  readonly thumbprint: string;
  privateJwk(): DeviceKey & { readonly d: string };
}

/** What a proof is about. */
export interface Proven {
  readonly method: string;
  readonly url: string;
  /** The access token beside it, where there is one. */
  readonly token?: string;
  /** The server's nonce, where it has given one (RFC 9449 §8). */
  readonly nonce?: string | undefined;
  /** The query as it goes out, without its question mark; empty where there is none. */
  readonly query?: string | undefined;
  /** The body as it goes out, packed or not. */
  readonly body?: string | Uint8Array | undefined;
}

/** SHA-256 over bytes, or over the UTF-8 bytes of a text. */
export type ProofHash = (input: string | Uint8Array) => Uint8Array;

/** Signs with one key; the time is the server's, as far as the caller knows it. */
export interface KeySigner {
  /** Signs claims with a moment and an id of their own. */
  sign(header: SignedHeader, claims: JWTPayload, nowMs: number): Promise<string>;
  /** A DPoP proof (RFC 9449) for one request. */
  proof(about: Proven, nowMs: number): Promise<string>;
}

interface SignedHeader {
  readonly alg: string;
  readonly typ: string;
  readonly [member: string]: unknown;
}

/** The one signature algorithm; the name `EdDSA` is refused by servers. */
export const algorithm = "Ed25519";

/** Makes the signer of a key; the key is imported once. */
export function createKeySigner(deps: {
  readonly key: SigningKey;
  readonly random: Random;
  readonly sha256: ProofHash;
}): KeySigner {
  const { key, random, sha256 } = deps;
  let imported: ReturnType<typeof importJWK> | undefined;
  const sign: KeySigner["sign"] = async (header, claims, nowMs) => {
    imported ??= importJWK({ ...key.privateJwk() }, algorithm);
    const payload = { ...claims, iat: Math.floor(nowMs / 1000), jti: base32(random.bytes(16)) };
    return await new SignJWT(payload).setProtectedHeader(header).sign(await imported);
  };
  return {
    sign,
    proof: async ({ method, url, token, nonce, query, body }, nowMs) => {
      const { kty, crv, x } = key.publicJwk;
      const header = { alg: algorithm, typ: "dpop+jwt", jwk: { kty, crv, x } };
      const claims = {
        htm: method,
        htu: url,
        ...(token === undefined ? {} : { ath: base64url.encode(sha256(token)) }),
        ...(nonce === undefined ? {} : { nonce }),
        ...(query === undefined ? {} : { qh: base64url.encode(sha256(query)) }),
        ...(body === undefined ? {} : { bh: base64url.encode(sha256(body)) }),
      };
      return await sign(header, claims, nowMs);
    },
  };
}
