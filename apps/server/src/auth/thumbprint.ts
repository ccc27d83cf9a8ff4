import { fail, ok, type Result } from "@tidemark/protocol";
import { deviceKeySchema, type DeviceKey } from "@tidemark/protocol/wire";
import { calculateJwkThumbprint, exportJWK, importJWK } from "jose";
import { algorithm } from "./auth-deps.ts";

/** A device key in its one spelling, with its RFC 7638 thumbprint. */
export interface CanonicalKey {
  readonly key: DeviceKey;
  readonly thumbprint: string;
}

/**
 * Checks a public key and gives its thumbprint (AU2).
 *
 * The last character of `x` has spare bits: several spellings are one key with several
 * thumbprints, and a revoked key could come back under another one. Only the spelling that an
 * export gives is taken.
 */
export async function canonicalKey(
  jwk: unknown,
): Promise<Result<CanonicalKey, { readonly kind: "invalid-key" }>> {
  const parsed = deviceKeySchema.safeParse(jwk);
  if (!parsed.success) return fail({ kind: "invalid-key" });
  const { kty, crv, x } = parsed.data;
  const key: DeviceKey = { kty, crv, x };
  try {
    const exported = await exportJWK(await importJWK({ ...key }, algorithm));
    if (exported.x !== x) return fail({ kind: "invalid-key" });
  } catch {
    return fail({ kind: "invalid-key" });
  }
  return ok({ key, thumbprint: await calculateJwkThumbprint({ ...key }) });
}
