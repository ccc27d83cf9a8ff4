import type { NamespaceId, UserId } from "@tidemark/protocol";
import type { AccountState } from "../memory/account-state.ts";
import { emptyNamespace, saveMember } from "../memory/namespace-state.ts";

/** Gives somebody so many team namespaces in memory, whatever their number is bounded by. */
export function ownNamespaces(state: AccountState, user: UserId, count: number): void {
  for (let at = 0; at < count; at += 1) {
    const id = `ns_own${at}` as NamespaceId;
    const namespace = emptyNamespace({ id, name: "own", kind: "team" }, "mark0", 1);
    saveMember(namespace, user, { role: "owner", nowMs: 1 });
    state.namespaces.set(id, namespace);
  }
}
