import type { NamespaceId } from "@tidemark/protocol";
import type { ReplicaStore } from "../../store/replica-store.ts";
import type { Exchanged } from "../exchange.ts";
import type { KeyExchange } from "./key-exchange.ts";

/**
 * Where a push was refused because the namespace has a newer key, fetches that unless it is here:
 * what waits is sealed anew and goes at once (EE11). Without the key it waits, as after any failure
 * that passes.
 */
export async function withNewKey(
  { keys, store }: { readonly keys?: KeyExchange | undefined; readonly store: ReplicaStore },
  namespace: NamespaceId,
  pushed: Exchanged,
  signal: AbortSignal,
): Promise<Exchanged> {
  if (pushed?.kind !== "failed" || pushed.failure.code !== "stale-epoch") return pushed;
  const before = store.sealing(namespace)?.epoch ?? 0;
  await keys?.refresh(namespace, signal);
  const after = store.sealing(namespace);
  const isHere = after?.hasKey === true;
  const isResealed = isHere && store.resealRefused(namespace);
  if (isResealed || (isHere && after.epoch > before)) {
    return { kind: "push-answered", outcome: { kind: "position", hasMore: true } };
  }
  return { ...pushed, failure: { ...pushed.failure, family: "retry" } };
}
