import { assertInvariant, fail, ok, type DeviceId, type Result } from "@tidemark/protocol";
import { isWithin } from "../../networks.ts";
import type { AccountStore, AdmittedPair } from "../accounts-port.ts";
import { deviceExpiredEntry, jobJoinedEntry, linkRefusedEntry } from "../audit-entries.ts";
import { isSilent, judgeJob, machinesOfRuleMax } from "../job-rules.ts";
import type { JobAdmission, JobError, JobStore, StoredJobRule } from "../jobs-port.ts";
import type { AccountState, StoredLink } from "./account-state.ts";
import { admitDevice, hasAllDevices, isKeyInUse, isOpen, useUp } from "./admission.ts";
import { appendAudit, noteOutside } from "./audit.ts";

/** Machines of jobs, in memory. */
export function jobMethods(state: AccountState): JobStore {
  return {
    admitJob: async (input) => admitJob(state, input),
    expireMachines: async (nowMs) => expireMachines(state, nowMs),
  };
}

interface RuleLink extends StoredLink {
  readonly job: StoredJobRule;
}

function admitJob(state: AccountState, input: JobAdmission): Result<AdmittedPair, JobError> {
  const found = ruleFor(state, input);
  if (!found.ok) return found;
  const link = found.value;
  const refusal = refusalOf(state, link, input);
  if (refusal !== undefined) return refusal;
  const { job, device, nowMs, network } = input;
  useUp(state, { ...link, job: { ...link.job, repositoryId: job.repositoryId } });
  const { createdBy: user, networks, namespace, role: roleMax = "reader" } = link;
  assertInvariant(namespace !== undefined, "a rule without a namespace is not alive");
  const only = { namespace, roleMax };
  const place = { user, nowMs, link: link.id, only, networks, ephemeral: true };
  const pair = admitDevice(state, device, place);
  state.jobTokens.set(input.tokenHash, { device: device.id, endsAtMs: input.tokenEndsAtMs });
  const by = { user, device: device.id, network };
  appendAudit(state, nowMs, jobJoinedEntry(link, by, { device, job }));
  return ok(pair);
}

function ruleFor(state: AccountState, input: JobAdmission): Result<RuleLink, JobError> {
  const { job, nowMs, network } = input;
  const open = [...state.links.values()].filter(
    (link): link is RuleLink =>
      link.job !== undefined &&
      (input.link === undefined || link.id === input.link) &&
      isOpen(state, link, nowMs),
  );
  for (const link of open) {
    const isOther = judgeJob(link.job, job) === "other-repository";
    if (isOther) noteOutside(state, linkRefusedEntry(link, network), nowMs);
  }
  const [link, second] = open.filter(({ job: rule }) => judgeJob(rule, job) === "taken");
  if (link === undefined) return fail({ kind: "no-rule" });
  if (second !== undefined) return fail({ kind: "several-rules" });
  if (isWithin(link.networks, input.address)) return ok(link);
  noteOutside(state, linkRefusedEntry(link, network), nowMs);
  return fail({ kind: "no-rule" });
}

/** What stands against a machine, or what the same one was told before. */
function refusalOf(
  state: AccountState,
  link: StoredLink,
  input: JobAdmission,
): Result<AdmittedPair, JobError> | undefined {
  const used = state.jobTokens.get(input.tokenHash);
  if (used !== undefined) return toldBefore(state, used.device, input);
  if (isKeyInUse(state, input.device)) return fail({ kind: "key-in-use" });
  const machines = [...state.devices.values()].filter(
    (device) => device.link === link.id && device.status === "active",
  );
  const isFull = machines.length >= machinesOfRuleMax || hasAllDevices(state, link.createdBy);
  return isFull ? fail({ kind: "too-many-devices" }) : undefined;
}

function toldBefore(
  state: AccountState,
  id: DeviceId,
  { device: asking }: JobAdmission,
): Result<AdmittedPair, JobError> {
  const device = state.devices.get(id);
  const user = device === undefined ? undefined : state.users.get(device.user);
  const isSame = device?.status === "active" && device.thumbprint === asking.thumbprint;
  if (!isSame || user === undefined) return fail({ kind: "token-used" });
  return ok({ user: { id: user.id, name: user.name }, device: { id, name: device.name } });
}

function expireMachines(
  state: AccountState,
  nowMs: number,
): Awaited<ReturnType<AccountStore["expireMachines"]>> {
  for (const [hash, { endsAtMs }] of state.jobTokens) {
    if (endsAtMs <= nowMs) state.jobTokens.delete(hash);
  }
  const gone = [...state.devices.values()].filter(
    (device) => device.ephemeral === true && device.status === "active" && isSilent(device, nowMs),
  );
  for (const device of gone) {
    state.devices.set(device.id, { ...device, status: "revoked" });
    const { id, name, only } = device;
    appendAudit(state, nowMs, deviceExpiredEntry({ id, name, namespace: only?.namespace }));
  }
  return gone.map(({ id }) => id);
}
