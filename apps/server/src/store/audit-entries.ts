import type { AuditFacts, DeviceId, NamespaceId, Role, UserId } from "@tidemark/protocol";
import type { Named } from "@tidemark/protocol/wire";
import type { AdmittedDevice, AdmittedUser, LinkRow } from "./accounts-port.ts";
import type { AuditEntry } from "./audit-chain.ts";
import type { Job } from "./jobs-port.ts";
import { linkGuesses } from "./pairing-rules.ts";

/** Who did something, with which device and from where. */
export interface Doer {
  readonly user: UserId;
  readonly device: DeviceId;
  readonly network: string | undefined;
}

/** What both stores write of a claim. */
export function claimEntries(input: {
  readonly user: AdmittedUser;
  readonly device: AdmittedDevice;
  readonly network?: string | undefined;
}): readonly AuditEntry[] {
  const { user, device, network } = input;
  const by: Doer = { user: user.id, device: device.id, network };
  const details = { name: user.name };
  return [
    { event: "server-claimed", ...doneBy(by), aboutUser: user.id, target: user.id, details },
    joinedEntry(device, by, { by: "setup" }),
  ];
}

/** A link that the host printed for a device of the owner; who sat there is not known. */
export function resetEntry(owner: { readonly id: UserId; readonly name: string }): AuditEntry {
  const { id, name } = owner;
  return { event: "owner-reset", aboutUser: id, target: id, details: { name } };
}

/** A device that came in; it is the one who did it. */
export function joinedEntry(
  device: Pick<AdmittedDevice, "id" | "name" | "platform">,
  by: Doer,
  how: Omit<AuditFacts["device-joined"], "name" | "platform">,
): AuditEntry {
  const { name, platform } = device;
  const details = { name, platform, ...how };
  return {
    event: "device-joined",
    ...doneBy(by),
    aboutUser: by.user,
    target: device.id,
    details,
  };
}

/** A link that was made; its maker's own log tells of it. */
export function linkMadeEntry(link: LinkRow, network: string | undefined): AuditEntry {
  const { id, kind, expiresAtMs: until, namespace, role, networks, job } = link;
  const by = { user: link.createdBy, device: link.createdByDevice, network };
  const details = {
    kind,
    until,
    ...(role === undefined ? {} : { role }),
    ...(networks === undefined ? {} : { networks: networks.join(" ") }),
    ...(job === undefined ? {} : { job: job.repository }),
  };
  return {
    event: "link-made",
    ...doneBy(by),
    aboutUser: link.createdBy,
    namespace,
    target: id,
    details,
  };
}

/** A link as it was used. */
export interface UsedLink extends Pick<
  LinkRow,
  "id" | "kind" | "createdBy" | "namespace" | "madeFor"
> {
  /** The name of the device that made it. */
  readonly maker: string | undefined;
}

/** A person who became a member by an invite, or waits to become one. */
export interface Accepted {
  readonly name: string;
  readonly role: Role;
  readonly isWaiting: boolean;
}

/** What a link did: let a device in, made its person a member, or both. */
export function linkUsedEntries(
  link: UsedLink,
  by: Doer,
  done: {
    readonly device?: Pick<AdmittedDevice, "id" | "name" | "platform"> | undefined;
    readonly accepted?: Accepted | undefined;
  },
): readonly AuditEntry[] {
  const { id: target, kind, createdBy, namespace, maker } = link;
  const entries: AuditEntry[] = [
    {
      event: "link-used",
      ...doneBy(by),
      aboutUser: createdBy,
      namespace,
      target,
      details: { kind },
    },
  ];
  if (done.accepted !== undefined) {
    entries.push(acceptedEntry(link, by, done.accepted));
  }
  if (done.device !== undefined) {
    const joined = joinedEntry(done.device, by, {
      by: kind === "invite" ? "invite" : "link",
      link: target,
      ...(kind === "invite" || maker === undefined ? {} : { approvedBy: maker }),
    });
    // A machine belongs to the namespace that it was let into.
    entries.push(kind === "ci" ? { ...joined, namespace } : joined);
  }
  return entries;
}

/**
 * A machine that a job's token let in. It is told to the admins of its namespace and is no news to
 * its person's devices: there may be hundreds a day, and none of them has a right of the person's.
 */
export function jobJoinedEntry(
  link: Pick<LinkRow, "id" | "namespace">,
  by: Doer,
  joined: { readonly device: AdmittedDevice; readonly job: Job },
): AuditEntry {
  const { device, job } = joined;
  const told = `${job.repository} ${job.ref}`;
  const entry = joinedEntry(device, by, { by: "job", link: link.id, job: told });
  return { ...entry, aboutUser: undefined, namespace: link.namespace };
}

/** A machine that was silent for too long. */
export function deviceExpiredEntry(
  device: Named<DeviceId> & { readonly namespace: NamespaceId | undefined },
): AuditEntry {
  const { id: target, name, namespace } = device;
  return { event: "device-expired", namespace, target, details: { name } };
}

function acceptedEntry(
  { namespace, madeFor }: UsedLink,
  by: Doer,
  { name, role, isWaiting }: Accepted,
): AuditEntry {
  const place = { ...doneBy(by), namespace, target: by.user };
  if (!isWaiting) return { event: "invite-accepted", ...place, details: { name, role } };
  const details = { name, role, ...(madeFor === undefined ? {} : { madeFor }) };
  return { event: "member-waiting", ...place, details };
}

/** Who waited and was let in, or sent away. */
export function waitingEntry(
  event: "member-confirmed" | "member-declined",
  by: Doer & { readonly namespace: NamespaceId },
  member: Named<UserId> & { readonly role: Role },
): AuditEntry {
  const { id: target, name, role } = member;
  return { event, ...doneBy(by), namespace: by.namespace, target, details: { name, role } };
}

/** A link that too many wrong secrets have ended; who guessed is not known. */
export function linkBurntEntry(
  link: Pick<LinkRow, "id" | "kind" | "createdBy" | "namespace">,
  network: string | undefined,
): AuditEntry {
  const { id: target, kind, createdBy: aboutUser, namespace } = link;
  const details = { kind, guesses: linkGuesses(target).max };
  return { event: "link-revoked", aboutUser, namespace, target, network, details };
}

/**
 * A link that was tried, with its secret, from outside of its networks, or by a job of another
 * repository under the same name; who did is not known.
 */
export function linkRefusedEntry(
  link: Pick<LinkRow, "id" | "kind" | "createdBy" | "namespace">,
  network: string | undefined,
): AuditEntry {
  const { id: target, kind, createdBy: aboutUser, namespace } = link;
  return { event: "link-refused", aboutUser, namespace, target, network, details: { kind } };
}

/** A machine's key that was shown from outside of its networks; who has it is not known. */
export function deviceRefusedEntry(
  device: Named<DeviceId> & { readonly user: UserId; readonly namespace: NamespaceId | undefined },
  network: string | undefined,
): AuditEntry {
  const { id: target, name, user: aboutUser, namespace } = device;
  return { event: "device-refused", aboutUser, namespace, target, network, details: { name } };
}

/** A link that somebody ended, and the devices that were shut out with it. */
export function linkRevokedEntries(
  link: Pick<LinkRow, "id" | "kind" | "namespace"> & { readonly maker: UserId },
  by: Doer,
  shutOut: readonly { readonly id: DeviceId; readonly name: string; readonly user: UserId }[],
): readonly AuditEntry[] {
  const { id: target, kind, namespace, maker } = link;
  const details = { kind, devices: shutOut.length };
  // Whose link was ended by an admin reads of it.
  const about = maker === by.user ? {} : { aboutUser: maker };
  return [
    { event: "link-revoked", ...doneBy(by), ...about, namespace, target, details },
    ...shutOut.map(({ id, name, user }) => ({
      event: "device-revoked" as const,
      ...doneBy(by),
      aboutUser: user,
      target: id,
      details: { name },
    })),
  ];
}

/** A member whose role changed, or who is one no more. */
export function memberEntry(
  by: Doer & { readonly namespace: NamespaceId },
  member: Named<UserId> & { readonly role: Role },
  next: Role | undefined,
): AuditEntry {
  const { id: target, name, role } = member;
  const place = { ...doneBy(by), namespace: by.namespace, target };
  if (next !== undefined) {
    return { event: "role-changed", ...place, details: { name, before: role, role: next } };
  }
  const event = by.user === target ? "member-left" : "member-removed";
  return { event, ...place, details: { name, role } };
}

/** A device that got another name, or was shut out. */
export function deviceEntry(
  event: "device-renamed" | "device-revoked",
  by: Doer,
  device: { readonly id: DeviceId; readonly name: string; readonly before: string },
): AuditEntry {
  const { id: target, name, before } = device;
  const place = { ...doneBy(by), aboutUser: by.user, target };
  return event === "device-renamed"
    ? { event, ...place, details: { name, before } }
    : { event, ...place, details: { name: before } };
}

/** A device whose words somebody has hidden in a namespace, or shown again. */
export function quarantineEntry(
  by: Doer & { readonly namespace: NamespaceId },
  device: Named<DeviceId> & { readonly user: UserId },
  since: number | undefined,
): AuditEntry {
  const { id: target, name, user: aboutUser } = device;
  const place = { ...doneBy(by), aboutUser, namespace: by.namespace, target };
  return since === undefined
    ? { event: "quarantine-lifted", ...place, details: { name } }
    : { event: "device-quarantined", ...place, details: { name, since } };
}

/** A namespace that was made. */
export function namespaceEntry(
  by: Doer,
  namespace: { readonly id: NamespaceId; readonly name: string },
): AuditEntry {
  const { id, name } = namespace;
  const place = { namespace: id, target: id };
  return { event: "namespace-created", ...doneBy(by), ...place, details: { name } };
}

/** A namespace that was deleted, restored or purged; nobody does the last. */
export function deletionEntry(
  event: "namespace-deleted" | "namespace-restored" | "namespace-purged",
  by: Doer | undefined,
  namespace: { readonly id: NamespaceId; readonly name: string; readonly until: number },
): AuditEntry {
  const { id, name, until } = namespace;
  const place = { ...(by === undefined ? {} : doneBy(by)), namespace: id, target: id };
  return event === "namespace-deleted"
    ? { event, ...place, details: { name, until } }
    : { event, ...place, details: { name } };
}

/** Who did it, as an entry names them. */
export function doneBy(by: Doer): Pick<AuditEntry, "actorUser" | "actorDevice" | "network"> {
  return { actorUser: by.user, actorDevice: by.device, network: by.network };
}
