import type { Failure } from "../transport.ts";
import { unreachable } from "./failures.ts";
import { untrusted } from "./untrusted.ts";

/** What Node.js and OpenSSL call it, the same on every system. */
const untrustedCodes: ReadonlySet<unknown> = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "ERR_TLS_CERT_ALTNAME_INVALID",
]);

/** Why no answer came. All else is the operating system's business, and differs from one to the next. */
export function unansweredBy(cause: unknown): Failure {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  return untrustedCodes.has(code) ? untrusted : unreachable;
}
