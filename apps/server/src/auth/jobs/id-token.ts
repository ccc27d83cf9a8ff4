import { fail, ok, type Result } from "@tidemark/protocol";
import { base64url, decodeJwt, decodeProtectedHeader, jwtVerify, type JWTPayload } from "jose";
import type { Job } from "../../store/jobs-port.ts";
import type { AuthDeps, PublicUrls } from "../auth-deps.ts";
import { joseDate } from "../jose-date.ts";
import type { Issuer, IssuerKeys } from "./issuers.ts";
import { jobOf } from "./job-claims.ts";

/** What checking a job's token needs. */
export interface IdTokenDeps extends Pick<AuthDeps, "clock" | "sha256"> {
  readonly issuerKeys: IssuerKeys;
  readonly publicUrls: PublicUrls;
}

/** A token that holds, and what it is remembered by. */
export interface CheckedToken {
  readonly job: Job;
  readonly hash: string;
  readonly endsAtMs: number;
}

/** Why a token is not taken; all but the first are one answer to whoever shows it. */
export type IdTokenError = "unavailable" | "no-token" | "other-issuer" | "no-job" | "strangers-job";

/** Signatures that are checked: by key pairs alone, so that nobody signs with what is public. */
const algorithms = ["RS256", "ES256", "EdDSA", "Ed25519"];
/** How far the issuer's clock may be off, in seconds. */
const issuerSkewS = 30;
/**
 * Oldest token that is taken, in seconds, whatever its own `exp` says: GitHub's live for minutes,
 * GitLab's as long as their job may run.
 */
const tokenAgeSMax = 3_600;

/**
 * Checks a job's token (PR16): signed by an issuer that is on the list, for this server's public URL
 * as its one audience, of now, and of a job that no stranger has set off.
 */
export async function checkIdToken(
  deps: IdTokenDeps,
  token: string,
): Promise<Result<CheckedToken, IdTokenError>> {
  const said = readUnchecked(token);
  if (said === undefined) return fail("no-token");
  const issuer = deps.issuerKeys.named(said.issuer);
  if (issuer === undefined) return fail("other-issuer");
  const key = await deps.issuerKeys.key(issuer, { alg: said.alg, kid: said.kid });
  if (!key.ok) return fail(key.error === "unavailable" ? "unavailable" : "no-token");
  const payload = await verified(deps, { token, issuer, key: key.value });
  if (payload === undefined) return fail("no-token");
  const job = jobOf(issuer, payload);
  if (!job.ok) return job;
  const { jti = "", iat = 0, exp = 0 } = payload;
  const hash = base64url.encode(deps.sha256(`${issuer.issuer}\n${jti}`));
  const endsAtMs = (Math.min(exp, iat + tokenAgeSMax) + issuerSkewS + 1) * 1_000;
  return ok({ job: job.value, hash, endsAtMs });
}

interface Unchecked {
  readonly issuer: string;
  readonly alg: string;
  readonly kid: string;
}

/** Whose token it says it is, and by which key: enough to look for that, and trusted for nothing. */
function readUnchecked(token: string): Unchecked | undefined {
  try {
    const { alg, kid } = decodeProtectedHeader(token);
    const { iss: issuer } = decodeJwt(token);
    const isWhole = typeof issuer === "string" && typeof kid === "string";
    if (!isWhole || alg === undefined || !algorithms.includes(alg)) return undefined;
    return { issuer, alg, kid };
  } catch {
    return undefined;
  }
}

async function verified(
  { clock, publicUrls }: IdTokenDeps,
  shown: {
    readonly token: string;
    readonly issuer: Issuer;
    readonly key: Parameters<typeof jwtVerify>[1];
  },
): Promise<JWTPayload | undefined> {
  try {
    const { payload } = await jwtVerify(shown.token, shown.key, {
      algorithms,
      issuer: shown.issuer.issuer,
      audience: [...publicUrls],
      currentDate: joseDate(clock),
      clockTolerance: issuerSkewS,
      maxTokenAge: tokenAgeSMax,
      requiredClaims: ["iss", "aud", "exp", "iat", "sub", "jti"],
    });
    // The library takes a list that has the audience in it, and a token for two servers is for none.
    const isOurs = typeof payload.aud === "string" && typeof payload.jti === "string";
    return isOurs && payload.jti !== "" ? payload : undefined;
  } catch {
    return undefined;
  }
}
