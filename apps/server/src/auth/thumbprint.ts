import { fail, ok, type Result } from "@tidemark/protocol";
import { deviceKeySchema, type DeviceKey } from "@tidemark/protocol/wire";
import { calculateJwkThumbprint, exportJWK, importJWK, type CryptoKey } from "jose";
import { algorithm } from "./auth-deps.ts";

/** A device key in its one spelling, with its RFC 7638 thumbprint. */
export interface CanonicalKey {
  readonly key: DeviceKey;
  readonly thumbprint: string;
}

/** A device key that signatures can be checked with. */
export interface VerifyingKey extends CanonicalKey {
  readonly verifier: CryptoKey;
}

type InvalidKey = { readonly kind: "invalid-key" };

/** Checks a public key and gives its thumbprint (AU2). */
export async function canonicalKey(jwk: unknown): Promise<Result<CanonicalKey, InvalidKey>> {
  const checked = await verifyingKey(jwk);
  if (!checked.ok) return checked;
  const { key, thumbprint } = checked.value;
  return ok({ key, thumbprint });
}

/**
 * The same, for whoever checks a signature.
 *
 * The last character of `x` has spare bits: several spellings are one key with several
 * thumbprints, and a revoked key could come back under another one. Only the spelling that an
 * export gives is taken.
 */
export async function verifyingKey(jwk: unknown): Promise<Result<VerifyingKey, InvalidKey>> {
  const parsed = deviceKeySchema.safeParse(jwk);
  if (!parsed.success) return fail({ kind: "invalid-key" });
  const { kty, crv, x } = parsed.data;
  const key: DeviceKey = { kty, crv, x };
  try {
    const verifier = await importJWK({ ...key }, algorithm);
    const exported = await exportJWK(verifier);
    if (exported.x !== x) return fail({ kind: "invalid-key" });
    return ok({ key, thumbprint: await calculateJwkThumbprint({ ...key }), verifier });
  } catch {
    return fail({ kind: "invalid-key" });
  }
}
