import { fail, ok, type Result } from "@tidemark/protocol";
import { base64url, jwtVerify, type CryptoKey, type JWTPayload } from "jose";
import {
  algorithm,
  deviceSkewSMax,
  proofCharsMax,
  type AuthDeps,
  type PublicUrls,
} from "./auth-deps.ts";
import { joseDate } from "./jose-date.ts";
import { exactHeader, oneTimeId } from "./jwt-header.ts";
import { verifyingKey } from "./thumbprint.ts";

/** The request that a proof has to be about. */
export interface ProvenRequest {
  readonly method: string;
  /** As sent, without the query. */
  readonly path: string;
  /** The access token beside the proof, where there is one. */
  readonly token?: string;
}

/** A valid proof: which key, and what to remember so that it is not shown twice. */
export interface Proof {
  readonly thumbprint: string;
  readonly jti: string;
  /** The server's nonce that it carries (AU17). */
  readonly nonce: string | undefined;
  /** The SHA-256 of the body as sent, base64url (AU18). */
  readonly bodyHash: string | undefined;
  /** The SHA-256 of the query as sent, without its question mark, base64url (AU24). */
  readonly queryHash: string | undefined;
  /** After this moment the proof is too old anyway. */
  readonly untilMs: number;
}

/** What checking a proof needs. */
export interface DpopDeps extends Pick<AuthDeps, "clock" | "sha256" | "isSameSecret"> {
  readonly publicUrls: PublicUrls;
}

type InvalidProof = Result<never, { readonly kind: "invalid-proof" }>;
const invalid: InvalidProof = fail({ kind: "invalid-proof" } as const);
const requiredClaims = ["jti", "htm", "htu", "iat"];

/**
 * Checks a DPoP proof (RFC 9449, AU6) except that it is new and that its key is the token's; the
 * caller does both last. The address is compared with the configured ones: what a request says of
 * its host is up to whoever sent it.
 */
export async function verifyProof(
  deps: DpopDeps,
  proof: string,
  request: ProvenRequest,
): Promise<Result<Proof, { readonly kind: "invalid-proof" }>> {
  if (proof.length > proofCharsMax) return invalid;
  const header = exactHeader(proof, ["alg", "typ", "jwk"]);
  const key = await verifyingKey(header?.["jwk"]);
  if (!key.ok) return invalid;
  const payload = await signedPayload(deps, proof, key.value.verifier);
  if (payload === undefined || !isAbout(deps, payload, request)) return invalid;
  const { iat } = payload;
  const extras = extrasIn(payload);
  const jti = oneTimeId(payload.jti);
  if (jti === undefined || typeof iat !== "number" || extras === undefined) return invalid;
  if (Math.abs(deps.clock.nowMs() / 1000 - iat) > deviceSkewSMax) return invalid;
  const untilMs = (iat + deviceSkewSMax) * 1000;
  return ok({ thumbprint: key.value.thumbprint, jti, ...extras, untilMs });
}

type Extras = Pick<Proof, "nonce" | "bodyHash" | "queryHash">;

/** What a proof carries beyond the least; undefined where that is of no use. */
function extrasIn({ nonce, bh: bodyHash, qh: queryHash }: JWTPayload): Extras | undefined {
  if (!isTextIfAny(nonce) || !isTextIfAny(bodyHash) || !isTextIfAny(queryHash)) return undefined;
  return { nonce, bodyHash, queryHash };
}

function isTextIfAny(value: unknown): value is string | undefined {
  return value === undefined || typeof value === "string";
}

/** Whether a proof was made for this method, this address and, where there is one, this token. */
function isAbout(deps: DpopDeps, payload: JWTPayload, request: ProvenRequest): boolean {
  const { htm, htu, ath } = payload;
  if (htm !== request.method) return false;
  if (!isAddressOf(deps.publicUrls, htu, request.path)) return false;
  if (request.token === undefined) return true;
  const expected = base64url.encode(deps.sha256(request.token));
  return typeof ath === "string" && deps.isSameSecret(ath, expected);
}

async function signedPayload(
  deps: DpopDeps,
  proof: string,
  verifier: CryptoKey,
): Promise<JWTPayload | undefined> {
  try {
    const { payload } = await jwtVerify(proof, verifier, {
      algorithms: [algorithm],
      typ: "dpop+jwt",
      requiredClaims,
      clockTolerance: deviceSkewSMax,
      currentDate: joseDate(deps.clock),
    });
    return payload;
  } catch {
    return undefined;
  }
}

/** Origins are compared as URLs, so host case and default ports do not matter; paths as text. */
function isAddressOf(publicUrls: PublicUrls, htu: unknown, path: string): boolean {
  const match =
    typeof htu === "string" ? /^(https?:\/\/[^/?#@\s\\]+)(\/[^?#\s\\]*)$/i.exec(htu) : null;
  const [, origin = "", ownPath] = match ?? [];
  if (ownPath !== path || !URL.canParse(origin)) return false;
  return publicUrls.includes(new URL(origin).origin);
}
