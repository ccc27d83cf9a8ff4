import {
  fail,
  ok,
  type DeviceId,
  type NamespaceId,
  type Result,
  type Role,
  type UserId,
} from "@tidemark/protocol";
import type {
  AccountStore,
  AdmissionError,
  AdmittedDevice,
  AdmittedPair,
  AdmittedUser,
  LinkRow,
} from "../accounts-port.ts";
import { isWithin } from "../../networks.ts";
import { higherRole, isLinkAlive, waitsForWord } from "../admission-rules.ts";
import { linkGuesses } from "../pairing-rules.ts";
import {
  claimEntries,
  linkBurntEntry,
  linkRefusedEntry,
  linkUsedEntries,
  type Accepted,
  type UsedLink,
} from "../audit-entries.ts";
import { setupRefusals } from "../audit-port.ts";
import { appendAudit } from "./audit.ts";
import { countAttempts } from "./attempts.ts";
import type { Transaction } from "./door.ts";
import { saveMember, saveWaiting, type NewWaiting } from "./member-rows.ts";
import { hasAllDevices, hasAllPlaces, lockPerson } from "./places.ts";
import { networksToText, textToNetworks } from "./networks-text.ts";
import { noteOutside } from "./outsiders.ts";

/** See `AccountStore.claim`: the lock on the server lets one caller through, once and for all. */
export async function claim(
  tx: Transaction,
  input: Parameters<AccountStore["claim"]>[0],
): Promise<Result<AdmittedPair, AdmissionError>> {
  const { secretHash, nowMs, user, device } = input;
  const [server] = await tx<{ readonly claimed: boolean }[]>`
    select claimed_at_ms is not null as claimed
    from tidemark.server where singleton for update`;
  if (server?.claimed === true) return fail({ kind: "already-claimed" });
  const secrets = await tx`
    select 1 from tidemark.setup_secrets
    where secret_hash = ${secretHash} and expires_at_ms > ${nowMs}`;
  if (server === undefined || secrets.length === 0) {
    await countSetupRefusal(tx, input);
    return fail({ kind: "invalid-or-expired" });
  }
  if (await isKeyInUse(tx, device)) return fail({ kind: "key-in-use" });
  await tx`update tidemark.server set claimed_at_ms = ${nowMs} where singleton`;
  await tx`delete from tidemark.setup_secrets`;
  await admitUser(tx, user, nowMs);
  await tx`update tidemark.users set is_owner = true where id = ${user.id}`;
  const pair = await admitDevice(tx, device, { user: user.id, nowMs, mac: null, link: null });
  await appendAudit(tx, nowMs, ...claimEntries(input));
  return ok(pair);
}

// Under the lock of the server's row, so that of many at once one is the last of its minute.
async function countSetupRefusal(
  tx: Transaction,
  { nowMs, network }: Parameters<AccountStore["claim"]>[0],
): Promise<void> {
  await countAttempts(tx, [setupRefusals], nowMs);
  const [row] = await tx<{ readonly count: number }[]>`
    select count from tidemark.attempts where what = ${setupRefusals.what}`;
  const count = row?.count ?? 0;
  if (count !== setupRefusals.max) return;
  await appendAudit(tx, nowMs, { event: "setup-refused", network, details: { count } });
}

/** See `AccountStore.redeemLink`. */
export async function redeemLink(
  tx: Transaction,
  input: Parameters<AccountStore["redeemLink"]>[0],
): Promise<Result<AdmittedPair, AdmissionError>> {
  const link = await lockLiveLink(tx, input);
  if (link === undefined) return fail({ kind: "invalid-or-expired" });
  const { mac, nowMs, device, network } = input;
  if (await isKeyInUse(tx, input.device)) return fail({ kind: "key-in-use" });
  if (link.kind === "invite" && input.user === undefined) return fail({ kind: "user-name-needed" });
  if (link.kind !== "invite" && (await hasAllDevices(tx, link.createdBy))) {
    return fail({ kind: "too-many-devices" });
  }
  if (!(await useUp(tx, link, nowMs))) return fail({ kind: "invalid-or-expired" });
  const user = link.kind === "invite" ? input.user : undefined;
  const by = { user: user?.id ?? link.createdBy, device: device.id, network };
  let accepted: Accepted | undefined;
  if (user !== undefined) {
    await admitUser(tx, user, nowMs);
    accepted = { name: user.name, ...(await join(tx, link, { ...by, nowMs })) };
  }
  const networks = textToNetworks(link.networks);
  const bound = { only: onlyOf(link), networks, ephemeral: link.ephemeral };
  const place = { user: by.user, nowMs, mac, link: link.id, ...bound };
  const pair = await admitDevice(tx, device, place);
  const used = await usedLink(tx, link);
  await appendAudit(tx, nowMs, ...linkUsedEntries(used, by, { device, accepted }));
  return ok(pair);
}

async function usedLink(tx: Transaction, link: LockedLink): Promise<UsedLink> {
  const [maker] = await tx<{ readonly name: string }[]>`
    select name from tidemark.devices where id = ${link.createdByDevice}`;
  return { ...factsOf(link), maker: maker?.name };
}

/** See `AccountStore.acceptInvite`. */
export async function acceptInvite(
  tx: Transaction,
  input: Parameters<AccountStore["acceptInvite"]>[0],
): Promise<Result<NamespaceId, AdmissionError>> {
  const link = await lockLiveLink(tx, input);
  const [device] = await tx<{ readonly user: UserId; readonly name: string }[]>`
    select d.user_id as user, u.name
    from tidemark.devices d join tidemark.users u on u.id = d.user_id
    where d.id = ${input.device} and d.status = 'active'`;
  if (link?.kind !== "invite" || link.namespace === null || device === undefined) {
    return fail({ kind: "invalid-or-expired" });
  }
  if (await hasAllPlaces(tx, device.user, link.namespace)) {
    return fail({ kind: "too-many-namespaces" });
  }
  const { nowMs, network } = input;
  if (!(await useUp(tx, link, nowMs))) return fail({ kind: "invalid-or-expired" });
  const by = { user: device.user, device: input.device, network };
  const accepted = { name: device.name, ...(await join(tx, link, { ...by, nowMs })) };
  await appendAudit(tx, nowMs, ...linkUsedEntries(await usedLink(tx, link), by, { accepted }));
  return ok(link.namespace);
}

interface LockedLink {
  readonly id: string;
  readonly kind: LinkRow["kind"];
  readonly authHash: string;
  readonly createdBy: UserId;
  readonly createdByDevice: DeviceId;
  readonly namespace: NamespaceId | null;
  readonly role: Role | null;
  readonly networks: string | null;
  readonly expiresAtMs: number;
  readonly confirm: boolean;
  readonly madeFor: string | null;
  readonly ephemeral: boolean;
}

interface GuessedLink {
  readonly id: string;
  readonly authHash: string;
  readonly nowMs: number;
  readonly network?: string | undefined;
  readonly address?: string | undefined;
}

async function lockLiveLink(tx: Transaction, input: GuessedLink): Promise<LockedLink | undefined> {
  const [link] = await tx<LockedLink[]>`
    select id, kind, auth_hash as "authHash", created_by as "createdBy",
      created_by_device as "createdByDevice", namespace_id as namespace, role, networks,
      expires_at_ms as "expiresAtMs", confirm, made_for as "madeFor", ephemeral
    from tidemark.links
    where id = ${input.id} and job_issuer is null and uses < uses_max and revoked_at_ms is null
      and (kind = 'ci' or confirm or used_at_ms is null)
    for update`;
  if (link === undefined || (await isWrongGuess(tx, link, input))) return undefined;
  // The maker's rights are read under the lock that they change under: an invite that is accepted
  // beside a deletion or a demotion is accepted before it, or not at all.
  if (link.kind === "invite") {
    await tx`select 1 from tidemark.namespaces where namespace_id = ${link.namespace} for update`;
  } else {
    await lockPerson(tx, link.createdBy);
  }
  // And its device's status under the lock of shutting out: a link dies with that (AU11). For an
  // invite that is the device's row alone, for its person may be locked by who waits for the namespace.
  const [maker] = await tx<{ readonly active: boolean; readonly role: Role | null }[]>`
    select d.status = 'active' as active, m.role
    from tidemark.devices d
    left join tidemark.members m
      on m.namespace_id = ${link.namespace} and m.user_id = ${link.createdBy}
    where d.id = ${link.createdByDevice}
    for key share of d`;
  const facts = factsOf(link);
  const isAlive = isLinkAlive(facts, input, {
    isDeviceActive: maker?.active === true,
    role: maker?.role ?? undefined,
  });
  return isAlive && !(await isOutside(tx, link, input)) ? link : undefined;
}

function factsOf(link: LockedLink): Omit<LockedLink, keyof LinkPlace> & LinkPlace {
  const { namespace, role, madeFor } = link;
  return {
    ...link,
    namespace: namespace ?? undefined,
    role: role ?? undefined,
    madeFor: madeFor ?? undefined,
  };
}

type LinkPlace = Pick<LinkRow, "namespace" | "role" | "madeFor">;

/** Whether somebody who has the secret is where the link does not open (PR14). */
async function isOutside(tx: Transaction, link: LockedLink, input: GuessedLink): Promise<boolean> {
  if (isWithin(textToNetworks(link.networks), input.address)) return false;
  // The lock of the link makes two refusals at once one row.
  await noteOutside(tx, linkRefusedEntry(factsOf(link), input.network), input.nowMs);
  return true;
}

/** Whether this is a wrong secret for the link; after ten of them the link is burnt (PR10). */
async function isWrongGuess(
  tx: Transaction,
  link: LockedLink,
  input: GuessedLink,
): Promise<boolean> {
  if (link.authHash === input.authHash) return false;
  const { nowMs } = input;
  const isBurnt = (await countAttempts(tx, [linkGuesses(link.id)], nowMs)) > 0;
  if (!isBurnt) return true;
  await markRevoked(tx, link.id, nowMs);
  await appendAudit(tx, nowMs, linkBurntEntry(factsOf(link), input.network));
  return true;
}

/** Ends a link, for servers too that read when it was used and not that it was revoked. */
export async function markRevoked(tx: Transaction, id: string, nowMs: number): Promise<void> {
  await tx`
    update tidemark.links set revoked_at_ms = ${nowMs}, used_at_ms = coalesce(used_at_ms, ${nowMs}),
      uses = case when kind <> 'ci' and not confirm and used_at_ms is not null then uses_max else uses end
    where id = ${id} and revoked_at_ms is null`;
}

/** Counts a use, where one is left. */
async function useUp(tx: Transaction, link: LockedLink, nowMs: number): Promise<boolean> {
  const used = await tx`
    update tidemark.links set uses = uses + 1, used_at_ms = ${nowMs}
    where id = ${link.id} and uses < uses_max and revoked_at_ms is null returning 1`;
  return used.length > 0;
}

/** What a machine that comes in by a link for fleets is bound to. */
function onlyOf({ kind, namespace, role }: LockedLink): OnlyNamespace | null {
  if (kind !== "ci" || namespace === null) return null;
  return { namespace, roleMax: role ?? "reader" };
}

async function join(
  tx: Transaction,
  link: LockedLink,
  who: Omit<NewWaiting, "namespace" | "role">,
): Promise<Omit<Accepted, "name">> {
  const { namespace } = link;
  const given = link.role ?? "reader";
  if (namespace === null) return { role: given, isWaiting: false };
  const [held] = await tx<{ readonly role: Role }[]>`
    select role from tidemark.members where namespace_id = ${namespace} and user_id = ${who.user}`;
  if (waitsForWord(factsOf(link), { user: who.user, held: held?.role })) {
    await saveWaiting(tx, link, { namespace, role: given, ...who });
    return { role: given, isWaiting: true };
  }
  const role = higherRole(held?.role, given);
  await saveMember(tx, { namespace, user: who.user, role, nowMs: who.nowMs });
  return { role, isWaiting: false };
}

async function admitUser(tx: Transaction, user: AdmittedUser, nowMs: number): Promise<void> {
  await tx`
    insert into tidemark.users (id, name, created_at_ms) values (${user.id}, ${user.name}, ${nowMs})`;
  const { id, name, mark } = user.personal;
  await insertNamespace(tx, { id, name, mark, kind: "personal", owner: user.id }, nowMs);
}

/** Makes a namespace with its first mark and its owner. */
export async function insertNamespace(
  tx: Transaction,
  namespace: {
    readonly id: NamespaceId;
    readonly name: string;
    readonly mark: string;
    readonly kind: "personal" | "team";
    readonly owner: UserId;
  },
  nowMs: number,
): Promise<void> {
  const { id, name, mark, kind, owner } = namespace;
  await tx`
    insert into tidemark.namespaces (namespace_id, name, kind, head, mark, lamport, digest, count,
      live_count, live_bytes, created_at_ms)
    values (${id}, ${name}, ${kind}, 0, ${mark}, 0, 0, 0, 0, 0, ${nowMs})`;
  // Marks lie behind the wall between tenants.
  await tx`select set_config('tidemark.namespace_id', ${id}, true)`;
  await tx`
    insert into tidemark.marks (namespace_id, head, mark, created_at_ms)
    values (${id}, 0, ${mark}, ${nowMs})`;
  await tx`select set_config('tidemark.namespace_id', '', true)`;
  await saveMember(tx, { namespace: id, user: owner, role: "owner", nowMs });
}

/** The one namespace that a machine may use, and the most that it may do there. */
interface OnlyNamespace {
  readonly namespace: NamespaceId;
  readonly roleMax: Role;
}

/** Adds a device of a person. */
export async function admitDevice(
  tx: Transaction,
  device: AdmittedDevice,
  place: {
    readonly user: UserId;
    readonly nowMs: number;
    readonly mac: string | null;
    readonly link: string | null;
    readonly only?: OnlyNamespace | null;
    readonly networks?: readonly string[] | undefined;
    readonly ephemeral?: boolean;
  },
): Promise<AdmittedPair> {
  const { only = null, ephemeral = false } = place;
  await tx`
    insert into tidemark.devices (id, user_id, name, joined_name, platform, public_key, thumbprint,
      status, mac, link_id, kind, only_namespace_id, role_max, networks, ephemeral, paired_at_ms)
    values (${device.id}, ${place.user}, ${device.name}, ${device.name}, ${device.platform},
      ${JSON.stringify(device.key)}, ${device.thumbprint},
      ${only === null ? "active" : "machine"}, ${place.mac}, ${place.link},
      ${only === null ? "person" : "ci"}, ${only?.namespace ?? null}, ${only?.roleMax ?? null},
      ${networksToText(place.networks)}, ${ephemeral}, ${place.nowMs})`;
  const [user] = await tx<{ readonly name: string }[]>`
    select name from tidemark.users where id = ${place.user}`;
  return {
    user: { id: place.user, name: user?.name ?? "" },
    device: { id: device.id, name: device.name },
  };
}

/** Whether a device has this key, or had it before it was revoked. */
export async function isKeyInUse(tx: Transaction, device: AdmittedDevice): Promise<boolean> {
  const rows = await tx`
    select 1 from tidemark.devices where thumbprint = ${device.thumbprint}`;
  return rows.length > 0;
}
