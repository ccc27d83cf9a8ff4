import { serverLimits } from "../limits.ts";

/** What authentication needs from outside. */
export interface AuthDeps {
  readonly clock: { nowMs(): number };
  readonly random: { bytes(count: number): Uint8Array };
  readonly sha256: (input: Uint8Array | string) => Uint8Array;
  readonly hmacSha256: (key: Uint8Array, input: Uint8Array) => Uint8Array;
  /** Compares in a time that tells nothing of where two texts differ. */
  readonly isSameSecret: (left: string, right: string) => boolean;
}

/** The addresses this server is known by, as origins such as `https://tidemark.example`. */
export type PublicUrls = readonly [main: string, ...others: string[]];

/** The one signature algorithm of tokens, assertions and proofs; the name `EdDSA` is refused. */
export const algorithm = "Ed25519";

/** Longest access token or assertion that is looked at, in characters. */
export const { tokenCharsMax } = serverLimits.credentials;
/** Longest proof that is looked at, in characters. */
export const { proofCharsMax } = serverLimits.credentials;
/** How far a device's clock may be off, in seconds. */
export const deviceSkewSMax = 300;
/** Life of an access token, in seconds. */
export const tokenLifeS = 600;
/** Clock differences among replicas of the server, in seconds. */
export const replicaSkewS = 5;
/**
 * Life of a nonce, in seconds. One comes with each token, and a device asks for the next token
 * earlier than this: no request is refused because its nonce has grown old.
 */
export const nonceLifeS = tokenLifeS - replicaSkewS;
/** Longest life of a device assertion, in seconds. */
export const assertionLifeSMax = 60;

/**
 * What proofs may carry beyond the least: the server's nonce, and hashes of the body and of the
 * query as they are sent.
 */
export type ProofExtra = "nonce" | "bh" | "qh";

const proofExtras: readonly ProofExtra[] = ["nonce", "bh", "qh"];

/**
 * The extras that a device says its proofs carry (AU17, AU18, AU24), as assertions and access tokens
 * name them; clients of before name none.
 */
export function proofExtrasIn(claim: unknown): readonly ProofExtra[] {
  if (!Array.isArray(claim)) return [];
  return proofExtras.filter((extra) => claim.includes(extra));
}
