import { fail, ok, type DeviceId, type Result, type Role, type UserId } from "@tidemark/protocol";
import type { NamespaceInfo } from "@tidemark/protocol/wire";
import type { AccountStore, NewNamespaceError } from "../accounts-port.ts";
import { lowerRole } from "../admission-rules.ts";
import { namespaceEntry } from "../audit-entries.ts";
import { insertNamespace } from "./admission.ts";
import { hasAllPlaces } from "./places.ts";
import { appendAudit } from "./audit.ts";
import type { Transaction } from "./door.ts";
import { saveBeginning } from "./sealed.ts";

/** Namespaces of the person whose device this is, as it may use them. */
export async function readNamespaces(
  tx: Transaction,
  asking: DeviceId,
): Promise<readonly NamespaceInfo[]> {
  const rows = await tx<(NamespaceInfo & { readonly roleMax: Role | null })[]>`
    select n.namespace_id as id, n.name, n.kind, m.role, n.head, d.role_max as "roleMax"
    from tidemark.devices d
    join tidemark.members m on m.user_id = d.user_id
    join tidemark.namespaces n on n.namespace_id = m.namespace_id
    where d.id = ${asking}
      and (d.only_namespace_id is null or d.only_namespace_id = n.namespace_id)
      and (d.sealing_key is not null or not starts_with(n.namespace_id, 'nse_'))
    order by n.kind, n.created_at_ms, n.namespace_id`;
  return rows.map(({ roleMax, role, ...row }) => ({
    ...row,
    role: lowerRole(role, roleMax ?? undefined),
  }));
}

/** See `AccountStore.createNamespace`. */
export async function createNamespace(
  tx: Transaction,
  input: Parameters<AccountStore["createNamespace"]>[0],
  nowMs: number,
): Promise<Result<NamespaceInfo, NewNamespaceError>> {
  const [device] = await tx<{ readonly user: UserId }[]>`
    select user_id as user from tidemark.devices
    where id = ${input.asking} and status = 'active'`;
  if (device === undefined) return fail({ kind: "device-revoked" });
  if (await hasAllPlaces(tx, device.user)) return fail({ kind: "too-many-namespaces" });
  const { id, name, mark } = input;
  await insertNamespace(tx, { id, name, mark, kind: "team", owner: device.user }, nowMs);
  if (input.sealed !== undefined) {
    await saveBeginning(tx, { namespace: id, nowMs }, input.sealed);
  }
  const by = { user: device.user, device: input.asking, network: input.network };
  await appendAudit(tx, nowMs, namespaceEntry(by, { id, name }));
  return ok({ id, name, kind: "team", role: "owner", head: 0 });
}
