import { fail, ok, type Result } from "@tidemark/protocol";
import { verifyProof, type DpopDeps } from "./dpop.ts";
import type { ReplayMemory } from "./replay-memory.ts";

/**
 * Gives the thumbprint of the key that a request was proven by, for a device that has no token yet
 * (PR1): a new proof for this request, and nothing about whose key it is.
 */
export async function provenKey(
  deps: DpopDeps & { readonly replays: ReplayMemory },
  shown: { readonly method: string; readonly path: string; readonly dpop: string | undefined },
): Promise<Result<string, "invalid-token" | "rate-limited">> {
  if (shown.dpop === undefined) return fail("invalid-token");
  const { method, path } = shown;
  const proof = await verifyProof(deps, shown.dpop, { method, path });
  if (!proof.ok) return fail("invalid-token");
  const { thumbprint, jti, untilMs } = proof.value;
  const replay = deps.replays.remember(thumbprint, jti, untilMs);
  if (replay === "full") return fail("rate-limited");
  return replay === "new" ? ok(thumbprint) : fail("invalid-token");
}
