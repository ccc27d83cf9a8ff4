import {
  assertInvariant,
  fail,
  ok,
  type DeviceId,
  type NamespaceId,
  type Result,
  type UserId,
} from "@tidemark/protocol";
import type { DeviceInfo, NamespaceInfo } from "@tidemark/protocol/wire";
import type { AccountStore, AdmissionError } from "../accounts-port.ts";
import { lowerRole } from "../admission-rules.ts";
import { deviceEntry, namespaceEntry } from "../audit-entries.ts";
import type { AccountState, StoredDevice } from "./account-state.ts";
import { acceptInvite, linkState, redeemLink } from "./admission.ts";
import { linkMethods } from "./links.ts";
import { appendAudit, auditMethods } from "./audit.ts";
import { membershipMethods } from "./membership.ts";
import { emptyNamespace, type NamespaceState } from "./namespace-state.ts";
import { addSetupSecret, claimOrReset, saveOwnerReset } from "./owner-reset.ts";
import { pairingMethods } from "./pairings.ts";

/** People, devices, links and keys in memory. */
export function memoryAccounts(state: AccountState, clock: { nowMs(): number }): AccountStore {
  return {
    server: async (makeId) => {
      state.server ??= {
        id: makeId(),
        claimedAtMs: undefined,
        setup: new Map(),
        nonceKey: undefined,
      };
      return { id: state.server.id, claimedAtMs: state.server.claimedAtMs };
    },
    saveSetupSecret: async (secretHash, expiresAtMs) =>
      saveSetupSecret(state, { secretHash, expiresAtMs }, clock.nowMs()),
    saveOwnerReset: async (secret) => saveOwnerReset(state, secret),
    claim: async (input) => claimOrReset(state, input),
    linkState: async (input) => linkState(state, input),
    ...linkMethods(state, clock),
    redeemLink: async (input) => redeemLink(state, input),
    acceptInvite: async (input) => acceptInvite(state, input),
    ...deviceMethods(state, clock),
    ...pairingMethods(state),
    namespaces: async (asking) => namespacesOf(state, asking),
    createNamespace: async (input) => createNamespace(state, input, clock.nowMs()),
    ...membershipMethods(state, clock),
    ...auditMethods(state),
    nonceKey: async (make) => {
      const { server } = state;
      assertInvariant(server !== undefined, "the server row is made first");
      const nonceKey = server.nonceKey ?? make();
      state.server = { ...server, nonceKey };
      return nonceKey;
    },
    signingKeys: async () =>
      [...state.signingKeys.values()].toSorted(
        (left, right) => right.createdAtMs - left.createdAtMs,
      ),
    changeSigningKeys: async (change) => {
      const { rows, entry, nowMs } = change([...state.signingKeys.values()]);
      state.signingKeys.clear();
      for (const row of rows) state.signingKeys.set(row.kid, row);
      if (entry !== undefined) appendAudit(state, nowMs ?? clock.nowMs(), entry);
      return rows;
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
  addSetupSecret(state, secret, nowMs);
  return ok(undefined);
}

type DeviceMethods = Pick<
  AccountStore,
  "device" | "identity" | "touchDevice" | "devices" | "renameDevice" | "revokeDevice"
>;

function deviceMethods(state: AccountState, clock: { nowMs(): number }): DeviceMethods {
  const change = (id: DeviceId, by: Partial<StoredDevice>): void => {
    const device = state.devices.get(id);
    if (device !== undefined) state.devices.set(id, { ...device, ...by });
  };
  const own = (asking: DeviceId, id: DeviceId): StoredDevice | undefined => {
    const user = state.devices.get(asking)?.user;
    const device = state.devices.get(id);
    return user !== undefined && device?.user === user ? device : undefined;
  };
  return {
    device: async (id, signedBy) => {
      const device = state.devices.get(id);
      if (device === undefined) return undefined;
      if (signedBy !== undefined && !state.signingKeys.has(signedBy)) return undefined;
      const { user, name, status, key, thumbprint, only } = device;
      const kind = only === undefined ? "person" : "ci";
      return { id, user, name, status, key, thumbprint, kind };
    },
    identity: async (id) => {
      const device = state.devices.get(id);
      const user = device?.status === "active" ? state.users.get(device.user) : undefined;
      if (device === undefined || user === undefined) return undefined;
      return { user: { id: user.id, name: user.name }, device: { id, name: device.name } };
    },
    touchDevice: async (id, nowMs) => {
      change(id, { lastSeenAtMs: nowMs });
    },
    devices: async (asking) =>
      [...state.devices.values()]
        .filter((device) => own(asking, device.id) !== undefined)
        .toSorted((left, right) => left.pairedAtMs - right.pairedAtMs)
        .map(deviceInfo),
    renameDevice: async (asking, id, name, network) => {
      const found = own(asking, id);
      if (found === undefined) return false;
      if (found.name === name) return true;
      change(id, { name });
      const by = { user: found.user, device: asking, network };
      const device = { id, name, before: found.name };
      appendAudit(state, clock.nowMs(), deviceEntry("device-renamed", by, device));
      return true;
    },
    revokeDevice: async (asking, id, network) => {
      const found = own(asking, id);
      if (found === undefined) return false;
      if (found.status === "revoked") return true;
      change(id, { status: "revoked" });
      const by = { user: found.user, device: asking, network };
      const device = { id, name: found.name, before: found.name };
      appendAudit(state, clock.nowMs(), deviceEntry("device-revoked", by, device));
      return true;
    },
  };
}

function deviceInfo(device: StoredDevice): DeviceInfo {
  const { id, name, platform, status, pairedAtMs, lastSeenAtMs, link, only } = device;
  return {
    id,
    name,
    platform,
    status,
    pairedAt: pairedAtMs,
    lastSeenAt: lastSeenAtMs ?? null,
    kind: only === undefined ? "person" : "ci",
    ...(link === undefined ? {} : { link }),
    ...(only === undefined ? {} : only),
  };
}

function namespacesOf(state: AccountState, asking: DeviceId): readonly NamespaceInfo[] {
  const device = state.devices.get(asking);
  if (device === undefined) return [];
  const { user, only } = device;
  return [...state.namespaces.values()]
    .filter(({ id }) => only === undefined || only.namespace === id)
    .flatMap((namespace) => infoOf(namespace, user) ?? [])
    .map((info) => ({ ...info, role: lowerRole(info.role, only?.roleMax) }))
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
  if (device?.status !== "active" || device.only !== undefined) return undefined;
  const place = { id: input.id, name: input.name, kind: "team" as const };
  const namespace = emptyNamespace(place, input.mark, nowMs);
  namespace.members.set(device.user, "owner");
  state.namespaces.set(input.id, namespace);
  const by = { user: device.user, device: device.id, network: input.network };
  appendAudit(state, nowMs, namespaceEntry(by, input));
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
