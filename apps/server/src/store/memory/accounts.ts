import {
  assertInvariant,
  fail,
  ok,
  type DeviceId,
  type NamespaceId,
  type Result,
} from "@tidemark/protocol";
import type { DeviceInfo } from "@tidemark/protocol/wire";
import type { AccountStore, AdmissionError } from "../accounts-port.ts";
import { listedOutMax } from "../admission-rules.ts";
import { deviceEntry } from "../audit-entries.ts";
import type { AccountState, StoredDevice } from "./account-state.ts";
import { acceptInvite, linkState, redeemLink } from "./admission.ts";
import { consoleMethods } from "./console.ts";
import { deletionMethods } from "./deletion.ts";
import { isSilent } from "../job-rules.ts";
import { jobMethods } from "./jobs.ts";
import { linkMethods } from "./links.ts";
import { appendAudit, auditMethods } from "./audit.ts";
import { membershipMethods } from "./membership.ts";
import { identityMethods } from "./identities.ts";
import { createNamespace, memberDevicesOf, namespacesOf, saveSealingKey } from "./namespaces.ts";
import { quarantineMethods } from "./quarantine.ts";
import { addSetupSecret, claimOrReset, saveOwnerReset } from "./owner-reset.ts";
import { pairingMethods } from "./pairings.ts";
import { revokeDevice, watchedIn } from "./revocation.ts";
import { waitingMethods } from "./waiting.ts";

/** Waits for the pushes to namespaces that are under way. */
type PushesEnded = (namespaces: readonly NamespaceId[]) => Promise<void>;

/** People, devices, links and keys in memory. */
export function memoryAccounts(
  state: AccountState,
  clock: { nowMs(): number },
  pushesEnded: PushesEnded,
): AccountStore {
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
    ...linkMethods(state, clock, pushesEnded),
    redeemLink: async (input) => redeemLink(state, input),
    acceptInvite: async (input) => acceptInvite(state, input),
    ...deviceMethods(state, clock, pushesEnded),
    ...pairingMethods(state),
    ...jobMethods(state),
    ...consoleMethods(state),
    ...identityMethods(state),
    namespaces: async (asking) => namespacesOf(state, asking),
    createNamespace: async (input) => createNamespace(state, input, clock.nowMs()),
    saveSealingKey: async (device, statement) => saveSealingKey(state, device, statement),
    memberDevices: async (namespace) => memberDevicesOf(state, namespace),
    ...membershipMethods(state, clock),
    ...waitingMethods(state, clock),
    ...deletionMethods(state, clock),
    ...quarantineMethods(state, clock),
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
    watched: async (input) => watchedIn(state, input),
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

function deviceMethods(
  state: AccountState,
  clock: { nowMs(): number },
  pushesEnded: PushesEnded,
): DeviceMethods {
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
      if (device === undefined || device.isBrowser === true) return undefined;
      if (signedBy !== undefined && !state.signingKeys.has(signedBy)) return undefined;
      const { user, name, key, thumbprint, only, networks } = device;
      const kind = only === undefined ? "person" : "ci";
      const isGone = device.ephemeral === true && isSilent(device, clock.nowMs());
      const status = isGone ? "revoked" : device.status;
      return { id, user, name, status, key, thumbprint, kind, networks };
    },
    identity: async (id) => {
      const device = state.devices.get(id);
      const user = device?.status === "active" ? state.users.get(device.user) : undefined;
      if (device === undefined || user === undefined) return undefined;
      return {
        user: { id: user.id, name: user.name },
        device: { id, name: device.name },
        hasSealingKey: device.sealingKey !== undefined,
      };
    },
    touchDevice: async (id, nowMs) => {
      change(id, { lastSeenAtMs: nowMs });
    },
    devices: async (asking) => {
      const all = [...state.devices.values()].filter(
        (device) => own(asking, device.id) !== undefined && device.isBrowser !== true,
      );
      const isOut = ({ status }: StoredDevice): boolean => status === "revoked";
      const out = all.filter(isOut).toSorted(byPlace).slice(0, listedOutMax);
      return [...all.filter((device) => !isOut(device)), ...out]
        .toSorted((left, right) => left.pairedAtMs - right.pairedAtMs)
        .map(deviceInfo);
    },
    renameDevice: async (asking, id, name, network) => {
      const found = own(asking, id);
      if (found === undefined || state.devices.get(asking)?.status !== "active") return false;
      if (found.name === name) return true;
      change(id, { name });
      const by = { user: found.user, device: asking, network };
      const device = { id, name, before: found.name };
      appendAudit(state, clock.nowMs(), deviceEntry("device-renamed", by, device));
      return true;
    },
    revokeDevice: async (input) => {
      const done = revokeDevice(state, input, clock.nowMs());
      if (done.ok) input.onShutOut?.();
      if (done.ok) await pushesEnded(done.value.namespaces.map(({ id }) => id));
      return done;
    },
  };
}

/** A person's own before machines, the newest first. */
function byPlace(left: StoredDevice, right: StoredDevice): number {
  const isMachine = ({ only }: StoredDevice): number => (only === undefined ? 0 : 1);
  return isMachine(left) - isMachine(right) || right.pairedAtMs - left.pairedAtMs;
}

function deviceInfo(device: StoredDevice): DeviceInfo {
  const { id, name, platform, status, pairedAtMs, lastSeenAtMs, link, only, ephemeral } = device;
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
    ...(ephemeral === true ? { ephemeral } : {}),
  };
}
