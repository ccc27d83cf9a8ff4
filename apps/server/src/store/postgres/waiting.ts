import {
  fail,
  isAtLeast,
  ok,
  type DeviceId,
  type Result,
  type Role,
  type UserId,
} from "@tidemark/protocol";
import type { WaitingMember, WaitingPlace } from "@tidemark/protocol/wire";
import type {
  AccountStore,
  MembershipActor,
  MembershipError,
  WaitingError,
} from "../accounts-port.ts";
import { higherRole } from "../admission-rules.ts";
import { waitingEntry } from "../audit-entries.ts";
import { judgeWaiting } from "../membership-rules.ts";
import { appendAudit } from "./audit.ts";
import type { Door, Transaction } from "./door.ts";
import { dropWaiting, saveMember } from "./member-rows.ts";
import { activeUser } from "./membership.ts";

/** Who waits to be let into a namespace, in Postgres. */
export function waitingMethods(
  door: Door,
  clock: { nowMs(): number },
): Pick<AccountStore, "waitingPlaces" | "waiting" | "confirmMember" | "declineMember"> {
  const nowMs = (): number => clock.nowMs();
  return {
    waitingPlaces: (asking) => door.withAccounts((tx) => readPlaces(tx, asking)),
    waiting: (actor) => door.withAccounts((tx) => readWaiting(tx, actor)),
    confirmMember: (actor, user, role) =>
      door.withAccounts((tx) => decide(tx, actor, { user, shown: role, nowMs: nowMs() })),
    declineMember: (actor, user) =>
      door.withAccounts((tx) => decide(tx, actor, { user, shown: undefined, nowMs: nowMs() })),
  };
}

async function readPlaces(tx: Transaction, asking: DeviceId): Promise<readonly WaitingPlace[]> {
  return await tx<WaitingPlace[]>`
    select n.namespace_id as id, n.name, w.role
    from tidemark.devices d
    join tidemark.waiting_members w on w.user_id = d.user_id
    join tidemark.namespaces n on n.namespace_id = w.namespace_id
    where d.id = ${asking} and d.status = 'active' and n.deleted_at_ms is null
    order by w.since_ms, n.namespace_id`;
}

interface WaitingRow {
  readonly id: UserId;
  readonly name: string;
  readonly role: Role;
  readonly since: number;
  readonly deviceName: string;
  readonly platform: string;
  readonly network: string | null;
  readonly inviter: UserId;
  readonly inviterName: string;
  readonly madeFor: string | null;
}

async function readWaiting(
  tx: Transaction,
  actor: MembershipActor,
): Promise<Result<readonly WaitingMember[], MembershipError>> {
  const { namespace } = actor;
  const role = await roleOf(tx, actor, await activeUser(tx, actor));
  if (role === undefined) return fail({ kind: "not-found" });
  if (!isAtLeast(role, "admin")) return fail({ kind: "forbidden" });
  const rows = await tx<WaitingRow[]>`
    select u.id, u.name, w.role, w.since_ms as since, d.joined_name as "deviceName", d.platform,
      w.network, i.id as inviter, i.name as "inviterName", w.made_for as "madeFor"
    from tidemark.waiting_members w
    join tidemark.users u on u.id = w.user_id
    join tidemark.devices d on d.id = w.device_id
    join tidemark.users i on i.id = w.invited_by
    where w.namespace_id = ${namespace}
    order by w.since_ms, u.id`;
  return ok(rows.map(memberOf));
}

function memberOf(row: WaitingRow): WaitingMember {
  const { id, name, role, since, network, madeFor } = row;
  return {
    user: { id, name },
    role,
    since,
    device: { name: row.deviceName, platform: row.platform },
    ...(network === null ? {} : { network }),
    invitedBy: { id: row.inviter, name: row.inviterName },
    ...(madeFor === null ? {} : { madeFor }),
  };
}

async function decide(
  tx: Transaction,
  actor: MembershipActor,
  target: { readonly user: UserId; readonly shown: Role | undefined; readonly nowMs: number },
): Promise<Result<void, WaitingError>> {
  const { namespace, device, network } = actor;
  const { user, shown, nowMs } = target;
  // The lock under which members change and invites are accepted: of two words the first counts.
  await tx`select 1 from tidemark.namespaces where namespace_id = ${namespace} for update`;
  const asking = await activeUser(tx, actor);
  const [found] = await tx<{ readonly name: string; readonly role: Role }[]>`
    select u.name, w.role
    from tidemark.waiting_members w join tidemark.users u on u.id = w.user_id
    where w.namespace_id = ${namespace} and w.user_id = ${user}`;
  const actorRole = await roleOf(tx, actor, asking);
  const verdict = judgeWaiting({ actorRole, waitingRole: found?.role }, shown);
  if (!verdict.ok) return verdict;
  if (asking === undefined || found === undefined) return fail({ kind: "not-found" });
  if (shown === undefined) await dropWaiting(tx, { namespace, user });
  else {
    const role = higherRole(await roleOf(tx, actor, user), shown);
    await saveMember(tx, { namespace, user, role, nowMs });
  }
  const event = shown === undefined ? "member-declined" : "member-confirmed";
  const by = { user: asking, device, network, namespace };
  const member = { id: user, name: found.name, role: found.role };
  await appendAudit(tx, nowMs, waitingEntry(event, by, member));
  return ok(undefined);
}

async function roleOf(
  tx: Transaction,
  { namespace }: MembershipActor,
  user: UserId | undefined,
): Promise<Role | undefined> {
  const [member] = await tx<{ readonly role: Role }[]>`
    select role from tidemark.members
    where namespace_id = ${namespace} and user_id = ${user ?? null}`;
  return member?.role;
}
