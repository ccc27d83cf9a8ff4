import { fail, ok, type Result } from "@tidemark/protocol";
import type { TokenAnswer } from "@tidemark/protocol/wire";
import { isWithin } from "../networks.ts";
import type { AccountStore, DeviceRow } from "../store/accounts-port.ts";
import type { CounterVerdict } from "../store/audit-port.ts";
import { issueAccessToken, type AccessTokenDeps } from "./access-token.ts";
import { verifyAssertion } from "./assertion.ts";
import { tokenLifeS, type AuthDeps } from "./auth-deps.ts";
import { verifyProof, type DpopDeps } from "./dpop.ts";
import type { ReplayMemory } from "./replay-memory.ts";
import type { AccessError } from "./resource-access.ts";

/** What granting a token needs. */
export interface TokenGrantDeps extends AuthDeps, AccessTokenDeps, DpopDeps {
  readonly replays: ReplayMemory;
  readonly accounts: Pick<AccountStore, "device" | "noteOutsider" | "showCounter">;
}

/** A request for a token. */
export interface TokenRequest {
  readonly method: string;
  readonly path: string;
  readonly dpop: string | undefined;
  readonly assertion: string;
  /** The prefix of the network that it came from, for the audit. */
  readonly network: string | undefined;
  /** Where it came from, as far as is known. */
  readonly address: string | undefined;
}

/** Why there is no token; `key-copied` tells the highest counter to who holds the key (AU16). */
export type GrantError = AccessError | { readonly kind: "key-copied"; readonly counter: number };

/** A token, and whose it is. */
export interface TokenGrant {
  readonly device: DeviceRow;
  readonly answer: TokenAnswer;
}

/**
 * Gives a device an access token for its assertion and a proof by the same key (AU8). There is no
 * refresh token and nothing to steal at rest but the key itself. A counter that does not rise says
 * that the key is in two places: nothing is given, and all the person's devices are told (AU16).
 * A machine that is bound to networks gets one there alone (PR14).
 */
export async function grantToken(
  deps: TokenGrantDeps,
  request: TokenRequest,
): Promise<Result<TokenGrant, GrantError>> {
  const { method, path } = request;
  const invalid = fail({ kind: "invalid-token" } as const);
  if (request.dpop === undefined) return invalid;
  const proof = await verifyProof(deps, request.dpop, { method, path });
  if (!proof.ok) return invalid;
  const { clock, isSameSecret, publicUrls } = deps;
  const asserted = await verifyAssertion(
    { clock, isSameSecret, publicUrls, device: (id) => deps.accounts.device(id) },
    request.assertion,
  );
  if (!asserted.ok) return asserted;
  const { device, jti, counter, extras, untilMs } = asserted.value;
  const { thumbprint } = device;
  if (!isSameSecret(proof.value.thumbprint, thumbprint)) return invalid;
  const shown = new Set([
    deps.replays.remember(thumbprint, proof.value.jti, proof.value.untilMs),
    deps.replays.remember(thumbprint, `assertion ${jti}`, untilMs),
  ]);
  if (shown.has("seen")) return invalid;
  if (shown.has("full")) return fail({ kind: "rate-limited" });
  const { network, address } = request;
  const nowMs = clock.nowMs();
  if (!isWithin(device.networks, address)) {
    await deps.accounts.noteOutsider({ device: device.id, nowMs, network });
    return invalid;
  }
  const shownCounter = await deps.accounts.showCounter({
    device: device.id,
    counter,
    nowMs,
    network,
  });
  const refusal = refusalOf(shownCounter);
  if (refusal !== undefined) return fail(refusal);
  const holder = { user: device.user, device: device.id, thumbprint, extras };
  const accessToken = await issueAccessToken(deps, holder);
  return ok({
    device,
    answer: { access_token: accessToken, token_type: "DPoP", expires_in: tokenLifeS },
  });
}

function refusalOf(verdict: CounterVerdict): GrantError | undefined {
  if (verdict.kind === "shown") return undefined;
  // It was active when the assertion was checked, a moment ago.
  if (verdict.kind === "unknown") return { kind: "device-revoked" };
  return { kind: "key-copied", counter: verdict.counter };
}
