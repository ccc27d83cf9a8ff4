import {
  fail,
  ok,
  type DeviceId,
  type NamespaceId,
  type Result,
  type Role,
  type UserId,
} from "@tidemark/protocol";
import type { LinkInfo } from "@tidemark/protocol/wire";
import type { AccountStore, LinkRow, NewLinkError } from "../accounts-port.ts";
import { isLinkAlive, openLinksMax } from "../admission-rules.ts";
import { linkMadeEntry, linkRevokedEntries } from "../audit-entries.ts";
import { judgeLinkMaker, type Approver } from "../pairing-rules.ts";
import { markRevoked } from "./admission.ts";
import { appendAudit } from "./audit.ts";
import type { Door, Transaction } from "./door.ts";
import { columnsToJob, jobColumns, jobToColumns, type JobColumns } from "./job-columns.ts";
import { networksToText, textToNetworks } from "./networks-text.ts";
import { pushesEnded } from "./pushes-ended.ts";

type LinkMethods = Pick<AccountStore, "createLink" | "links" | "revokeLink">;

/** The links of a person, in Postgres. */
export function linkMethods(door: Door, clock: { nowMs(): number }): LinkMethods {
  return {
    createLink: (link, network) =>
      door.withAccounts((tx) => createLink(tx, link, { nowMs: clock.nowMs(), network })),
    links: (asking, nowMs) => door.withAccounts((tx) => readLinks(tx, asking, nowMs)),
    revokeLink: async (input) => {
      const ended = await door.withAccounts((tx) => revokeLink(tx, input));
      if (ended === undefined) return undefined;
      const { shutOut, oneOut } = ended;
      input.onShutOut?.(shutOut);
      // They are all of one person. The wait may fail, so who asks again waits again.
      if (oneOut !== undefined) await pushesEnded(door, oneOut);
      return shutOut;
    },
  };
}

async function createLink(
  tx: Transaction,
  link: LinkRow,
  made: { readonly nowMs: number; readonly network: string | undefined },
): Promise<Result<void, NewLinkError>> {
  const { nowMs, network } = made;
  // The lock of the person makes two at once one after the other.
  await tx`select 1 from tidemark.users where id = ${link.createdBy} for update`;
  const verdict = judgeLinkMaker(link.kind, await readLinkMaker(tx, link.createdByDevice), nowMs);
  if (verdict !== "ok") return fail({ kind: verdict });
  const [open] = await tx<{ readonly count: number }[]>`
    select count(*) as count from tidemark.links
    where created_by = ${link.createdBy} and revoked_at_ms is null and expires_at_ms > ${nowMs}
      and uses < uses_max and (kind = 'ci' or confirm or used_at_ms is null)`;
  if ((open?.count ?? 0) >= openLinksMax) return fail({ kind: "too-many-links" });
  await insertLink(tx, link, nowMs);
  await appendAudit(tx, nowMs, linkMadeEntry(link, network));
  return ok(undefined);
}

async function insertLink(tx: Transaction, link: LinkRow, nowMs: number): Promise<void> {
  const { usesMax = 1, confirm = false, ephemeral = false } = link;
  const job = jobToColumns(link.job);
  await tx`
    insert into tidemark.links (id, kind, auth_hash, created_by, created_by_device, namespace_id,
      role, expires_at_ms, uses_max, confirm, made_for, used_at_ms, networks, ephemeral,
      job_provider, job_issuer, job_repository, job_repository_id, job_ref, job_environment)
    values (${link.id}, ${link.kind}, ${link.authHash}, ${link.createdBy}, ${link.createdByDevice},
      ${link.namespace ?? null}, ${link.role ?? null}, ${link.expiresAtMs}, ${usesMax},
      ${confirm}, ${link.madeFor ?? null},
      ${link.kind === "ci" || confirm ? nowMs : null},
      ${networksToText(link.networks)}, ${ephemeral},
      ${job.provider}, ${job.issuer}, ${job.repository}, ${job.repositoryId}, ${job.ref},
      ${job.environment})`;
}

async function readLinkMaker(tx: Transaction, device: DeviceId): Promise<Approver | undefined> {
  const [row] = await tx<Approver[]>`
    select d.status = 'active' as "isActive", d.paired_at_ms as "pairedAtMs",
      exists (
        select 1 from tidemark.devices o
        where o.user_id = d.user_id and o.paired_at_ms < d.paired_at_ms
      ) as "hasOlder"
    from tidemark.devices d where d.id = ${device}`;
  return row;
}

interface LinkInfoRow extends JobColumns {
  readonly id: string;
  readonly kind: LinkRow["kind"];
  readonly authHash: string;
  readonly namespace: NamespaceId | null;
  readonly role: Role | null;
  readonly networks: string | null;
  readonly uses: number;
  readonly usesMax: number;
  readonly expiresAtMs: number;
  readonly isRevoked: boolean;
  readonly isMakerActive: boolean;
  readonly makerRole: Role | null;
  readonly maker: UserId;
  readonly makerName: string;
  readonly isOwn: boolean;
  readonly devices: number;
  readonly ephemeral: boolean;
}

/**
 * See `AccountStore.links`.
 *
 * @param shutOut a maker that is taken for active: what it had made is looked at
 */
export async function readLinks(
  tx: Transaction,
  asking: DeviceId,
  nowMs: number,
  shutOut?: DeviceId,
): Promise<readonly LinkInfo[]> {
  const rows = await tx<LinkInfoRow[]>`
    select l.id, l.kind, l.auth_hash as "authHash", l.namespace_id as namespace, l.role,
      l.networks, l.ephemeral, ${jobColumns(tx)},
      case when l.kind <> 'ci' and not l.confirm and l.used_at_ms is not null and l.revoked_at_ms is null
        then greatest(l.uses, 1) else l.uses end as uses,
      l.uses_max as "usesMax", l.expires_at_ms as "expiresAtMs",
      l.revoked_at_ms is not null as "isRevoked",
      (maker.status = 'active' or maker.id = ${shutOut ?? ""}) as "isMakerActive",
      m.role as "makerRole", l.created_by as maker, u.name as "makerName",
      asking.user_id = l.created_by as "isOwn",
      (select count(*) from tidemark.devices d
        where d.link_id = l.id and d.user_id = l.created_by and d.status <> 'revoked') as devices
    from tidemark.links l
    join tidemark.devices asking on asking.id = ${asking}
    join tidemark.devices maker on maker.id = l.created_by_device
    join tidemark.users u on u.id = l.created_by
    left join tidemark.members m
      on m.namespace_id = l.namespace_id and m.user_id = l.created_by
    left join tidemark.members held
      on held.namespace_id = l.namespace_id and held.user_id = asking.user_id
    where ${isTheirs(tx)} and (l.kind = 'ci' or l.expires_at_ms > ${nowMs})
    order by l.expires_at_ms, l.id`;
  return rows
    .map((row) => infoOf(row, nowMs))
    .filter(({ status, kind, devices }) => status === "open" || (kind === "ci" && devices > 0));
}

function infoOf(row: LinkInfoRow, nowMs: number): LinkInfo {
  const { id, kind, authHash, uses, usesMax, expiresAtMs: expiresAt, devices } = row;
  const grant = { namespace: row.namespace ?? undefined, role: row.role ?? undefined };
  const job = columnsToJob(row);
  const isAlive = isLinkAlive(
    { kind, authHash, expiresAtMs: expiresAt, job, ...grant },
    { authHash, nowMs },
    { isDeviceActive: row.isMakerActive, role: row.makerRole ?? undefined },
  );
  const isOpen = isAlive && !row.isRevoked && uses < usesMax;
  const status = isOpen ? "open" : "closed";
  const by = row.isOwn ? {} : { maker: { id: row.maker, name: row.makerName } };
  const networks = textToNetworks(row.networks);
  const { ephemeral } = row;
  const place = definedOf({ ...grant, networks, job, ephemeral });
  return { id, kind, ...place, status, uses, usesMax, expiresAt, devices, ...by };
}

type LinkPlace = Pick<LinkInfo, "namespace" | "role" | "networks" | "job" | "ephemeral">;

function definedOf({ namespace, role, networks, job, ephemeral }: LinkPlace): LinkPlace {
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(role === undefined ? {} : { role }),
    ...(networks === undefined ? {} : { networks }),
    ...(job === undefined ? {} : { job }),
    ...(ephemeral === true ? { ephemeral } : {}),
  };
}

interface Ended {
  readonly shutOut: readonly DeviceId[];
  /** One of those that are out by the end of this link, now or before. */
  readonly oneOut: DeviceId | undefined;
}

async function revokeLink(
  tx: Transaction,
  input: Parameters<AccountStore["revokeLink"]>[0],
): Promise<Ended | undefined> {
  const { id, asking, nowMs, network } = input;
  const [link] = await tx<RevokedLink[]>`
    select l.kind, l.namespace_id as namespace, l.created_by as maker, asking.user_id as user,
      l.revoked_at_ms is not null as "isRevoked"
    from tidemark.links l
    join tidemark.devices asking on asking.id = ${asking} and asking.status = 'active'
    left join tidemark.members held
      on held.namespace_id = l.namespace_id and held.user_id = asking.user_id
    where l.id = ${id} and ${isTheirs(tx)}
    for update of l`;
  if (link === undefined) return undefined;
  await markRevoked(tx, id, nowMs);
  // Machines alone: who came in by an invite is somebody else, and one's own devices go one by one,
  // where the last is guarded.
  const shutOut =
    input.withDevices && link.kind === "ci"
      ? await tx<{ readonly id: DeviceId; readonly name: string; readonly user: UserId }[]>`
        update tidemark.devices set status = 'revoked'
        where link_id = ${id} and user_id = ${link.maker} and status <> 'revoked'
        returning id, name, user_id as user`
      : [];
  const oneOut = input.withDevices ? await oneOutOf(tx, { id, ...link }) : undefined;
  if (link.isRevoked && shutOut.length === 0) return { shutOut: [], oneOut };
  const { kind, namespace } = link;
  const by = { user: link.user, device: asking, network };
  const ended = { id, kind, maker: link.maker, namespace: namespace ?? undefined };
  await appendAudit(tx, nowMs, ...linkRevokedEntries(ended, by, shutOut));
  return { shutOut: shutOut.map((device) => device.id), oneOut };
}

async function oneOutOf(
  tx: Transaction,
  { id, kind, maker }: { readonly id: string } & Pick<RevokedLink, "kind" | "maker">,
): Promise<DeviceId | undefined> {
  if (kind !== "ci") return undefined;
  const [one] = await tx<{ readonly id: DeviceId }[]>`
    select id from tidemark.devices
    where link_id = ${id} and user_id = ${maker} and status = 'revoked' limit 1`;
  return one?.id;
}

interface RevokedLink {
  readonly kind: LinkRow["kind"];
  readonly namespace: NamespaceId | null;
  readonly maker: UserId;
  readonly user: UserId;
  readonly isRevoked: boolean;
}

/** Whether a link is the asking person's, or lets machines into a namespace that they administer. */
function isTheirs(tx: Transaction): ReturnType<Transaction> {
  return tx`(asking.user_id = l.created_by or (l.kind = 'ci' and held.role in ('admin', 'owner')))`;
}
