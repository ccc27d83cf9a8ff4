import {
  fail,
  isEncryptedId,
  ok,
  type DeviceId,
  type NamespaceId,
  type Result,
  type UserId,
} from "@tidemark/protocol";
import type { NamespaceInfo } from "@tidemark/protocol/wire";
import type { AccountStore, MemberDevice, NewNamespaceError } from "../accounts-port.ts";
import { lowerRole } from "../admission-rules.ts";
import { namespaceEntry } from "../audit-entries.ts";
import type { AccountState } from "./account-state.ts";
import { appendAudit } from "./audit.ts";
import { withWraps } from "./namespace-writer.ts";
import { emptyNamespace, saveMember, type NamespaceState } from "./namespace-state.ts";
import { hasAllPlaces } from "./places.ts";

/** Namespaces of the person whose device this is, as it may use them. */
export function namespacesOf(state: AccountState, asking: DeviceId): readonly NamespaceInfo[] {
  const device = state.devices.get(asking);
  if (device === undefined) return [];
  const { user, only } = device;
  return [...state.namespaces.values()]
    .filter(({ id }) => only === undefined || only.namespace === id)
    .filter(({ id }) => device.sealingKey !== undefined || !isEncryptedId(id))
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
): Result<NamespaceInfo, NewNamespaceError> {
  const device = state.devices.get(input.asking);
  if (device?.status !== "active" || device.only !== undefined) {
    return fail({ kind: "device-revoked" });
  }
  if (hasAllPlaces(state, device.user)) return fail({ kind: "too-many-namespaces" });
  const place = { id: input.id, name: input.name, kind: "team" as const };
  const namespace = emptyNamespace(place, input.mark, nowMs);
  if (input.sealed !== undefined) {
    namespace.log = [{ place: 0, entry: input.sealed.genesis, epoch: 1 }];
    namespace.wraps = withWraps([], input.sealed.wraps);
  }
  saveMember(namespace, device.user, { role: "owner", nowMs });
  state.namespaces.set(input.id, namespace);
  const by = { user: device.user, device: device.id, network: input.network };
  appendAudit(state, nowMs, namespaceEntry(by, input));
  return ok({ ...place, role: "owner", head: 0 });
}

/** See `AccountStore.saveSealingKey`. */
export function saveSealingKey(state: AccountState, id: DeviceId, statement: string): boolean {
  const device = state.devices.get(id);
  if (device?.status !== "active") return false;
  state.devices.set(id, { ...device, sealingKey: statement });
  return true;
}

/** See `AccountStore.memberDevices`. */
export function memberDevicesOf(
  state: AccountState,
  namespace: NamespaceId,
): readonly MemberDevice[] {
  const members = state.namespaces.get(namespace)?.members;
  return [...state.devices.values()].flatMap((device) => {
    const { id, name, user, key, sealingKey, status, isBrowser = false } = device;
    const isMember = members?.has(user) === true && status === "active" && !isBrowser;
    if (!isMember) return [];
    return [{ id, name, user, userName: state.users.get(user)?.name ?? "", key, sealingKey }];
  });
}
