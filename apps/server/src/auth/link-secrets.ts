import { base32 } from "@tidemark/protocol";
import { base64url } from "jose";
import type { AuthDeps } from "./auth-deps.ts";

/** Random bytes of a setup secret: 160 bits. */
const setupSecretBytes = 20;

/** Makes the secret of a setup link. */
export function createSetupSecret(deps: Pick<AuthDeps, "random">): string {
  return base32(deps.random.bytes(setupSecretBytes));
}

/**
 * What the server keeps of a setup secret or of a link's `auth` (AU1): base64url of its SHA-256.
 * Both are random and long, so a plain hash is enough and nothing in the database opens a link.
 */
export function secretHash(deps: Pick<AuthDeps, "sha256">, secret: string): string {
  return base64url.encode(deps.sha256(secret));
}
