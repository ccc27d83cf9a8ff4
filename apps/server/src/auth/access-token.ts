import { fail, isId, ok, type DeviceId, type Result, type UserId } from "@tidemark/protocol";
import { base64url, jwtVerify, SignJWT, type JWTPayload } from "jose";
import {
  algorithm,
  proofExtrasIn,
  replicaSkewS,
  tokenCharsMax,
  tokenLifeS,
  type AuthDeps,
  type ProofExtra,
  type PublicUrls,
} from "./auth-deps.ts";
import { joseDate } from "./jose-date.ts";
import { exactHeader } from "./jwt-header.ts";
import type { KnownTokens } from "./known-tokens.ts";
import type { SigningKeys } from "./signing-keys.ts";

/** Who may use an access token, and the thumbprint of the key that must prove it. */
export interface TokenHolder {
  readonly user: UserId;
  readonly device: DeviceId;
  readonly thumbprint: string;
  /** What proofs beside the token have to carry (AU17, AU18); nothing unless given. */
  readonly extras?: readonly ProofExtra[] | undefined;
}

/** Who shows a token, and which key has signed it. */
export interface VerifiedHolder extends TokenHolder {
  readonly kid: string;
}

/** What tokens need. */
export interface AccessTokenDeps extends Pick<AuthDeps, "clock" | "random"> {
  readonly publicUrls: PublicUrls;
  readonly keys: Pick<SigningKeys, "active" | "verifier">;
}

/** What checking tokens needs. */
export interface TokenCheckDeps extends AccessTokenDeps {
  readonly knownTokens: KnownTokens<VerifiedHolder>;
}

const type = "at+jwt";
const requiredClaims = ["exp", "iat", "sub", "client_id", "jti", "cnf"];

/**
 * Signs an access token for ten minutes (AU4). It names no namespace and no role: those are read
 * at each request, so a change of rights works at once.
 */
export async function issueAccessToken(
  deps: AccessTokenDeps,
  holder: TokenHolder,
): Promise<string> {
  const { kid, key } = await deps.keys.active();
  const [issuer] = deps.publicUrls;
  const issuedAtS = Math.floor(deps.clock.nowMs() / 1000);
  const { device, thumbprint, extras = [] } = holder;
  const claims: JWTPayload = {
    client_id: device,
    cnf: { jkt: thumbprint },
    ...(extras.length === 0 ? {} : { proofs: extras }),
  };
  return await new SignJWT(claims)
    .setProtectedHeader({ alg: algorithm, typ: type, kid })
    .setIssuer(issuer)
    .setAudience(audienceOf(issuer))
    .setSubject(holder.user)
    .setIssuedAt(issuedAtS)
    .setExpirationTime(issuedAtS + tokenLifeS)
    .setJti(base64url.encode(deps.random.bytes(16)))
    .sign(key);
}

/**
 * Checks an access token (AU3, AU4); whatever is wrong with it is told to nobody. One that was found
 * good is only asked for its time and its key then (AU25).
 */
export async function verifyAccessToken(
  deps: TokenCheckDeps,
  token: string,
): Promise<Result<VerifiedHolder, { readonly kind: "invalid-token" }>> {
  const known = deps.knownTokens.find(token);
  if (known !== undefined && (await deps.keys.verifier(known.holder.kid)) === known.key) {
    return ok(known.holder);
  }
  return await verifyUnknown(deps, token);
}

async function verifyUnknown(
  deps: TokenCheckDeps,
  token: string,
): Promise<Result<VerifiedHolder, { readonly kind: "invalid-token" }>> {
  const header =
    token.length > tokenCharsMax ? undefined : exactHeader(token, ["alg", "typ", "kid"]);
  const kid = header?.["kid"];
  if (typeof kid !== "string") return invalid;
  const key = await deps.keys.verifier(kid);
  if (key === undefined) return invalid;
  const [issuer] = deps.publicUrls;
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: [algorithm],
      typ: type,
      issuer,
      audience: audienceOf(issuer),
      clockTolerance: replicaSkewS,
      maxTokenAge: tokenLifeS + replicaSkewS,
      requiredClaims,
      currentDate: joseDate(deps.clock),
    });
    const read = holderOf(payload);
    if (!read.ok) return read;
    const holder = { ...read.value, kid };
    const untilMs = ((payload.exp ?? 0) + replicaSkewS) * 1000;
    deps.knownTokens.remember(token, { holder, key, untilMs });
    return ok(holder);
  } catch {
    return invalid;
  }
}

const invalid = fail({ kind: "invalid-token" } as const);

function audienceOf(issuer: string): string {
  return `${issuer}/api`;
}

function holderOf(payload: JWTPayload): Result<TokenHolder, { readonly kind: "invalid-token" }> {
  const { aud, exp = 0, iat = 0, jti, sub, client_id: device, cnf } = payload;
  // An array of audiences passes the library even when ours is only one of them.
  if (typeof aud !== "string" || exp - iat > tokenLifeS) return invalid;
  if (typeof jti !== "string" || !isIdText(sub) || !isIdText(device)) return invalid;
  const thumbprint = thumbprintIn(cnf);
  if (thumbprint === undefined) return invalid;
  const extras = proofExtrasIn(payload["proofs"]);
  return ok({
    user: sub as UserId,
    device: device as DeviceId,
    thumbprint,
    ...(extras.length === 0 ? {} : { extras }),
  });
}

function thumbprintIn(cnf: unknown): string | undefined {
  const jkt = typeof cnf === "object" && cnf !== null && "jkt" in cnf ? cnf.jkt : undefined;
  return typeof jkt === "string" ? jkt : undefined;
}

function isIdText(value: unknown): value is string {
  return typeof value === "string" && isId(value);
}
