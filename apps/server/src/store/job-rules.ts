import type { Job, StoredJobRule } from "./jobs-port.ts";

/** How long an ephemeral machine may be silent, in milliseconds (PR17). */
export const machineSilenceMsMax = 86_400_000;

/** Machines of one rule at once, well below what its person may have (PR15). */
export const machinesOfRuleMax = 500;

/**
 * Whether a rule takes a job. `other-repository` is one of the same name under another number: it
 * was deleted and made again, or somebody took over the name, and it inherits nothing.
 */
export function judgeJob(rule: StoredJobRule, job: Job): "taken" | "other-repository" | "other" {
  const { provider, issuer, repository, repositoryId, ref, environment } = rule;
  const isNamed =
    provider === job.provider &&
    issuer === job.issuer &&
    // The services do not tell names apart by their case.
    repository.toLowerCase() === job.repository.toLowerCase();
  if (!isNamed) return "other";
  if (repositoryId !== undefined && repositoryId !== job.repositoryId) return "other-repository";
  const isPlace =
    (ref === undefined || ref === job.ref) &&
    (environment === undefined || environment === job.environment);
  return isPlace ? "taken" : "other";
}

/** Whether an ephemeral machine is gone, whether or not it was put away yet (PR17). */
export function isSilent(
  machine: { readonly lastSeenAtMs: number | null | undefined; readonly pairedAtMs: number },
  nowMs: number,
): boolean {
  return (machine.lastSeenAtMs ?? machine.pairedAtMs) <= nowMs - machineSilenceMsMax;
}
