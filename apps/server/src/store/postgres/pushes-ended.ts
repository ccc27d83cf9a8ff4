import type { DeviceId, NamespaceId } from "@tidemark/protocol";
import type { Door } from "./door.ts";

/**
 * Waits for the pushes of a revoked device that were under way. They read the device's status under
 * the lock of their namespace, so those that begin later find it revoked, and after this none that
 * began before is left. A lock that was taken before the device is shut out would let whoever holds
 * it delay that; one for all namespaces would hold those that are free while a busy one is waited for.
 */
export async function pushesEnded(door: Door, id: DeviceId): Promise<void> {
  const rows = await door.withAccounts(
    (tx) => tx<{ readonly namespace: NamespaceId }[]>`
      select m.namespace_id as namespace from tidemark.members m
      join tidemark.devices d on d.user_id = m.user_id where d.id = ${id}`,
  );
  for (const { namespace } of rows) {
    await door.withAccounts(
      (tx) => tx`
        select 1 from tidemark.namespaces where namespace_id = ${namespace} for share`,
    );
  }
}
