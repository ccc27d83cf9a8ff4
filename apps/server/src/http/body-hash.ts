import { base64url } from "jose";
import type { AuthDeps } from "../auth/auth-deps.ts";

/** Whether these bytes are the ones that the proof was signed for (AU18), where it says so. */
export function isBodyOf(
  deps: Pick<AuthDeps, "sha256" | "isSameSecret">,
  signed: string | undefined,
  sent: Uint8Array,
): boolean {
  return signed === undefined || deps.isSameSecret(signed, base64url.encode(deps.sha256(sent)));
}
