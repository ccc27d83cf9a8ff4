import type { DeviceId } from "@tidemark/protocol";
import type { Transaction } from "./door.ts";

/**
 * Waits for the pushes of a revoked device that were under way. They read the device's status under the lock of their
 * namespace, so those that begin later find it revoked, and after this none that began before is
 * left. A lock that was taken before the device is shut out would let whoever holds it delay that.
 */
export async function pushesEnded(tx: Transaction, id: DeviceId): Promise<void> {
  await tx`
    select 1 from tidemark.namespaces where namespace_id in (
      select m.namespace_id from tidemark.members m
      join tidemark.devices d on d.user_id = m.user_id where d.id = ${id})
    for share`;
}
