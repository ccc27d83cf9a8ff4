import type { DeviceId, UserId } from "@tidemark/protocol";
import type { NamespaceInfo } from "@tidemark/protocol/wire";
import type { AccountStore } from "../accounts-port.ts";
import { lowerRole } from "../admission-rules.ts";
import { namespaceEntry } from "../audit-entries.ts";
import type { AccountState } from "./account-state.ts";
import { appendAudit } from "./audit.ts";
import { emptyNamespace, type NamespaceState } from "./namespace-state.ts";

/** Namespaces of the person whose device this is, as it may use them. */
export function namespacesOf(state: AccountState, asking: DeviceId): readonly NamespaceInfo[] {
  const device = state.devices.get(asking);
  if (device === undefined) return [];
  const { user, only } = device;
  return [...state.namespaces.values()]
    .filter(({ id }) => only === undefined || only.namespace === id)
    .flatMap((namespace) => infoOf(namespace, user) ?? [])
    .map((info) => ({ ...info, role: lowerRole(info.role, only?.roleMax) }))
    .toSorted((left, right) => Number(isTeam(left)) - Number(isTeam(right)));
}

/** A namespace as its member is told of it. */
function infoOf(namespace: NamespaceState, user: UserId): NamespaceInfo | undefined {
  const role = namespace.members.get(user);
  if (role === undefined) return undefined;
  const { id, name, kind, head } = namespace;
  return { id, name, kind, role, head: head.head };
}

function isTeam(namespace: NamespaceInfo): boolean {
  return namespace.kind === "team";
}

/** See `AccountStore.createNamespace`. */
export function createNamespace(
  state: AccountState,
  input: Parameters<AccountStore["createNamespace"]>[0],
  nowMs: number,
): NamespaceInfo | undefined {
  const device = state.devices.get(input.asking);
  if (device?.status !== "active" || device.only !== undefined) return undefined;
  const place = { id: input.id, name: input.name, kind: "team" as const };
  const namespace = emptyNamespace(place, input.mark, nowMs);
  namespace.members.set(device.user, "owner");
  state.namespaces.set(input.id, namespace);
  const by = { user: device.user, device: device.id, network: input.network };
  appendAudit(state, nowMs, namespaceEntry(by, input));
  return infoOf(namespace, device.user);
}
