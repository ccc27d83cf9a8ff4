import {
  assertInvariant,
  fail,
  ok,
  type DeviceId,
  type NamespaceId,
  type Result,
  type UserId,
} from "@tidemark/protocol";
import type { NamespaceInfo } from "@tidemark/protocol/wire";
import type { AccountStore, AdmissionError } from "../accounts-port.ts";
import { setupSecretsMax } from "../admission-rules.ts";
import type { AccountState, StoredDevice } from "./account-state.ts";
import { acceptInvite, claim, linkState, redeemLink } from "./admission.ts";
import { membershipMethods } from "./membership.ts";
import { emptyNamespace, type NamespaceState } from "./namespace-state.ts";

/** People, devices, links and keys in memory. */
export function memoryAccounts(state: AccountState, clock: { nowMs(): number }): AccountStore {
  return {
    server: async (makeId) => {
      state.server ??= { id: makeId(), claimedAtMs: undefined, setup: new Map() };
      return { id: state.server.id, claimedAtMs: state.server.claimedAtMs };
    },
    saveSetupSecret: async (secretHash, expiresAtMs) =>
      saveSetupSecret(state, { secretHash, expiresAtMs }, clock.nowMs()),
    claim: async (input) => claim(state, input),
    createLink: async (link) => {
      state.links.set(link.id, { ...link, isUsed: false });
    },
    linkState: async (input) => linkState(state, input),
    redeemLink: async (input) => redeemLink(state, input),
    acceptInvite: async (input) => acceptInvite(state, input),
    ...deviceMethods(state),
    namespaces: async (asking) => namespacesOf(state, asking),
    createNamespace: async (input) => createNamespace(state, input, clock.nowMs()),
    ...membershipMethods(state),
    signingKeys: async () =>
      [...state.signingKeys.values()].toSorted(
        (left, right) => right.createdAtMs - left.createdAtMs,
      ),
    addSigningKey: async (key) => {
      const active = [...state.signingKeys.values()].find((held) => held.status === "active");
      if (active !== undefined && active.createdAtMs >= key.createdAtMs) return;
      if (active !== undefined)
        state.signingKeys.set(active.kid, { ...active, status: "retiring" });
      state.signingKeys.set(key.kid, key);
    },
    heads: async (namespaces) => headsOf(state, namespaces),
  };
}

function saveSetupSecret(
  state: AccountState,
  secret: { readonly secretHash: string; readonly expiresAtMs: number },
  nowMs: number,
): Result<void, AdmissionError> {
  const { server } = state;
  assertInvariant(server !== undefined, "the server row is made first");
  if (server.claimedAtMs !== undefined) return fail({ kind: "already-claimed" });
  const kept = [...server.setup]
    .filter(([, expiresAtMs]) => expiresAtMs > nowMs)
    .toSorted(([, left], [, right]) => left - right)
    .slice(1 - setupSecretsMax);
  const setup = new Map([...kept, [secret.secretHash, secret.expiresAtMs]]);
  state.server = { ...server, setup };
  return ok(undefined);
}

type DeviceMethods = Pick<
  AccountStore,
  "device" | "identity" | "touchDevice" | "devices" | "renameDevice" | "revokeDevice"
>;

function deviceMethods(state: AccountState): DeviceMethods {
  const change = (id: DeviceId, by: Partial<StoredDevice>): void => {
    const device = state.devices.get(id);
    if (device !== undefined) state.devices.set(id, { ...device, ...by });
  };
  const isOwn = (asking: DeviceId, id: DeviceId): boolean => {
    const user = state.devices.get(asking)?.user;
    return user !== undefined && state.devices.get(id)?.user === user;
  };
  return {
    device: async (id) => {
      const device = state.devices.get(id);
      if (device === undefined) return undefined;
      const { user, name, status, key, thumbprint } = device;
      return { id, user, name, status, key, thumbprint };
    },
    identity: async (id) => {
      const device = state.devices.get(id);
      const user = device?.status === "active" ? state.users.get(device.user) : undefined;
      if (device === undefined || user === undefined) return undefined;
      return { user, device: { id, name: device.name } };
    },
    touchDevice: async (id, nowMs) => {
      change(id, { lastSeenAtMs: nowMs });
    },
    devices: async (asking) =>
      [...state.devices.values()]
        .filter((device) => isOwn(asking, device.id))
        .toSorted((left, right) => left.pairedAtMs - right.pairedAtMs)
        .map(({ id, name, platform, status, pairedAtMs, lastSeenAtMs }) => ({
          id,
          name,
          platform,
          status,
          pairedAt: pairedAtMs,
          lastSeenAt: lastSeenAtMs ?? null,
        })),
    renameDevice: async (asking, id, name) => {
      if (!isOwn(asking, id)) return false;
      change(id, { name });
      return true;
    },
    revokeDevice: async (asking, id) => {
      if (!isOwn(asking, id)) return false;
      change(id, { status: "revoked" });
      return true;
    },
  };
}

function namespacesOf(state: AccountState, asking: DeviceId): readonly NamespaceInfo[] {
  const user = state.devices.get(asking)?.user;
  if (user === undefined) return [];
  return [...state.namespaces.values()]
    .flatMap((namespace) => infoOf(namespace, user) ?? [])
    .toSorted((left, right) => Number(isTeam(left)) - Number(isTeam(right)));
}

function infoOf(namespace: NamespaceState, user: UserId): NamespaceInfo | undefined {
  const role = namespace.members.get(user);
  if (role === undefined) return undefined;
  const { id, name, kind, head } = namespace;
  return { id, name, kind, role, head: head.head };
}

function isTeam(namespace: NamespaceInfo): boolean {
  return namespace.kind === "team";
}

function createNamespace(
  state: AccountState,
  input: Parameters<AccountStore["createNamespace"]>[0],
  nowMs: number,
): NamespaceInfo | undefined {
  const device = state.devices.get(input.asking);
  if (device === undefined || device.status !== "active") return undefined;
  const place = { id: input.id, name: input.name, kind: "team" as const };
  const namespace = emptyNamespace(place, input.mark, nowMs);
  namespace.members.set(device.user, "owner");
  state.namespaces.set(input.id, namespace);
  return infoOf(namespace, device.user);
}

function headsOf(
  state: AccountState,
  namespaces: readonly NamespaceId[],
): ReadonlyMap<NamespaceId, number> {
  return new Map(
    namespaces.flatMap((id) => {
      const namespace = state.namespaces.get(id);
      return namespace === undefined ? [] : [[id, namespace.head.head] as const];
    }),
  );
}
