import {
  assertInvariant,
  fail,
  ok,
  type DeviceId,
  type NamespaceId,
  type Result,
  type Role,
  type UserId,
} from "@tidemark/protocol";
import { isWithin } from "../../networks.ts";
import type { AdmittedPair } from "../accounts-port.ts";
import { isLinkAlive } from "../admission-rules.ts";
import { deviceExpiredEntry, jobJoinedEntry, linkRefusedEntry } from "../audit-entries.ts";
import { judgeJob, machineSilenceMsMax, machinesOfRuleMax } from "../job-rules.ts";
import type { JobAdmission, JobError, JobStore, StoredJobRule } from "../jobs-port.ts";
import { admitDevice, isKeyInUse } from "./admission.ts";
import { hasAllDevices, lockPerson } from "./places.ts";
import { appendAudit } from "./audit.ts";
import type { Door, Transaction } from "./door.ts";
import { columnsToJob, jobColumns, type JobColumns } from "./job-columns.ts";
import { textToNetworks } from "./networks-text.ts";
import { noteOutside } from "./outsiders.ts";

/** Machines of jobs, in Postgres. */
export function jobMethods(door: Door): JobStore {
  return {
    admitJob: (input) => door.withAccounts((tx) => admitJob(tx, input)),
    expireMachines: (nowMs) => door.withAccounts((tx) => expireMachines(tx, nowMs)),
  };
}

interface RuleRow extends JobColumns {
  readonly id: string;
  readonly createdBy: UserId;
  readonly createdByDevice: DeviceId;
  readonly namespace: NamespaceId;
  readonly role: Role;
  readonly networks: string | null;
  readonly expiresAtMs: number;
}

interface RuleLink extends RuleRow {
  readonly job: StoredJobRule;
}

async function admitJob(
  tx: Transaction,
  input: JobAdmission,
): Promise<Result<AdmittedPair, JobError>> {
  const found = await ruleFor(tx, input);
  if (!found.ok) return found;
  const link = found.value;
  const refusal = await refusalOf(tx, link, input);
  if (refusal !== undefined) return refusal;
  const { job, device, nowMs, network, tokenHash, tokenEndsAtMs } = input;
  await tx`
    update tidemark.links set uses = uses + 1, used_at_ms = ${nowMs},
      job_repository_id = ${job.repositoryId}
    where id = ${link.id}`;
  const { createdBy: user, namespace, role: roleMax } = link;
  const bound = { only: { namespace, roleMax }, networks: textToNetworks(link.networks) };
  const place = { user, nowMs, mac: null, link: link.id, ...bound, ephemeral: true };
  const pair = await admitDevice(tx, device, place);
  await tx`
    insert into tidemark.job_tokens (hash, device_id, expires_at_ms)
    values (${tokenHash}, ${device.id}, ${tokenEndsAtMs})`;
  const by = { user, device: device.id, network };
  await appendAudit(tx, nowMs, jobJoinedEntry(link, by, { device, job }));
  return ok(pair);
}

/** The one rule that takes a job, locked: what follows is done by one job after the other. */
async function ruleFor(tx: Transaction, input: JobAdmission): Promise<Result<RuleLink, JobError>> {
  const { nowMs, network } = input;
  const taken: RuleLink[] = [];
  for (const link of await lockRules(tx, input)) {
    const verdict = judgeJob(link.job, input.job);
    if (verdict === "other" || !(await isAlive(tx, link, nowMs))) continue;
    if (verdict === "taken") taken.push(link);
    else await noteOutside(tx, linkRefusedEntry({ ...link, kind: "ci" }, network), nowMs);
  }
  const [link, second] = taken;
  if (link === undefined) return fail({ kind: "no-rule" });
  if (second !== undefined) return fail({ kind: "several-rules" });
  if (isWithin(textToNetworks(link.networks), input.address)) return ok(link);
  await noteOutside(tx, linkRefusedEntry({ ...link, kind: "ci" }, network), nowMs);
  return fail({ kind: "no-rule" });
}

async function lockRules(tx: Transaction, input: JobAdmission): Promise<readonly RuleLink[]> {
  const { job, nowMs, link } = input;
  const rows = await tx<RuleRow[]>`
    select l.id, l.created_by as "createdBy", l.created_by_device as "createdByDevice",
      l.namespace_id as namespace, l.role, l.networks, l.expires_at_ms as "expiresAtMs",
      ${jobColumns(tx)}
    from tidemark.links l
    where l.job_issuer = ${job.issuer} and lower(l.job_repository) = lower(${job.repository} collate "C")
      and l.kind = 'ci' and l.revoked_at_ms is null and l.expires_at_ms > ${nowMs}
      and l.uses < l.uses_max and l.id = coalesce(${link ?? null}, l.id)
    order by l.id for update`;
  return rows.map((row) => {
    const rule = columnsToJob(row);
    assertInvariant(rule !== undefined, "a rule that has an issuer is whole");
    return { ...row, job: rule };
  });
}

/** Whether its maker is still who may make it; read under the lock of shutting out. */
async function isAlive(tx: Transaction, link: RuleLink, nowMs: number): Promise<boolean> {
  await lockPerson(tx, link.createdBy);
  const [maker] = await tx<{ readonly active: boolean; readonly role: Role | null }[]>`
    select d.status = 'active' as active, m.role
    from tidemark.devices d
    left join tidemark.members m
      on m.namespace_id = ${link.namespace} and m.user_id = ${link.createdBy}
    where d.id = ${link.createdByDevice}`;
  const authHash = "";
  return isLinkAlive(
    { ...link, kind: "ci", authHash },
    { authHash, nowMs },
    { isDeviceActive: maker?.active === true, role: maker?.role ?? undefined },
  );
}

/** What stands against a machine, or what the same one was told before. */
async function refusalOf(
  tx: Transaction,
  link: RuleLink,
  input: JobAdmission,
): Promise<Result<AdmittedPair, JobError> | undefined> {
  const [used] = await tx<{ readonly device: DeviceId }[]>`
    select device_id as device from tidemark.job_tokens where hash = ${input.tokenHash}`;
  if (used !== undefined) return await toldBefore(tx, used.device, input);
  if (await isKeyInUse(tx, input.device)) return fail({ kind: "key-in-use" });
  const [held] = await tx<{ readonly count: number }[]>`
    select count(*) as count from tidemark.devices
    where link_id = ${link.id} and status <> 'revoked'`;
  const isFull =
    (held?.count ?? 0) >= machinesOfRuleMax || (await hasAllDevices(tx, link.createdBy));
  return isFull ? fail({ kind: "too-many-devices" }) : undefined;
}

interface ToldRow {
  readonly userId: UserId;
  readonly userName: string;
  readonly name: string;
}

async function toldBefore(
  tx: Transaction,
  id: DeviceId,
  { device }: JobAdmission,
): Promise<Result<AdmittedPair, JobError>> {
  const [row] = await tx<ToldRow[]>`
    select u.id as "userId", u.name as "userName", d.name
    from tidemark.devices d join tidemark.users u on u.id = d.user_id
    where d.id = ${id} and d.thumbprint = ${device.thumbprint} and d.status <> 'revoked'`;
  if (row === undefined) return fail({ kind: "token-used" });
  return ok({ user: { id: row.userId, name: row.userName }, device: { id, name: row.name } });
}

interface ExpiredRow {
  readonly id: DeviceId;
  readonly name: string;
  readonly namespace: NamespaceId | null;
}

async function expireMachines(tx: Transaction, nowMs: number): Promise<readonly DeviceId[]> {
  await tx`delete from tidemark.job_tokens where expires_at_ms <= ${nowMs}`;
  const gone = await tx<ExpiredRow[]>`
    update tidemark.devices set status = 'revoked'
    where ephemeral and status <> 'revoked'
      and coalesce(last_seen_at_ms, paired_at_ms) <= ${nowMs - machineSilenceMsMax}
    returning id, name, only_namespace_id as namespace`;
  const entries = gone.map(({ id, name, namespace }) =>
    deviceExpiredEntry({ id, name, namespace: namespace ?? undefined }),
  );
  if (entries.length > 0) await appendAudit(tx, nowMs, ...entries);
  return gone.map(({ id }) => id);
}
