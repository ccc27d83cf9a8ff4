import type { JobProvider } from "@tidemark/protocol/wire";
import type { StoredJobRule } from "../jobs-port.ts";
import type { Transaction } from "./door.ts";

/** The columns of a link that say which jobs it takes; all null where it takes none. */
export interface JobColumns {
  readonly jobProvider: JobProvider | null;
  readonly jobIssuer: string | null;
  readonly jobRepository: string | null;
  readonly jobRepositoryId: string | null;
  readonly jobRef: string | null;
  readonly jobEnvironment: string | null;
}

/** What to select of `links l` for {@link columnsToJob}. */
export function jobColumns(tx: Transaction): ReturnType<Transaction> {
  return tx`l.job_provider as "jobProvider", l.job_issuer as "jobIssuer",
    l.job_repository as "jobRepository", l.job_repository_id as "jobRepositoryId",
    l.job_ref as "jobRef", l.job_environment as "jobEnvironment"`;
}

/** The rule that these columns are. */
export function columnsToJob(row: JobColumns): StoredJobRule | undefined {
  const { jobProvider: provider, jobIssuer: issuer, jobRepository: repository } = row;
  if (provider === null || issuer === null || repository === null) return undefined;
  const { jobRepositoryId, jobRef, jobEnvironment } = row;
  return {
    provider,
    issuer,
    repository,
    ...(jobRepositoryId === null ? {} : { repositoryId: jobRepositoryId }),
    ...(jobRef === null ? {} : { ref: jobRef }),
    ...(jobEnvironment === null ? {} : { environment: jobEnvironment }),
  };
}

/** The values of these columns for a rule, or for none. */
export function jobToColumns(
  job: Partial<StoredJobRule> = {},
): Readonly<Record<keyof StoredJobRule, string | null>> {
  const { provider = null, issuer = null, repository = null } = job;
  const { repositoryId = null, ref = null, environment = null } = job;
  return { provider, issuer, repository, repositoryId, ref, environment };
}
