/** The credentials of a paired device: access tokens for its assertions, a proof for each request. */
import { fail, ok, type DeviceId } from "@tidemark/protocol";
import { helloSchema, tokenAnswerSchema } from "@tidemark/protocol/wire";
import type { Caller } from "../http/caller.ts";
import type { Clock, Random } from "../ports.ts";
import { syncLimits } from "../sync-limits.ts";
import { cancelled, type Answer, type Failure } from "../transport.ts";
import {
  algorithm,
  createKeySigner,
  type ProofHash,
  type Proven,
  type SigningKey,
} from "./key-signer.ts";

/** The headers that prove who asks. */
export interface ProofHeaders {
  readonly authorization: string;
  readonly dpop: string;
}

/** What a caller needs to speak for a device. */
export interface Credentials {
  /** Headers for one request; gets a token first where there is none. */
  headers(
    request: Pick<Proven, "method" | "url" | "query" | "body">,
    signal: AbortSignal,
  ): Promise<Answer<ProofHeaders>>;
  /** Gets a new token, unless the one that was refused has been replaced already. */
  renew(refused: string, signal: AbortSignal): Promise<Answer<undefined>>;
  /** Keeps the nonce that an answer brought, for the proofs to come (AU61). */
  keepNonce(nonce: string): void;
}

/** What making credentials needs. */
export interface AuthDeps {
  /** A caller without credentials, of the server in use. */
  readonly caller: Caller;
  readonly device: DeviceId;
  readonly key: SigningKey;
  readonly clock: Clock;
  readonly random: Random;
  readonly sha256: ProofHash;
  /**
   * Higher than every one before and than `above`, and on disk before it is returned: a server
   * tells copies of a device by it (AU16). `nowMs` is the server's time as far as it is known, for
   * a counter that begins: a server takes none that is far above its clock.
   */
  readonly nextCounter: (above: number, nowMs: number) => number;
  /** Lets the programs of one home ask for tokens one after the other; default: at once. */
  readonly inTurn?: InTurn;
}

/** Runs work when it is its turn; where that takes too long, all the same. */
export type InTurn = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

const assertionLifeS = 60;
/** What the proofs of this client carry beyond the least; servers of before do not ask for it. */
const proofExtras = ["nonce", "bh", "qh"];
/** A longer nonce is none: it would make a proof that no server reads. */
const nonceCharsMax = 256;
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
      try {
        const answer = await shared;
        if (answer.ok) token = answer.value;
        // Whoever asked first may have given up; that is no reason for the others to.
        const isOthers = !answer.ok && answer.error.code === cancelled.code && !signal.aborted;
        if (!isOthers) return answer;
      } finally {
        // Also where this machine refused it, as a full disk does: the next one asks anew (EN29).
        if (pending === shared) pending = undefined;
      }
    }
  };

  return {
    keepNonce: (nonce) => {
      signer.keepNonce(nonce);
    },
    headers: async ({ method, url, query, body }, signal) => {
      const isFresh = token !== undefined && signer.nowMs() < token.renewAtMs;
      const current = isFresh && token !== undefined ? ok(token) : await obtain(signal);
      if (!current.ok) return current;
      const { text } = current.value;
      const dpop = await signer.proof({ method, url, token: text, query, body });
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

/**
 * Counters that reach the server in another order than they were taken look like a copied key, so
 * a home asks in turns. Where the key does live in two places, or this home was put back, it leaps
 * above the other one and goes on; the server has told all devices (ADR 21).
 */
async function requestOnce(
  deps: AuthDeps,
  signer: Signer,
  signal: AbortSignal,
): Promise<Answer<Token>> {
  const inTurn: InTurn = deps.inTurn ?? ((work) => work());
  return await inTurn(async () => {
    const first = await showAssertion(deps, signer, { above: 0, signal });
    const above = first.ok ? undefined : first.error.counter;
    return above === undefined ? first : await showAssertion(deps, signer, { above, signal });
  }, signal);
}

async function showAssertion(
  { caller }: AuthDeps,
  signer: Signer,
  { above, signal }: { readonly above: number; readonly signal: AbortSignal },
): Promise<Answer<Token>> {
  const path = "/v1/auth/token";
  const url = `${caller.serverUrl}${path}`;
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: await signer.assertion(above),
  });
  const body = { type: "application/x-www-form-urlencoded", content: form.toString() };
  const headers = { dpop: await signer.proof({ method: "POST", url }) };
  const onNonce = (nonce: string): void => {
    signer.keepNonce(nonce);
  };
  const answer = await caller.json(
    { method: "POST", path, body, headers, onNonce },
    tokenAnswerSchema,
    signal,
  );
  if (!answer.ok) return fail(signal.aborted ? cancelled : toldOf(answer.error));
  const { access_token: text, expires_in: lifeS } = answer.value;
  // A very short life is halved rather than used up by the slack.
  const usefulMs = Math.max(lifeS * 1000 - syncLimits.tokenSlackMs, lifeS * 500);
  return ok({ text, renewAtMs: signer.nowMs() + usefulMs });
}

/** "The access token is not valid" says nothing to a person whose device got none (CL52). */
function toldOf(failure: Failure): Failure {
  if (failure.code !== "invalid-token") return failure;
  return { ...failure, title: "The server does not know this device, or not from here." };
}

interface Signer {
  /** The server's time, as far as it is known. */
  nowMs(): number;
  /** Whether the clock was off and is corrected now. */
  correctClock(signal: AbortSignal): Promise<boolean>;
  keepNonce(nonce: string): void;
  assertion(above: number): Promise<string>;
  /** With the newest nonce, where it is about a token: an assertion is taken once without. */
  proof(about: Proven): Promise<string>;
}

function createSigner(deps: AuthDeps): Signer {
  const { caller, device, key, clock } = deps;
  const signer = createKeySigner(deps);
  let offsetMs = 0;
  let nonce: string | undefined;
  const nowMs = (): number => clock.nowMs() + offsetMs;
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
    assertion: (above) => {
      const header = { alg: algorithm, typ: "client-authentication+jwt", kid: key.thumbprint };
      const exp = Math.floor(nowMs() / 1000) + assertionLifeS;
      const { serverUrl: aud } = caller;
      const ctr = deps.nextCounter(above, nowMs());
      const claims = { iss: device, sub: device, aud, exp, ctr, proofs: proofExtras };
      return signer.sign(header, claims, nowMs());
    },
    keepNonce: (given) => {
      if (given.length <= nonceCharsMax) nonce = given;
    },
    proof: (about) =>
      signer.proof(about.token === undefined ? about : { ...about, nonce }, nowMs()),
  };
}
