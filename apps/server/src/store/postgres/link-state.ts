import type { DeviceId, NamespaceId, Role } from "@tidemark/protocol";
import type { LinkState } from "@tidemark/protocol/wire";
import type { AccountStore, LinkRow } from "../accounts-port.ts";
import { isLinkAlive } from "../admission-rules.ts";
import { columnsToJob, jobColumns, type JobColumns } from "./job-columns.ts";
import type { Transaction } from "./door.ts";

interface LinkStateRow extends JobColumns {
  readonly kind: LinkRow["kind"];
  readonly authHash: string;
  readonly namespace: NamespaceId | null;
  readonly role: Role | null;
  readonly expiresAtMs: number;
  readonly isUsed: boolean;
  readonly isRevoked: boolean;
  readonly isMakerActive: boolean;
  readonly makerRole: Role | null;
  readonly device: DeviceId | null;
  readonly name: string | null;
  readonly joinedName: string | null;
  readonly thumbprint: string | null;
  readonly mac: string | null;
}

/** See `AccountStore.linkState`. */
export async function readLinkState(
  tx: Transaction,
  input: Parameters<AccountStore["linkState"]>[0],
): Promise<LinkState | undefined> {
  const [row] = await tx<LinkStateRow[]>`
    select l.kind, l.auth_hash as "authHash", l.namespace_id as namespace, l.role,
      l.expires_at_ms as "expiresAtMs", l.uses >= l.uses_max
        or (l.kind <> 'ci' and not l.confirm and l.used_at_ms is not null and l.revoked_at_ms is null) as "isUsed",
      l.revoked_at_ms is not null as "isRevoked",
      maker.status = 'active' as "isMakerActive", m.role as "makerRole",
      d.id as device, d.name, d.joined_name as "joinedName", d.thumbprint, d.mac,
      ${jobColumns(tx)}
    from tidemark.links l
    join tidemark.devices asking on asking.id = ${input.asking} and asking.user_id = l.created_by
    join tidemark.devices maker on maker.id = l.created_by_device
    left join tidemark.members m
      on m.namespace_id = l.namespace_id and m.user_id = l.created_by
    left join tidemark.devices d on d.link_id = l.id and l.kind <> 'ci'
    where l.id = ${input.id}`;
  if (row === undefined) return undefined;
  if (row.isUsed) return usedState(row);
  return { status: isAlive(row, input.nowMs) ? "open" : "expired" };
}

function isAlive(row: LinkStateRow, nowMs: number): boolean {
  const { authHash, namespace, role, isMakerActive, makerRole } = row;
  if (row.isRevoked) return false;
  return isLinkAlive(
    {
      ...row,
      namespace: namespace ?? undefined,
      role: role ?? undefined,
      job: columnsToJob(row),
    },
    { authHash, nowMs },
    { isDeviceActive: isMakerActive, role: makerRole ?? undefined },
  );
}

function usedState({ device, name, joinedName, thumbprint, mac }: LinkStateRow): LinkState {
  if (device === null || name === null || joinedName === null || thumbprint === null) {
    return { status: "used" };
  }
  const joined = { id: device, name, joinedName, thumbprint };
  return { status: "used", device: joined, mac: mac ?? undefined };
}
