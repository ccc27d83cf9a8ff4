/** The credentials of a paired device: access tokens for its assertions, a proof for each request. */
import { base32, fail, ok, type DeviceId, type Sha256 } from "@tidemark/protocol";
import { helloSchema, tokenAnswerSchema, type DeviceKey } from "@tidemark/protocol/wire";
import { base64url, importJWK, SignJWT, type JWTPayload } from "jose";
import type { Caller } from "../http/caller.ts";
import type { Clock, Random } from "../ports.ts";
import { syncLimits } from "../sync-limits.ts";
import { cancelled, type Answer } from "../transport.ts";

/** The headers that prove who asks. */
export interface ProofHeaders {
  readonly authorization: string;
  readonly dpop: string;
}

/** What a caller needs to speak for a device. */
export interface Credentials {
  /** Headers for one request; gets a token first where there is none. */
  headers(
    request: { readonly method: string; readonly url: string },
    signal: AbortSignal,
  ): Promise<Answer<ProofHeaders>>;
  /** Gets a new token, unless the one that was refused has been replaced already. */
  renew(refused: string, signal: AbortSignal): Promise<Answer<undefined>>;
}

/** The device's key, as `platform/` keeps it. */
export interface SigningKey {
  readonly publicJwk: DeviceKey;
  /** RFC 7638 thumbprint, base64url. */
  readonly thumbprint: string;
  privateJwk(): DeviceKey & { readonly d: string };
}

/** What making credentials needs. */
export interface AuthDeps {
  /** A caller without credentials, of the server in use. */
  readonly caller: Caller;
  readonly device: DeviceId;
  readonly key: SigningKey;
  readonly clock: Clock;
  readonly random: Random;
  readonly sha256: Sha256;
  /** Rising, and on disk before it is returned: a server tells copies of a device by it. */
  readonly nextCounter: () => number;
}

const algorithm = "Ed25519";
const assertionLifeS = 60;
/** Clocks that differ by less are left alone, in milliseconds. */
const clockSlackMs = 30_000;

interface Token {
  readonly text: string;
  readonly renewAtMs: number;
}

/** Makes the credentials of one device at one server (AU50). Tokens live in memory alone. */
export function createCredentials(deps: AuthDeps): Credentials {
  const signer = createSigner(deps);
  let token: Token | undefined;
  let pending: Promise<Answer<Token>> | undefined;

  const obtain = async (signal: AbortSignal): Promise<Answer<Token>> => {
    for (;;) {
      pending ??= requestToken(deps, signer, signal);
      const shared = pending;
      const answer = await shared;
      if (pending === shared) pending = undefined;
      if (answer.ok) token = answer.value;
      // Whoever asked first may have given up; that is no reason for the others to.
      const isOthers = !answer.ok && answer.error.code === cancelled.code && !signal.aborted;
      if (!isOthers) return answer;
    }
  };

  return {
    headers: async ({ method, url }, signal) => {
      const isFresh = token !== undefined && signer.nowMs() < token.renewAtMs;
      const current = isFresh && token !== undefined ? ok(token) : await obtain(signal);
      if (!current.ok) return current;
      const { text } = current.value;
      const dpop = await signer.proof({ method, url, token: text });
      return ok({ authorization: `DPoP ${text}`, dpop });
    },
    renew: async (refused, signal) => {
      if (token !== undefined && refused !== `DPoP ${token.text}`) return ok(undefined);
      token = undefined;
      await signer.correctClock(signal);
      const answer = await obtain(signal);
      return answer.ok ? ok(undefined) : answer;
    },
  };
}

/** A wrong clock looks like a wrong device, so the server's clock is asked before giving up (AU53). */
async function requestToken(
  deps: AuthDeps,
  signer: Signer,
  signal: AbortSignal,
): Promise<Answer<Token>> {
  const first = await requestOnce(deps, signer, signal);
  if (first.ok || first.error.code !== "invalid-token") return first;
  const isCorrected = await signer.correctClock(signal);
  return isCorrected ? await requestOnce(deps, signer, signal) : first;
}

async function requestOnce(
  { caller }: AuthDeps,
  signer: Signer,
  signal: AbortSignal,
): Promise<Answer<Token>> {
  const path = "/v1/auth/token";
  const url = `${caller.serverUrl}${path}`;
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: await signer.assertion(),
  });
  const body = { type: "application/x-www-form-urlencoded", content: form.toString() };
  const headers = { dpop: await signer.proof({ method: "POST", url }) };
  const answer = await caller.json(
    { method: "POST", path, body, headers },
    tokenAnswerSchema,
    signal,
  );
  if (!answer.ok) return signal.aborted ? fail(cancelled) : answer;
  const { access_token: text, expires_in: lifeS } = answer.value;
  // A very short life is halved rather than used up by the slack.
  const usefulMs = Math.max(lifeS * 1000 - syncLimits.tokenSlackMs, lifeS * 500);
  return ok({ text, renewAtMs: signer.nowMs() + usefulMs });
}

interface Signer {
  /** The server's time, as far as it is known. */
  nowMs(): number;
  /** Whether the clock was off and is corrected now. */
  correctClock(signal: AbortSignal): Promise<boolean>;
  assertion(): Promise<string>;
  proof(about: {
    readonly method: string;
    readonly url: string;
    readonly token?: string;
  }): Promise<string>;
}

function createSigner(deps: AuthDeps): Signer {
  const { caller, device, key, clock, random, sha256 } = deps;
  let offsetMs = 0;
  let imported: ReturnType<typeof importJWK> | undefined;
  const nowMs = (): number => clock.nowMs() + offsetMs;
  const sign = async (
    header: { readonly alg: string; readonly typ: string; readonly [member: string]: unknown },
    claims: JWTPayload,
  ): Promise<string> => {
    imported ??= importJWK({ ...key.privateJwk() }, algorithm);
    const iat = Math.floor(nowMs() / 1000);
    const payload = { ...claims, iat, jti: base32(random.bytes(16)) };
    return await new SignJWT(payload).setProtectedHeader(header).sign(await imported);
  };
  return {
    nowMs,
    correctClock: async (signal) => {
      const hello = await caller.json({ method: "GET", path: "/v1/hello" }, helloSchema, signal);
      if (!hello.ok) return false;
      const offMs = hello.value.server.time - nowMs();
      if (Math.abs(offMs) < clockSlackMs) return false;
      offsetMs += offMs;
      return true;
    },
    assertion: () => {
      const header = { alg: algorithm, typ: "client-authentication+jwt", kid: key.thumbprint };
      const exp = Math.floor(nowMs() / 1000) + assertionLifeS;
      const { serverUrl: aud } = caller;
      return sign(header, { iss: device, sub: device, aud, exp, ctr: deps.nextCounter() });
    },
    proof: ({ method, url, token }) => {
      const { kty, crv, x } = key.publicJwk;
      const header = { alg: algorithm, typ: "dpop+jwt", jwk: { kty, crv, x } };
      const ath = token === undefined ? {} : { ath: base64url.encode(sha256(token)) };
      return sign(header, { htm: method, htu: url, ...ath });
    },
  };
}
