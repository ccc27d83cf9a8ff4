import { fail, ok, type Result, type Role, type UserId } from "@tidemark/protocol";
import type { MemberInfo } from "@tidemark/protocol/wire";
import type { AccountStore, MembershipActor, MembershipError } from "../accounts-port.ts";
import { memberEntry } from "../audit-entries.ts";
import { judgeMembership } from "../membership-rules.ts";
import { appendAudit } from "./audit.ts";
import type { Door, Transaction } from "./door.ts";
import { dropWaiting } from "./member-rows.ts";

/** Who belongs to a namespace, in Postgres. */
export function membershipMethods(
  door: Door,
  clock: { nowMs(): number },
): Pick<AccountStore, "members" | "setRole" | "removeMember"> {
  return {
    members: (actor) => door.withAccounts((tx) => readMembers(tx, actor)),
    setRole: (actor, user, role) =>
      door.withAccounts((tx) => change(tx, actor, { user, next: role, nowMs: clock.nowMs() })),
    removeMember: (actor, user) =>
      door.withAccounts((tx) => change(tx, actor, { user, next: undefined, nowMs: clock.nowMs() })),
  };
}

async function readMembers(
  tx: Transaction,
  actor: MembershipActor,
): Promise<Result<readonly MemberInfo[], MembershipError>> {
  const rows = await tx<{ readonly id: UserId; readonly name: string; readonly role: Role }[]>`
    select u.id, u.name, m.role
    from tidemark.members m join tidemark.users u on u.id = m.user_id
    where m.namespace_id = ${actor.namespace}
    order by m.joined_at_ms, u.id`;
  const asking = await activeUser(tx, actor);
  if (!rows.some(({ id }) => id === asking)) return fail({ kind: "not-found" });
  return ok(rows.map(({ id, name, role }) => ({ user: { id, name }, role })));
}

async function change(
  tx: Transaction,
  actor: MembershipActor,
  target: { readonly user: UserId; readonly next: Role | undefined; readonly nowMs: number },
): Promise<Result<void, MembershipError>> {
  const { namespace } = actor;
  // The lock of pushes: rights change before a push or after it, never during one.
  await tx`select 1 from tidemark.namespaces where namespace_id = ${namespace} for update`;
  const members = await tx<{ readonly user: UserId; readonly role: Role }[]>`
    select user_id as user, role from tidemark.members where namespace_id = ${namespace}`;
  const roleOf = (user: UserId | undefined): Role | undefined =>
    members.find((member) => member.user === user)?.role;
  const asking = await activeUser(tx, actor);
  const verdict = judgeMembership(
    {
      actorRole: roleOf(asking),
      isSelf: asking === target.user,
      targetRole: roleOf(target.user),
      owners: members.filter(({ role }) => role === "owner").length,
    },
    target.next,
  );
  if (!verdict.ok) return verdict;
  if (target.next === undefined) await dropWaiting(tx, { namespace, user: target.user });
  await (target.next === undefined
    ? tx`
        delete from tidemark.members
        where namespace_id = ${namespace} and user_id = ${target.user}`
    : tx`
        update tidemark.members set role = ${target.next}
        where namespace_id = ${namespace} and user_id = ${target.user}`);
  const before = roleOf(target.user);
  if (asking === undefined || before === undefined || before === target.next) return ok(undefined);
  const [named] = await tx<{ readonly name: string }[]>`
    select name from tidemark.users where id = ${target.user}`;
  const by = { user: asking, device: actor.device, network: actor.network, namespace };
  const member = { id: target.user, name: named?.name ?? "", role: before };
  await appendAudit(tx, target.nowMs, memberEntry(by, member, target.next));
  return ok(undefined);
}

/** Whose active device asks, where it may ask about this namespace at all. */
export async function activeUser(
  tx: Transaction,
  actor: MembershipActor,
): Promise<UserId | undefined> {
  const [row] = await tx<{ readonly user: UserId }[]>`
    select user_id as user from tidemark.devices
    where id = ${actor.device} and status <> 'revoked'
      and (only_namespace_id is null or only_namespace_id = ${actor.namespace})`;
  return row?.user;
}
