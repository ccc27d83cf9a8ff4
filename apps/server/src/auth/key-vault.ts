import { base64url, CompactEncrypt, compactDecrypt, type JWK } from "jose";
import type { AuthDeps } from "./auth-deps.ts";

/** Seals private signing keys, so that the database alone does not sign (AU19). */
export interface KeyVault {
  /** Which master key it is; tells nothing of the key itself. */
  readonly master: string;
  /** A private key as only this vault opens it, under this key's name alone. */
  seal(kid: string, jwk: JWK): Promise<string>;
  /** Undefined for what this vault did not seal under this name. */
  open(kid: string, sealed: string): Promise<JWK | undefined>;
}

/** A vault over a master key of 32 bytes: JWE with `dir` and A256GCM. */
export function createKeyVault(deps: Pick<AuthDeps, "sha256">, key: Uint8Array): KeyVault {
  const label = new TextEncoder().encode("tidemark master key ");
  const master = base64url.encode(deps.sha256(new Uint8Array([...label, ...key]))).slice(0, 16);
  return {
    master,
    seal: async (kid, jwk) =>
      await new CompactEncrypt(new TextEncoder().encode(JSON.stringify({ ...jwk, kid })))
        .setProtectedHeader({ alg: "dir", enc: "A256GCM", kid: master, cty: "jwk+json" })
        .encrypt(key),
    open: async (kid, sealed) => {
      try {
        const { plaintext } = await compactDecrypt(sealed, key, {
          keyManagementAlgorithms: ["dir"],
          contentEncryptionAlgorithms: ["A256GCM"],
        });
        const { kid: name, ...jwk }: JWK = JSON.parse(new TextDecoder().decode(plaintext));
        return name === kid ? jwk : undefined;
      } catch {
        return undefined;
      }
    },
  };
}
