import {
  fail,
  ok,
  type DeviceId,
  type NamespaceId,
  type Result,
  type UserId,
} from "@tidemark/protocol";
import type { DeviceRevoked } from "@tidemark/protocol/wire";
import type { AccountStore, RevokeError, Watched } from "../accounts-port.ts";
import { deviceEntry } from "../audit-entries.ts";
import { appendAudit } from "./audit.ts";
import type { Door, Transaction } from "./door.ts";
import { readLinks } from "./links.ts";
import { readNamespaces } from "./namespaces.ts";
import { pushesEnded } from "./pushes-ended.ts";
import { textArrayType } from "./text-array.ts";

type Input = Parameters<AccountStore["revokeDevice"]>[0];

/** See `AccountStore.revokeDevice`. */
export async function revokeDevice(
  door: Door,
  input: Input,
  nowMs: number,
): Promise<Result<DeviceRevoked, RevokeError>> {
  const done = await door.withAccounts((tx) => shutOut(tx, input, nowMs));
  if (!done.ok) return done;
  input.onShutOut?.();
  await pushesEnded(door, input.id);
  return done;
}

interface OwnDevice {
  readonly user: UserId;
  readonly name: string;
  readonly isActive: boolean;
  readonly isPerson: boolean;
}

async function shutOut(
  tx: Transaction,
  { asking, id, isForced = false, network }: Input,
  nowMs: number,
): Promise<Result<DeviceRevoked, RevokeError>> {
  // Of two devices that shut each other out, the second finds itself the last.
  await tx`
    select 1 from tidemark.users
    where id = (select user_id from tidemark.devices where id = ${asking}) for update`;
  const [found] = await tx<OwnDevice[]>`
    select user_id as user, name, status <> 'revoked' as "isActive", kind = 'person' as "isPerson"
    from tidemark.devices
    where id = ${id} and user_id = (
      select user_id from tidemark.devices where id = ${asking} and status = 'active')
    for update`;
  if (found === undefined) return fail({ kind: "not-found" });
  const { user, name, isActive, isPerson } = found;
  if (isActive && isPerson && !isForced && !(await hasAnother(tx, { user, id }))) {
    return fail({ kind: "last-device" });
  }
  const review = await reviewOf(tx, { user, id, asking }, nowMs);
  if (!isActive) return ok(review);
  await tx`update tidemark.devices set status = 'revoked' where id = ${id}`;
  const by = { user, device: asking, network };
  await appendAudit(tx, nowMs, deviceEntry("device-revoked", by, { id, name, before: name }));
  return ok(review);
}

interface Owned {
  readonly user: UserId;
  readonly id: DeviceId;
}

async function hasAnother(tx: Transaction, { user, id }: Owned): Promise<boolean> {
  const others = await tx`
    select 1 from tidemark.devices
    where user_id = ${user} and id <> ${id} and status = 'active' and kind = 'person' limit 1`;
  return others.length > 0;
}

interface LetIn {
  readonly id: DeviceId;
  readonly name: string;
  readonly userId: UserId;
  readonly userName: string;
}

async function reviewOf(
  tx: Transaction,
  { user, id, asking }: Owned & { readonly asking: DeviceId },
  nowMs: number,
): Promise<DeviceRevoked> {
  const made = await tx<{ readonly id: string }[]>`
    select id from tidemark.links where created_by_device = ${id}`;
  const links = (await readLinks(tx, id, nowMs, id)).filter(
    (link) => link.status === "open" && made.some((own) => own.id === link.id),
  );
  // By a link that it made, or by a code that it approved.
  const devices = await tx<LetIn[]>`
    select d.id, d.name, u.id as "userId", u.name as "userName"
    from tidemark.devices d
    join tidemark.users u on u.id = d.user_id
    left join tidemark.links l on l.id = d.link_id
    where d.id not in (${id}, ${asking}) and d.status <> 'revoked' and (
      l.created_by_device = ${id} or exists (
        select 1 from tidemark.audit a
        where a.actor_user = ${user} and a.actor_device = ${id} and a.event = 'device-joined'
          and a.target = d.id))
    order by d.paired_at_ms, d.id`;
  const namespaces = await readNamespaces(tx, id);
  const accounts = await tx<{ readonly issuer: string; readonly connectedAt: number }[]>`
    select i.issuer, i.connected_at_ms as "connectedAt"
    from tidemark.identities i
    join tidemark.devices d on d.id = i.device_id and d.status = 'active'
    where d.user_id = ${user} and exists (
      select 1 from tidemark.audit a
      where a.actor_user = ${user} and a.actor_device = ${id} and a.event = 'identity-connected'
        and a.target = d.id)
    order by i.issuer`;
  return {
    links: links.map(({ id: link, kind }) => ({ id: link, kind })),
    devices: devices.map(({ id: device, name, userId, userName }) => ({
      id: device,
      name,
      user: { id: userId, name: userName },
    })),
    namespaces: namespaces.map(({ id: namespace, name }) => ({ id: namespace, name })),
    ...(accounts.length === 0 ? {} : { accounts: [...accounts] }),
  };
}

/** See `AccountStore.watched`: one statement, for it is asked every second. */
export async function readWatched(
  tx: Transaction,
  { namespaces, devices }: Parameters<AccountStore["watched"]>[0],
): Promise<Watched> {
  if (namespaces.length + devices.length === 0) return { heads: new Map(), revoked: [] };
  const rows = await tx<{ readonly id: string; readonly head: number | null }[]>`
    select namespace_id as id, head from tidemark.namespaces
    where namespace_id = any(${tx.array([...namespaces], textArrayType)}::text[])
    union all
    select id, null from tidemark.devices
    where id = any(${tx.array([...devices], textArrayType)}::text[]) and status = 'revoked'`;
  const heads = rows.flatMap(({ id, head }) =>
    head === null ? [] : [[id as NamespaceId, head] as const],
  );
  return {
    heads: new Map(heads),
    revoked: rows.flatMap(({ id, head }) => (head === null ? [id as DeviceId] : [])),
  };
}
