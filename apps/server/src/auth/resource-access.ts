import { fail, ok, type Result } from "@tidemark/protocol";
import { base64url } from "jose";
import { isWithin } from "../networks.ts";
import type { AccountStore, DeviceRow } from "../store/accounts-port.ts";
import { verifyAccessToken, type TokenCheckDeps, type VerifiedHolder } from "./access-token.ts";
import type { AuthDeps } from "./auth-deps.ts";
import { verifyProof, type DpopDeps, type Proof } from "./dpop.ts";
import type { Nonces } from "./nonces.ts";
import type { ReplayMemory } from "./replay-memory.ts";

/** What authenticating a request needs. */
export interface ResourceAccessDeps extends AuthDeps, TokenCheckDeps, DpopDeps {
  readonly replays: ReplayMemory;
  readonly nonces: Nonces;
  readonly accounts: Pick<AccountStore, "device" | "noteOutsider">;
}

/** A request as authentication sees it. */
export interface ShownCredentials {
  readonly method: string;
  readonly path: string;
  /** All that follows the first question mark, as sent; empty where there is none. */
  readonly query: string;
  /** The headers' values; several of one name come joined by commas. */
  readonly authorization: string | undefined;
  readonly dpop: string | undefined;
  /** Whether a body follows that the route reads. */
  readonly hasBody: boolean;
  /** Where the request came from, as far as is known, and the prefix of that for the audit. */
  readonly address: string | undefined;
  readonly network: string | undefined;
}

/** A device that proved to have sent a request. */
export interface Authenticated {
  readonly device: DeviceRow;
  /** What its body has to hash to, where the proof says so (AU18). */
  readonly bodyHash: string | undefined;
  /** Whether its query, or that it has none, is the signer's own word (AU24). */
  readonly isQuerySigned: boolean;
}

/** Why a request is not let in. */
export type AccessError =
  | { readonly kind: "invalid-token" }
  | { readonly kind: "use-dpop-nonce" }
  | { readonly kind: "query-changed" }
  | { readonly kind: "device-revoked" }
  | { readonly kind: "rate-limited" };

const invalid = fail({ kind: "invalid-token" } as const);

/**
 * Tells which device sent a request (AU4, AU6): token, proof, the key of both, that the proof is
 * new, and that the device is active and the token's key was not revoked at this moment, so that
 * either works on the next call (AU9, AU20). A machine that is bound to networks is let in from
 * there alone, or its key and a token were good elsewhere until the token ends (PR14).
 * A bearer token is refused always, and so are two headers where one belongs.
 *
 * @param mayCall whether the device may make this call now; asked before its proof takes a place
 *   in the memory of used ones, so that nobody fills that faster than they may call (AU7)
 */
export async function authenticateDevice(
  deps: ResourceAccessDeps,
  shown: ShownCredentials,
  mayCall: (device: DeviceRow) => boolean = () => true,
): Promise<Result<Authenticated, AccessError>> {
  const proven = await provenHolder(deps, shown);
  if (!proven.ok) return proven;
  const { device: id, user, thumbprint, kid } = proven.value.holder;
  const device = await deps.accounts.device(id, kid);
  if (device === undefined || device.user !== user) return invalid;
  if (!deps.isSameSecret(device.thumbprint, thumbprint)) return invalid;
  if (device.status !== "active") return fail({ kind: "device-revoked" });
  if (!mayCall(device)) return fail({ kind: "rate-limited" });
  const { address, network } = shown;
  if (!isWithin(device.networks, address)) {
    await deps.accounts.noteOutsider({ device: id, nowMs: deps.clock.nowMs(), network });
    return invalid;
  }
  const { bodyHash, queryHash, jti, untilMs } = proven.value.proof;
  const replay = deps.replays.remember(thumbprint, jti, untilMs);
  if (replay === "full") return fail({ kind: "rate-limited" });
  const isQuerySigned = queryHash !== undefined;
  return replay === "new" ? ok({ device, bodyHash, isQuerySigned }) : invalid;
}

/** Whom the token names, once a new proof has shown the key that the token is bound to. */
async function provenHolder(
  deps: ResourceAccessDeps,
  shown: ShownCredentials,
): Promise<Result<{ holder: VerifiedHolder; proof: Proof }, AccessError>> {
  const token = /^dpop +([^\s,]+)$/i.exec(shown.authorization ?? "")?.[1];
  if (token === undefined || shown.dpop === undefined) return invalid;
  const holder = await verifyAccessToken(deps, token);
  if (!holder.ok) return invalid;
  const { method, path } = shown;
  const proof = await verifyProof(deps, shown.dpop, { method, path, token });
  if (!proof.ok) return invalid;
  const { thumbprint, jti } = proof.value;
  if (!deps.isSameSecret(thumbprint, holder.value.thumbprint)) return invalid;
  // Before anything is counted against the device: whoever copied a proof has not called.
  if (deps.replays.hasSeen(thumbprint, jti)) return invalid;
  const missing = await missingExtra(deps, holder.value, { proof: proof.value, shown });
  return missing ?? ok({ holder: holder.value, proof: proof.value });
}

/**
 * What a proof lacks of that which the device said its proofs carry. What a client of before shows
 * by chance is held to the same.
 */
async function missingExtra(
  deps: ResourceAccessDeps,
  { extras = [] }: VerifiedHolder,
  { proof, shown }: { readonly proof: Proof; readonly shown: ShownCredentials },
): Promise<Result<never, AccessError> | undefined> {
  const { nonce, bodyHash, queryHash } = proof;
  if (queryHash === undefined && extras.includes("qh")) return invalid;
  if (!isQueryOf(deps, queryHash, shown.query)) return fail({ kind: "query-changed" });
  if (shown.hasBody && bodyHash === undefined && extras.includes("bh")) return invalid;
  if (nonce === undefined && !extras.includes("nonce")) return undefined;
  const isFresh = nonce !== undefined && (await deps.nonces.isFresh(nonce));
  return isFresh ? undefined : fail({ kind: "use-dpop-nonce" });
}

/** Whether this is the query that the proof was signed for, where it says so (AU24). */
function isQueryOf(
  deps: Pick<AuthDeps, "sha256" | "isSameSecret">,
  signed: string | undefined,
  sent: string,
): boolean {
  return signed === undefined || deps.isSameSecret(signed, base64url.encode(deps.sha256(sent)));
}
