import type { NamespaceId } from "../../packages/protocol/src/index.ts";
import type { AccountState } from "../../apps/server/src/store/memory/account-state.ts";

/**
 * Why a page should not have been served: the head that its cursor was told is not one of this
 * server's history, so what follows it here is not what follows what the replica has (MK2).
 */
export function foreignHistory(accounts: AccountState, url: string): string | undefined {
  const [, namespace] = /\/v1\/namespaces\/([^/?]+)\/records\?/.exec(url) ?? [];
  const after = new URL(url).searchParams.get("after") ?? "";
  if (namespace === undefined || after === "") return undefined;
  const text = Buffer.from(after, "base64url").toString("utf8");
  const [, , head, mark] = JSON.parse(text) as readonly [number, number, number, string];
  const state = accounts.namespaces.get(namespace as NamespaceId);
  const known = state?.marks.get(head)?.mark;
  return known === mark ? undefined : `a page after head ${head} of another history was served`;
}
