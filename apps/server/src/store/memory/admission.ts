import { fail, ok, type NamespaceId, type Result, type UserId } from "@tidemark/protocol";
import type { LinkState } from "@tidemark/protocol/wire";
import type {
  AccountStore,
  AdmissionError,
  AdmittedDevice,
  AdmittedPair,
  AdmittedUser,
  LinkRow,
} from "../accounts-port.ts";
import { higherRole, isLinkAlive } from "../admission-rules.ts";
import type { AccountState } from "./account-state.ts";
import { emptyNamespace } from "./namespace-state.ts";

/** See `AccountStore.claim`. */
export function claim(
  state: AccountState,
  input: Parameters<AccountStore["claim"]>[0],
): Result<AdmittedPair, AdmissionError> {
  const { server } = state;
  if (server?.claimedAtMs !== undefined) return fail({ kind: "already-claimed" });
  const expiresAtMs = server?.setup.get(input.secretHash) ?? 0;
  if (server === undefined || expiresAtMs <= input.nowMs) {
    return fail({ kind: "invalid-or-expired" });
  }
  if (isKeyInUse(state, input.device)) return fail({ kind: "key-in-use" });
  state.server = { id: server.id, claimedAtMs: input.nowMs, setup: new Map() };
  admitUser(state, input.user, input.nowMs);
  return ok(admitDevice(state, input.device, { user: input.user.id, nowMs: input.nowMs }));
}

/** See `AccountStore.redeemLink`. */
export function redeemLink(
  state: AccountState,
  input: Parameters<AccountStore["redeemLink"]>[0],
): Result<AdmittedPair, AdmissionError> {
  const link = liveLink(state, input);
  if (link === undefined) return fail({ kind: "invalid-or-expired" });
  if (isKeyInUse(state, input.device)) return fail({ kind: "key-in-use" });
  const { mac, nowMs } = input;
  if (link.kind === "device") {
    useUp(state, link);
    const place = { user: link.createdBy, nowMs, mac, link: link.id };
    return ok(admitDevice(state, input.device, place));
  }
  if (input.user === undefined) return fail({ kind: "user-name-needed" });
  useUp(state, link);
  admitUser(state, input.user, nowMs);
  join(state, link, input.user.id);
  const place = { user: input.user.id, nowMs, mac, link: link.id };
  return ok(admitDevice(state, input.device, place));
}

/** See `AccountStore.linkState`. */
export function linkState(
  state: AccountState,
  input: Parameters<AccountStore["linkState"]>[0],
): LinkState | undefined {
  const link = state.links.get(input.id);
  if (link === undefined || state.devices.get(input.asking)?.user !== link.createdBy) {
    return undefined;
  }
  if (!link.isUsed) {
    const { nowMs } = input;
    const isAlive = liveLink(state, { id: link.id, authHash: link.authHash, nowMs }) !== undefined;
    return { status: isAlive ? "open" : "expired" };
  }
  const device = [...state.devices.values()].find((held) => held.link === link.id);
  if (device === undefined) return { status: "used" };
  const { id, name, joinedName, thumbprint, mac } = device;
  return { status: "used", device: { id, name, joinedName, thumbprint }, mac };
}

/** See `AccountStore.acceptInvite`. */
export function acceptInvite(
  state: AccountState,
  input: Parameters<AccountStore["acceptInvite"]>[0],
): Result<NamespaceId, AdmissionError> {
  const link = liveLink(state, input);
  const device = state.devices.get(input.device);
  if (link?.namespace === undefined || device?.status !== "active") {
    return fail({ kind: "invalid-or-expired" });
  }
  useUp(state, link);
  join(state, link, device.user);
  return ok(link.namespace);
}

function liveLink(
  state: AccountState,
  input: { readonly id: string; readonly authHash: string; readonly nowMs: number },
): LinkRow | undefined {
  const link = state.links.get(input.id);
  if (link === undefined || link.isUsed) return undefined;
  const maker = state.devices.get(link.createdByDevice);
  const members =
    link.namespace === undefined ? undefined : state.namespaces.get(link.namespace)?.members;
  const isAlive = isLinkAlive(link, input, {
    isDeviceActive: maker?.status === "active",
    role: members?.get(link.createdBy),
  });
  return isAlive ? link : undefined;
}

function useUp(state: AccountState, link: LinkRow): void {
  state.links.set(link.id, { ...link, isUsed: true });
}

function join(state: AccountState, link: LinkRow, user: UserId): void {
  const namespace = link.namespace === undefined ? undefined : state.namespaces.get(link.namespace);
  if (namespace === undefined) return;
  const held = namespace.members.get(user);
  namespace.members.set(user, higherRole(held, link.role ?? "reader"));
}

function admitUser(state: AccountState, user: AdmittedUser, nowMs: number): void {
  const { id, name, personal } = user;
  state.users.set(id, { id, name });
  const place = { id: personal.id, name: personal.name, kind: "personal" as const };
  const namespace = emptyNamespace(place, personal.mark, nowMs);
  namespace.members.set(id, "owner");
  state.namespaces.set(personal.id, namespace);
}

function admitDevice(
  state: AccountState,
  device: AdmittedDevice,
  place: {
    readonly user: UserId;
    readonly nowMs: number;
    readonly mac?: string;
    readonly link?: string;
  },
): AdmittedPair {
  state.devices.set(device.id, {
    ...device,
    user: place.user,
    status: "active",
    mac: place.mac,
    joinedName: device.name,
    link: place.link,
    pairedAtMs: place.nowMs,
    lastSeenAtMs: undefined,
  });
  return {
    user: { id: place.user, name: state.users.get(place.user)?.name ?? "" },
    device: { id: device.id, name: device.name },
  };
}

function isKeyInUse(state: AccountState, device: AdmittedDevice): boolean {
  return [...state.devices.values()].some((held) => held.thumbprint === device.thumbprint);
}
