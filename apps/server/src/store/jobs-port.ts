import type { DeviceId, Result } from "@tidemark/protocol";
import type { JobProvider, JobRule } from "@tidemark/protocol/wire";
import type { AdmittedDevice, AdmittedPair } from "./accounts-port.ts";

/** A rule for jobs as it is kept: it says whose tokens it means. */
export interface StoredJobRule extends JobRule {
  readonly issuer: string;
}

/** A job of a CI service, in the words of a token that was checked (PR16). */
export interface Job {
  readonly provider: JobProvider;
  readonly issuer: string;
  /** `OWNER/NAME`. */
  readonly repository: string;
  readonly repositoryId: string;
  /** The full name of the branch or tag that it runs for. */
  readonly ref: string;
  readonly environment: string | undefined;
}

/** Why a job was not let in. */
export interface JobError {
  readonly kind:
    | "no-rule"
    | "several-rules"
    /** The token has let another key in. */
    | "token-used"
    | "key-in-use"
    | "too-many-devices";
}

/** A job that shows its token. */
export interface JobAdmission {
  readonly job: Job;
  /** A hash that no other token has. */
  readonly tokenHash: string;
  /** From when on the token is refused for its age. */
  readonly tokenEndsAtMs: number;
  /** The rule to come in by; needed where several would take it. */
  readonly link: string | undefined;
  readonly device: AdmittedDevice;
  readonly nowMs: number;
  readonly network?: string | undefined;
  readonly address?: string | undefined;
}

/** Machines that come by a job's token, and that go by themselves. */
export interface JobStore {
  /**
   * Lets a job's machine in by the one rule that takes it (PR15), and binds that to the repository's
   * number where it has none. Each token lets one key in, once; the same key is told the same again.
   */
  admitJob(input: JobAdmission): Promise<Result<AdmittedPair, JobError>>;
  /** Shuts out machines that have been silent too long (PR17), and gives them. */
  expireMachines(nowMs: number): Promise<readonly DeviceId[]>;
}
