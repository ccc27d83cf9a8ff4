import type { PushPlan } from "../store/replica-store.ts";
import type { Failure } from "./transport.ts";

/**
 * The writer belongs to another device: this home was copied and paired anew. No chain of ours
 * reads like this one, so the store sees a cloned home and mints a writer (CH4).
 */
export function foreignPosition(
  plan: Pick<PushPlan, "ackedAtRequest">,
): NonNullable<Failure["position"]> {
  return { acked: plan.ackedAtRequest, chain: "0".repeat(64), since: 0, results: [] };
}
