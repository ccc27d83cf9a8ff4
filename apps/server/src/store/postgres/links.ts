import type { DeviceId, NamespaceId, Role, UserId } from "@tidemark/protocol";
import type { LinkInfo } from "@tidemark/protocol/wire";
import type { AccountStore, LinkRow } from "../accounts-port.ts";
import { isLinkAlive } from "../admission-rules.ts";
import { appendAudit } from "./audit.ts";
import type { Door, Transaction } from "./door.ts";

/** The links of a person, in Postgres. */
export function linkMethods(door: Door): Pick<AccountStore, "links" | "revokeLink"> {
  return {
    links: (asking, nowMs) => door.withAccounts((tx) => readLinks(tx, asking, nowMs)),
    revokeLink: (input) => door.withAccounts((tx) => revokeLink(tx, input)),
  };
}

interface LinkInfoRow {
  readonly id: string;
  readonly kind: LinkRow["kind"];
  readonly authHash: string;
  readonly namespace: NamespaceId | null;
  readonly role: Role | null;
  readonly uses: number;
  readonly usesMax: number;
  readonly expiresAtMs: number;
  readonly isRevoked: boolean;
  readonly isMakerActive: boolean;
  readonly makerRole: Role | null;
  readonly devices: number;
}

async function readLinks(
  tx: Transaction,
  asking: DeviceId,
  nowMs: number,
): Promise<readonly LinkInfo[]> {
  const rows = await tx<LinkInfoRow[]>`
    select l.id, l.kind, l.auth_hash as "authHash", l.namespace_id as namespace, l.role, l.uses,
      l.uses_max as "usesMax", l.expires_at_ms as "expiresAtMs",
      l.revoked_at_ms is not null as "isRevoked", maker.status = 'active' as "isMakerActive",
      m.role as "makerRole",
      (select count(*) from tidemark.devices d
        where d.link_id = l.id and d.status = 'active') as devices
    from tidemark.links l
    join tidemark.devices asking on asking.id = ${asking} and asking.user_id = l.created_by
    join tidemark.devices maker on maker.id = l.created_by_device
    left join tidemark.members m
      on m.namespace_id = l.namespace_id and m.user_id = l.created_by
    where l.kind = 'ci' or l.expires_at_ms > ${nowMs}
    order by l.expires_at_ms, l.id`;
  return rows
    .map((row) => infoOf(row, nowMs))
    .filter(({ status, kind, devices }) => status === "open" || (kind === "ci" && devices > 0));
}

function infoOf(row: LinkInfoRow, nowMs: number): LinkInfo {
  const { id, kind, authHash, uses, usesMax, expiresAtMs: expiresAt, devices } = row;
  const grant = { namespace: row.namespace ?? undefined, role: row.role ?? undefined };
  const isAlive = isLinkAlive(
    { kind, authHash, expiresAtMs: expiresAt, ...grant },
    { authHash, nowMs },
    { isDeviceActive: row.isMakerActive, role: row.makerRole ?? undefined },
  );
  const isOpen = isAlive && !row.isRevoked && uses < usesMax;
  const status = isOpen ? "open" : "closed";
  return { id, kind, ...definedOf(grant), status, uses, usesMax, expiresAt, devices };
}

function definedOf({ namespace, role }: Pick<LinkInfo, "namespace" | "role">): Partial<LinkInfo> {
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(role === undefined ? {} : { role }),
  };
}

async function revokeLink(
  tx: Transaction,
  input: Parameters<AccountStore["revokeLink"]>[0],
): Promise<readonly DeviceId[] | undefined> {
  const { id, asking, nowMs, network } = input;
  const [link] = await tx<RevokedLink[]>`
    update tidemark.links l set revoked_at_ms = coalesce(l.revoked_at_ms, ${nowMs})
    from tidemark.devices asking
    where l.id = ${id} and asking.id = ${asking} and asking.status = 'active'
      and asking.user_id = l.created_by
    returning l.kind, l.namespace_id as namespace, l.created_by as user`;
  if (link === undefined) return undefined;
  const shutOut = input.withDevices
    ? await tx<{ readonly id: DeviceId; readonly name: string }[]>`
        update tidemark.devices set status = 'revoked'
        where link_id = ${id} and status = 'active' returning id, name`
    : [];
  const actor = { actorUser: link.user, actorDevice: asking, network };
  await appendAudit(
    tx,
    nowMs,
    {
      ...actor,
      event: "link-revoked",
      details: { kind: link.kind, devices: shutOut.length },
      namespace: link.namespace ?? undefined,
      target: id,
    },
    ...shutOut.map(
      (device) =>
        ({
          ...actor,
          event: "device-revoked",
          details: { name: device.name },
          aboutUser: link.user,
          target: device.id,
        }) as const,
    ),
  );
  return shutOut.map((device) => device.id);
}

interface RevokedLink {
  readonly kind: LinkRow["kind"];
  readonly namespace: NamespaceId | null;
  readonly user: UserId;
}
