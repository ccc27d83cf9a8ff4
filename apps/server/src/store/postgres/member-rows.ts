import type { DeviceId, NamespaceId, Role, UserId } from "@tidemark/protocol";
import type { LinkRow } from "../accounts-port.ts";
import type { Transaction } from "./door.ts";

/** Makes somebody a member, or gives a member another role; they wait for nothing any more. */
export async function saveMember(
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
  await dropWaiting(tx, member);
}

/** Somebody as they begin to wait. */
export interface NewWaiting {
  readonly namespace: NamespaceId;
  readonly user: UserId;
  readonly role: Role;
  readonly device: DeviceId;
  readonly network: string | undefined;
  readonly nowMs: number;
}

/** Has somebody wait for an admin's word; of two invites that they open the later one counts. */
export async function saveWaiting(
  tx: Transaction,
  { createdBy, madeFor = null }: Pick<LinkRow, "createdBy"> & { readonly madeFor?: string | null },
  waiting: NewWaiting,
): Promise<void> {
  const { namespace, user, role, device, network = null, nowMs } = waiting;
  await tx`
    insert into tidemark.waiting_members
      (namespace_id, user_id, role, invited_by, made_for, device_id, network, since_ms)
    values (${namespace}, ${user}, ${role}, ${createdBy}, ${madeFor}, ${device}, ${network},
      ${nowMs})
    on conflict (namespace_id, user_id) do update set role = excluded.role,
      invited_by = excluded.invited_by, made_for = excluded.made_for,
      device_id = excluded.device_id, network = excluded.network, since_ms = excluded.since_ms`;
}

/** Ends somebody's waiting. */
export async function dropWaiting(
  tx: Transaction,
  { namespace, user }: { readonly namespace: NamespaceId; readonly user: UserId },
): Promise<void> {
  await tx`
    delete from tidemark.waiting_members
    where namespace_id = ${namespace} and user_id = ${user}`;
}
