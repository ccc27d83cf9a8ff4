import { fail, isId, ok, type DeviceId, type Result } from "@tidemark/protocol";
import { decodeJwt, importJWK, jwtVerify, type JWTPayload } from "jose";
import type { DeviceRow } from "../store/accounts-port.ts";
import {
  algorithm,
  assertionLifeSMax,
  deviceSkewSMax,
  proofExtrasIn,
  tokenCharsMax,
  type AuthDeps,
  type ProofExtra,
  type PublicUrls,
} from "./auth-deps.ts";
import { joseDate } from "./jose-date.ts";
import { exactHeader, oneTimeId } from "./jwt-header.ts";
import type { Proof } from "./dpop.ts";

/** What checking an assertion needs. */
export interface AssertionDeps extends Pick<AuthDeps, "clock" | "isSameSecret"> {
  readonly publicUrls: PublicUrls;
  /** The device as the database has it at this moment. */
  device(id: DeviceId): Promise<DeviceRow | undefined>;
}

/** Why a device gets no token. `device-revoked` is told only to who holds the device's key. */
export type AssertionError =
  | { readonly kind: "invalid-token" }
  | { readonly kind: "device-revoked" };

/** A device that proved to be itself, and what to remember so that the assertion is not reused. */
export interface Asserted {
  readonly device: DeviceRow;
  readonly jti: Proof["jti"];
  /** Rising from one assertion of a key to the next (AU16). */
  readonly counter: number;
  /** What the device says that its proofs carry. */
  readonly extras: readonly ProofExtra[];
  readonly untilMs: number;
}

const invalid = fail({ kind: "invalid-token" } as const);
const requiredClaims = ["iss", "sub", "aud", "iat", "exp", "jti", "ctr"];

/**
 * Checks a device's signed assertion (RFC 7523, AU8): made by the device it names, for one of this
 * server's addresses, within the last minute by a clock that may be five minutes off.
 */
export async function verifyAssertion(
  deps: AssertionDeps,
  assertion: string,
): Promise<Result<Asserted, AssertionError>> {
  if (assertion.length > tokenCharsMax) return invalid;
  const device = await namedDevice(deps, assertion);
  const payload = device && (await signedPayload(deps, assertion, device));
  if (device === undefined || payload === undefined || !isBrief(payload)) return invalid;
  const { aud, exp = 0, ctr } = payload;
  const jti = oneTimeId(payload.jti);
  // An array of audiences passes the library even when ours is only one of them.
  if (typeof aud !== "string" || jti === undefined || !isCounter(ctr, deps.clock)) return invalid;
  if (device.status !== "active") return fail({ kind: "device-revoked" });
  const extras = proofExtrasIn(payload["proofs"]);
  return ok({ device, jti, counter: ctr, extras, untilMs: (exp + deviceSkewSMax) * 1000 });
}

/**
 * Counters begin at a wall clock. Far above it one would leave the key's true device nothing to
 * show that is higher; up to this much, time itself makes room again (AU16).
 */
const counterAheadMsMax = 365 * 86_400_000;

function isCounter(ctr: unknown, clock: { nowMs(): number }): ctr is number {
  if (typeof ctr !== "number" || !Number.isSafeInteger(ctr)) return false;
  return ctr > 0 && ctr <= clock.nowMs() + counterAheadMsMax;
}

function isBrief({ iat = 0, exp = 0 }: JWTPayload): boolean {
  return exp > iat && exp - iat <= assertionLifeSMax;
}

/** The device that an assertion says it is of, if the header names that device's key as well. */
async function namedDevice(deps: AssertionDeps, assertion: string): Promise<DeviceRow | undefined> {
  const kid = exactHeader(assertion, ["alg", "typ", "kid"])?.["kid"];
  if (typeof kid !== "string") return undefined;
  const id = claimedDevice(assertion);
  const device = id === undefined ? undefined : await deps.device(id);
  if (device === undefined) return undefined;
  return deps.isSameSecret(kid, device.thumbprint) ? device : undefined;
}

function claimedDevice(assertion: string): DeviceId | undefined {
  try {
    const { sub } = decodeJwt(assertion);
    return typeof sub === "string" && isId(sub) ? (sub as DeviceId) : undefined;
  } catch {
    return undefined;
  }
}

async function signedPayload(
  deps: AssertionDeps,
  assertion: string,
  device: DeviceRow,
): Promise<JWTPayload | undefined> {
  try {
    const { payload } = await jwtVerify(assertion, await importJWK({ ...device.key }, algorithm), {
      algorithms: [algorithm],
      typ: "client-authentication+jwt",
      issuer: device.id,
      subject: device.id,
      audience: [...deps.publicUrls],
      clockTolerance: deviceSkewSMax,
      maxTokenAge: assertionLifeSMax,
      requiredClaims,
      currentDate: joseDate(deps.clock),
    });
    return payload;
  } catch {
    return undefined;
  }
}
