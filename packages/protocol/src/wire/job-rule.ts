import { z } from "zod";

/** CI services whose jobs prove who they are. */
export const jobProviders = ["github", "gitlab"] as const;
/** See {@link jobProviders}. */
export type JobProvider = (typeof jobProviders)[number];

/** Whether a text names a CI service whose jobs a rule can take. */
export function isJobProvider(text: string): text is JobProvider {
  return jobProviders.some((provider) => provider === text);
}

/**
 * Which jobs a link for machines takes, instead of whoever has a secret (PR15). Everything that is
 * named has to be the same in the job's token; nothing is a pattern.
 */
export interface JobRule {
  readonly provider: JobProvider;
  /** The `iss` of its tokens; the provider's public service unless given. */
  readonly issuer?: string | undefined;
  /** `OWNER/NAME`, on GitLab the project's path. */
  readonly repository: string;
  /**
   * The number that the service knows the repository by; where it is not given, that of the first
   * job. Another repository under the same name has another number.
   */
  readonly repositoryId?: string | undefined;
  /** The full name of a branch or tag, such as `refs/heads/main`. */
  readonly ref?: string | undefined;
  readonly environment?: string | undefined;
}

const nameText = z.string().regex(/^[!-~]{1,255}$/);

/** See {@link JobRule}. */
export const jobRuleSchema: z.ZodType<JobRule> = z.object({
  provider: z.enum(jobProviders),
  issuer: nameText.optional(),
  repository: z
    .string()
    .max(255)
    .regex(/^[\w.-]+(?:\/[\w.-]+)+$/),
  repositoryId: z
    .string()
    .regex(/^\d{1,20}$/)
    .optional(),
  ref: nameText.regex(/^refs\/(?:heads|tags)\//).optional(),
  environment: z
    .string()
    .regex(/^[^\p{Cc}]{1,255}$/u)
    .optional(),
});
