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
import { higherRole, isLinkAlive } from "../admission-rules.ts";
import type { Transaction } from "./door.ts";

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
  if (server === undefined || secrets.length === 0) return fail({ kind: "invalid-or-expired" });
  if (await isKeyInUse(tx, device)) return fail({ kind: "key-in-use" });
  await tx`update tidemark.server set claimed_at_ms = ${nowMs} where singleton`;
  await tx`delete from tidemark.setup_secrets`;
  await admitUser(tx, user, nowMs);
  return ok(await admitDevice(tx, device, { user: user.id, nowMs, mac: null, link: null }));
}

/** See `AccountStore.createLink`. */
export async function createLink(tx: Transaction, link: LinkRow): Promise<void> {
  await tx`
    insert into tidemark.links (id, kind, auth_hash, created_by, created_by_device, namespace_id,
      role, expires_at_ms)
    values (${link.id}, ${link.kind}, ${link.authHash}, ${link.createdBy}, ${link.createdByDevice},
      ${link.namespace ?? null}, ${link.role ?? null}, ${link.expiresAtMs})`;
}

/** See `AccountStore.redeemLink`. */
export async function redeemLink(
  tx: Transaction,
  input: Parameters<AccountStore["redeemLink"]>[0],
): Promise<Result<AdmittedPair, AdmissionError>> {
  const link = await lockLiveLink(tx, input);
  if (link === undefined) return fail({ kind: "invalid-or-expired" });
  if (await isKeyInUse(tx, input.device)) return fail({ kind: "key-in-use" });
  const { mac, nowMs } = input;
  if (link.kind === "invite" && input.user === undefined) return fail({ kind: "user-name-needed" });
  await useUp(tx, link, nowMs);
  const user = link.kind === "invite" ? input.user : undefined;
  if (user !== undefined) {
    await admitUser(tx, user, nowMs);
    await join(tx, link, { user: user.id, nowMs });
  }
  const place = { user: user?.id ?? link.createdBy, nowMs, mac, link: link.id };
  return ok(await admitDevice(tx, input.device, place));
}

/** See `AccountStore.acceptInvite`. */
export async function acceptInvite(
  tx: Transaction,
  input: Parameters<AccountStore["acceptInvite"]>[0],
): Promise<Result<NamespaceId, AdmissionError>> {
  const link = await lockLiveLink(tx, input);
  const [device] = await tx<{ readonly user: UserId }[]>`
    select user_id as user from tidemark.devices
    where id = ${input.device} and status = 'active'`;
  if (link === undefined || link.namespace === null || device === undefined) {
    return fail({ kind: "invalid-or-expired" });
  }
  await useUp(tx, link, input.nowMs);
  await join(tx, link, { user: device.user, nowMs: input.nowMs });
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
  readonly expiresAtMs: number;
}

async function lockLiveLink(
  tx: Transaction,
  input: { readonly id: string; readonly authHash: string; readonly nowMs: number },
): Promise<LockedLink | undefined> {
  const [link] = await tx<LockedLink[]>`
    select id, kind, auth_hash as "authHash", created_by as "createdBy",
      created_by_device as "createdByDevice", namespace_id as namespace, role,
      expires_at_ms as "expiresAtMs"
    from tidemark.links where id = ${input.id} and used_at_ms is null for update`;
  if (link === undefined) return undefined;
  const [maker] = await tx<{ readonly active: boolean; readonly role: Role | null }[]>`
    select d.status = 'active' as active, m.role
    from tidemark.devices d
    left join tidemark.members m
      on m.namespace_id = ${link.namespace} and m.user_id = ${link.createdBy}
    where d.id = ${link.createdByDevice}`;
  const facts = {
    ...link,
    namespace: link.namespace ?? undefined,
    role: link.role ?? undefined,
  };
  const isAlive = isLinkAlive(facts, input, {
    isDeviceActive: maker?.active === true,
    role: maker?.role ?? undefined,
  });
  return isAlive ? link : undefined;
}

async function useUp(tx: Transaction, link: LockedLink, nowMs: number): Promise<void> {
  await tx`update tidemark.links set used_at_ms = ${nowMs} where id = ${link.id}`;
}

async function join(
  tx: Transaction,
  link: LockedLink,
  who: { readonly user: UserId; readonly nowMs: number },
): Promise<void> {
  const { namespace } = link;
  if (namespace === null) return;
  await tx`select 1 from tidemark.namespaces where namespace_id = ${namespace} for update`;
  const [held] = await tx<{ readonly role: Role }[]>`
    select role from tidemark.members where namespace_id = ${namespace} and user_id = ${who.user}`;
  await saveMember(tx, { namespace, ...who, role: higherRole(held?.role, link.role ?? "reader") });
}

async function saveMember(
  tx: Transaction,
  member: {
    readonly namespace: NamespaceId;
    readonly user: UserId;
    readonly role: Role;
    readonly nowMs: number;
  },
): Promise<void> {
  await tx`
    insert into tidemark.members (namespace_id, user_id, role, joined_at_ms)
    values (${member.namespace}, ${member.user}, ${member.role}, ${member.nowMs})
    on conflict (namespace_id, user_id) do update set role = excluded.role`;
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

async function admitDevice(
  tx: Transaction,
  device: AdmittedDevice,
  place: {
    readonly user: UserId;
    readonly nowMs: number;
    readonly mac: string | null;
    readonly link: string | null;
  },
): Promise<AdmittedPair> {
  await tx`
    insert into tidemark.devices (id, user_id, name, joined_name, platform, public_key, thumbprint,
      status, mac, link_id, paired_at_ms)
    values (${device.id}, ${place.user}, ${device.name}, ${device.name}, ${device.platform},
      ${JSON.stringify(device.key)}, ${device.thumbprint}, 'active', ${place.mac}, ${place.link},
      ${place.nowMs})`;
  const [user] = await tx<{ readonly name: string }[]>`
    select name from tidemark.users where id = ${place.user}`;
  return {
    user: { id: place.user, name: user?.name ?? "" },
    device: { id: device.id, name: device.name },
  };
}

async function isKeyInUse(tx: Transaction, device: AdmittedDevice): Promise<boolean> {
  const rows = await tx`
    select 1 from tidemark.devices where thumbprint = ${device.thumbprint}`;
  return rows.length > 0;
}
