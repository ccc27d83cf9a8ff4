import { fail, ok, type Result } from "@tidemark/protocol";
import type { AccountStore, DeviceRow } from "../store/accounts-port.ts";
import { verifyAccessToken, type AccessTokenDeps, type TokenHolder } from "./access-token.ts";
import type { AuthDeps } from "./auth-deps.ts";
import { verifyProof, type DpopDeps } from "./dpop.ts";
import type { ReplayMemory } from "./replay-memory.ts";

/** What authenticating a request needs. */
export interface ResourceAccessDeps extends AuthDeps, AccessTokenDeps, DpopDeps {
  readonly replays: ReplayMemory;
  readonly accounts: Pick<AccountStore, "device">;
}

/** A request as authentication sees it. */
export interface ShownCredentials {
  readonly method: string;
  readonly path: string;
  /** The headers' values; several of one name come joined by commas. */
  readonly authorization: string | undefined;
  readonly dpop: string | undefined;
}

/** Why a request is not let in. */
export type AccessError =
  | { readonly kind: "invalid-token" }
  | { readonly kind: "device-revoked" }
  | { readonly kind: "rate-limited" };

const invalid = fail({ kind: "invalid-token" } as const);

/**
 * Tells which device sent a request (AU4, AU6): token, proof, the key of both, that the proof is
 * new, and last that the device is active at this moment, so a revocation works on the next call.
 * A bearer token is refused always, and so are two headers where one belongs.
 */
export async function authenticateDevice(
  deps: ResourceAccessDeps,
  shown: ShownCredentials,
): Promise<Result<DeviceRow, AccessError>> {
  const holder = await provenHolder(deps, shown);
  if (!holder.ok) return holder;
  const { device: id, user, thumbprint } = holder.value;
  const device = await deps.accounts.device(id);
  if (device === undefined || device.user !== user) return invalid;
  if (!deps.isSameSecret(device.thumbprint, thumbprint)) return invalid;
  return device.status === "active" ? ok(device) : fail({ kind: "device-revoked" });
}

/** Whom the token names, once a new proof has shown the key that the token is bound to. */
async function provenHolder(
  deps: ResourceAccessDeps,
  shown: ShownCredentials,
): Promise<Result<TokenHolder, AccessError>> {
  const token = /^dpop +([^\s,]+)$/i.exec(shown.authorization ?? "")?.[1];
  if (token === undefined || shown.dpop === undefined) return invalid;
  const holder = await verifyAccessToken(deps, token);
  if (!holder.ok) return invalid;
  const { method, path } = shown;
  const proof = await verifyProof(deps, shown.dpop, { method, path, token });
  if (!proof.ok) return invalid;
  const { thumbprint, jti, untilMs } = proof.value;
  if (!deps.isSameSecret(thumbprint, holder.value.thumbprint)) return invalid;
  const replay = deps.replays.remember(thumbprint, jti, untilMs);
  if (replay === "full") return fail({ kind: "rate-limited" });
  return replay === "new" ? holder : invalid;
}
