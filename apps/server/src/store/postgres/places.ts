/** How much a person may have. */
import type { NamespaceId, UserId } from "@tidemark/protocol";
import { activeDevicesMax, isRoomForPlace } from "../admission-rules.ts";
import type { Transaction } from "./door.ts";

/** Whether a person has as many devices as one may have; locks the person until commit. */
export async function hasAllDevices(tx: Transaction, user: UserId): Promise<boolean> {
  await lockPerson(tx, user);
  const [held] = await tx<{ readonly count: number }[]>`
    select count(*) as count from tidemark.devices
    where user_id = ${user} and status <> 'revoked'`;
  return (held?.count ?? 0) >= activeDevicesMax;
}

/**
 * Whether a person is in as many namespaces as one may be in (NS28); locks the person until commit.
 *
 * @param into the one that they come into: who is in it already needs no room
 */
export async function hasAllPlaces(
  tx: Transaction,
  user: UserId,
  into?: NamespaceId,
): Promise<boolean> {
  await lockPerson(tx, user);
  const places = await tx<{ readonly id: NamespaceId }[]>`
    select namespace_id as id from tidemark.members where user_id = ${user}
    union select namespace_id from tidemark.waiting_members where user_id = ${user}
    union select namespace_id from tidemark.former_members where user_id = ${user}`;
  return !places.some(({ id }) => id === into) && !isRoomForPlace(places.length);
}

/** The lock under which devices and namespaces of a person come and go. */
export async function lockPerson(tx: Transaction, user: UserId): Promise<void> {
  await tx`select 1 from tidemark.users where id = ${user} for update`;
}
