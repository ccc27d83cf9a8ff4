import { fail, ok, type NamespaceId, type Result, type UserId } from "@tidemark/protocol";
import type { LinkState } from "@tidemark/protocol/wire";
import type {
  AccountStore,
  AdmissionError,
  AdmittedDevice,
  AdmittedPair,
  AdmittedUser,
} from "../accounts-port.ts";
import { isWithin } from "../../networks.ts";
import { activeDevicesMax, higherRole, isLinkAlive, waitsForWord } from "../admission-rules.ts";
import {
  claimEntries,
  linkBurntEntry,
  linkRefusedEntry,
  linkUsedEntries,
  type Accepted,
  type Doer,
} from "../audit-entries.ts";
import { setupRefusals } from "../audit-port.ts";
import { linkGuesses } from "../pairing-rules.ts";
import type { AccountState, StoredDevice, StoredLink, StoredUser } from "./account-state.ts";
import { countAttempts, lockedUntilMs } from "./attempts.ts";
import { appendAudit, noteOutside } from "./audit.ts";
import { emptyNamespace, saveMember } from "./namespace-state.ts";
import { hasAllPlaces } from "./places.ts";

/** See `AccountStore.claim`. */
export function claim(
  state: AccountState,
  input: Parameters<AccountStore["claim"]>[0],
): Result<AdmittedPair, AdmissionError> {
  const { server } = state;
  if (server?.claimedAtMs !== undefined) return fail({ kind: "already-claimed" });
  const expiresAtMs = server?.setup.get(input.secretHash) ?? 0;
  if (server === undefined || expiresAtMs <= input.nowMs) {
    countSetupRefusal(state, input);
    return fail({ kind: "invalid-or-expired" });
  }
  if (isKeyInUse(state, input.device)) return fail({ kind: "key-in-use" });
  state.server = { ...server, claimedAtMs: input.nowMs, setup: new Map() };
  admitUser(state, { ...input.user, isOwner: true }, input.nowMs);
  const place = { user: input.user.id, nowMs: input.nowMs };
  const pair = admitDevice(state, input.device, place);
  appendAudit(state, input.nowMs, ...claimEntries(input));
  return ok(pair);
}

function countSetupRefusal(
  state: AccountState,
  { nowMs, network }: Parameters<AccountStore["claim"]>[0],
): void {
  countAttempts(state, [setupRefusals], nowMs);
  const count = state.attempts.get(setupRefusals.what)?.count ?? 0;
  if (count !== setupRefusals.max) return;
  appendAudit(state, nowMs, { event: "setup-refused", network, details: { count } });
}

/** See `AccountStore.redeemLink`. */
export function redeemLink(
  state: AccountState,
  input: Parameters<AccountStore["redeemLink"]>[0],
): Result<AdmittedPair, AdmissionError> {
  countGuess(state, input);
  const link = liveLink(state, input);
  if (link === undefined || link.job !== undefined) return fail({ kind: "invalid-or-expired" });
  if (!isWithin(link.networks, input.address)) {
    noteOutside(state, linkRefusedEntry(link, input.network), input.nowMs);
    return fail({ kind: "invalid-or-expired" });
  }
  if (isKeyInUse(state, input.device)) return fail({ kind: "key-in-use" });
  const { mac, nowMs } = input;
  if (link.kind !== "invite" && hasAllDevices(state, link.createdBy)) {
    return fail({ kind: "too-many-devices" });
  }
  if (link.kind === "device") {
    useUp(state, link);
    const place = { user: link.createdBy, nowMs, mac, link: link.id };
    return ok(letIn(state, link, { input, place }));
  }
  if (link.kind === "ci") {
    if (link.namespace === undefined) return fail({ kind: "invalid-or-expired" });
    useUp(state, link);
    const only = { namespace: link.namespace, roleMax: link.role ?? "reader" };
    const { createdBy: user, networks, ephemeral } = link;
    const place = { user, nowMs, mac, link: link.id, only, networks, ephemeral };
    return ok(letIn(state, link, { input, place }));
  }
  if (input.user === undefined) return fail({ kind: "user-name-needed" });
  useUp(state, link);
  admitUser(state, { ...input.user, isOwner: false }, nowMs);
  const who = { user: input.user.id, device: input.device.id, network: input.network, nowMs };
  const place = { user: input.user.id, nowMs, mac, link: link.id };
  const accepted = { name: input.user.name, ...join(state, link, who) };
  return ok(letIn(state, link, { input, place, accepted }));
}

/** Admits the device of a link that was used up, and tells the audit. */
function letIn(
  state: AccountState,
  link: StoredLink,
  entry: {
    readonly input: Parameters<AccountStore["redeemLink"]>[0];
    readonly place: Parameters<typeof admitDevice>[2];
    readonly accepted?: Accepted;
  },
): AdmittedPair {
  const { input, place, accepted } = entry;
  const { device, network, nowMs } = input;
  const pair = admitDevice(state, device, place);
  const maker = state.devices.get(link.createdByDevice)?.name;
  const by = { user: place.user, device: device.id, network };
  appendAudit(state, nowMs, ...linkUsedEntries({ ...link, maker }, by, { device, accepted }));
  return pair;
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
  if (link.uses < (link.usesMax ?? 1)) {
    const { nowMs } = input;
    const isAlive = liveLink(state, { id: link.id, authHash: link.authHash, nowMs }) !== undefined;
    return { status: isAlive ? "open" : "expired" };
  }
  const device = [...state.devices.values()].find((held) => held.link === link.id);
  if (device === undefined || link.kind === "ci") return { status: "used" };
  const { id, name, joinedName, thumbprint, mac } = device;
  return { status: "used", device: { id, name, joinedName, thumbprint }, mac };
}

/** See `AccountStore.acceptInvite`. */
export function acceptInvite(
  state: AccountState,
  input: Parameters<AccountStore["acceptInvite"]>[0],
): Result<NamespaceId, AdmissionError> {
  countGuess(state, input);
  const link = liveLink(state, input);
  const device = state.devices.get(input.device);
  const isPerson = device?.status === "active" && device.only === undefined;
  if (link?.kind !== "invite" || link.namespace === undefined || !isPerson) {
    return fail({ kind: "invalid-or-expired" });
  }
  const { user, name } = device;
  if (hasAllPlaces(state, user, link.namespace)) return fail({ kind: "too-many-namespaces" });
  useUp(state, link);
  const maker = state.devices.get(link.createdByDevice)?.name;
  const by = { user, device: device.id, network: input.network };
  const joined = join(state, link, { ...by, nowMs: input.nowMs });
  const accepted = { name: state.users.get(user)?.name ?? name, ...joined };
  appendAudit(state, input.nowMs, ...linkUsedEntries({ ...link, maker }, by, { accepted }));
  return ok(link.namespace);
}

/** The link, where it opens for whoever shows the hash of its secret. */
export function liveLink(
  state: AccountState,
  input: { readonly id: string; readonly authHash: string; readonly nowMs: number },
  isMakerTaken = false,
): StoredLink | undefined {
  const link = state.links.get(input.id);
  if (link === undefined || link.isRevoked || link.uses >= (link.usesMax ?? 1)) return undefined;
  const maker = state.devices.get(link.createdByDevice);
  const members =
    link.namespace === undefined ? undefined : state.namespaces.get(link.namespace)?.members;
  const isAlive = isLinkAlive(link, input, {
    isDeviceActive: isMakerTaken || maker?.status === "active",
    role: members?.get(link.createdBy),
  });
  return isAlive ? link : undefined;
}

/**
 * Whether a link would open for whoever has its secret.
 *
 * @param isMakerTaken whether its maker is taken for active: what a device had made is looked at
 */
export function isOpen(
  state: AccountState,
  { id, authHash }: StoredLink,
  nowMs: number,
  isMakerTaken = false,
): boolean {
  return liveLink(state, { id, authHash, nowMs }, isMakerTaken) !== undefined;
}

/** A wrong secret for a link that there is; after ten the link is burnt (PR10). */
function countGuess(
  state: AccountState,
  input: {
    readonly id: string;
    readonly authHash: string;
    readonly nowMs: number;
    readonly network?: string | undefined;
  },
): void {
  const link = state.links.get(input.id);
  if (link === undefined || link.authHash === input.authHash || link.job !== undefined) return;
  const rules = [linkGuesses(link.id)];
  countAttempts(state, rules, input.nowMs);
  if (link.isRevoked || lockedUntilMs(state, rules) <= 0) return;
  state.links.set(link.id, { ...link, isRevoked: true });
  appendAudit(state, input.nowMs, linkBurntEntry(link, input.network));
}

/** Counts a use. */
export function useUp(state: AccountState, link: StoredLink): void {
  state.links.set(link.id, { ...link, uses: link.uses + 1 });
}

function join(
  state: AccountState,
  link: StoredLink,
  who: Doer & { readonly nowMs: number },
): Omit<Accepted, "name"> {
  const namespace = link.namespace === undefined ? undefined : state.namespaces.get(link.namespace);
  const given = link.role ?? "reader";
  if (namespace === undefined) return { role: given, isWaiting: false };
  const { user, device, network, nowMs: sinceMs } = who;
  const held = namespace.members.get(user);
  if (waitsForWord(link, { user, held })) {
    const { createdBy: invitedBy, madeFor } = link;
    const row = { role: given, invitedBy, madeFor, device, network, sinceMs };
    namespace.waiting.set(user, row);
    return { role: given, isWaiting: true };
  }
  const role = higherRole(held, given);
  saveMember(namespace, user, { role, nowMs: sinceMs });
  namespace.waiting.delete(user);
  return { role, isWaiting: false };
}

function admitUser(
  state: AccountState,
  user: AdmittedUser & Pick<StoredUser, "isOwner">,
  nowMs: number,
): void {
  const { id, name, personal, isOwner } = user;
  state.users.set(id, { id, name, isOwner });
  const place = { id: personal.id, name: personal.name, kind: "personal" as const };
  const namespace = emptyNamespace(place, personal.mark, nowMs);
  saveMember(namespace, id, { role: "owner", nowMs });
  state.namespaces.set(personal.id, namespace);
}

/** Whether a person has as many devices as one may have. */
export function hasAllDevices(state: AccountState, user: UserId): boolean {
  const held = [...state.devices.values()].filter(
    (device) => device.user === user && device.status === "active",
  );
  return held.length >= activeDevicesMax;
}

/** Adds a device of a person. */
export function admitDevice(
  state: AccountState,
  device: AdmittedDevice,
  place: {
    readonly user: UserId;
    readonly nowMs: number;
    readonly mac?: string;
    readonly link?: string;
    readonly only?: StoredDevice["only"];
    readonly networks?: StoredDevice["networks"];
    readonly ephemeral?: StoredDevice["ephemeral"];
  },
): AdmittedPair {
  state.devices.set(device.id, {
    ...device,
    user: place.user,
    status: "active",
    mac: place.mac,
    joinedName: device.name,
    link: place.link,
    only: place.only,
    networks: place.networks,
    ephemeral: place.ephemeral,
    counter: 0,
    pairedAtMs: place.nowMs,
    lastSeenAtMs: undefined,
  });
  return {
    user: { id: place.user, name: state.users.get(place.user)?.name ?? "" },
    device: { id: device.id, name: device.name },
  };
}

/** Whether a device has this key, or had it before it was revoked. */
export function isKeyInUse(state: AccountState, device: AdmittedDevice): boolean {
  return [...state.devices.values()].some((held) => held.thumbprint === device.thumbprint);
}
