import type { Result } from "@tidemark/protocol";

/** Why the embedded PostgreSQL does not serve: what happened, and the command or setting that helps. */
export interface EmbeddedPostgresFailure {
  readonly kind:
    | "data-dir-in-use"
    | "binaries-missing"
    | "binaries-unusable"
    | "no-unprivileged-user"
    | "folder-not-a-database"
    | "other-major-version"
    | "initdb-failed"
    | "orphan-survives"
    | "start-failed"
    | "bootstrap-failed"
    | "died-too-often";
  readonly message: string;
  readonly hint: string;
}

/** A step that may fail with a reason for the operator. */
export type Attempt<T> = Result<T, EmbeddedPostgresFailure>;

/** The way out that always exists. */
export const ownDatabaseHint = "or set DATABASE_URL to a PostgreSQL of your own";

/** A PostgreSQL that does not start, by what it said last. */
export function startFailed(said: string, cluster: string): EmbeddedPostgresFailure {
  return {
    kind: "start-failed",
    message: `the embedded PostgreSQL does not start: ${said}`,
    hint: said.includes("No space left on device")
      ? `make room on the disk of ${cluster} (df -h), and start again`
      : `its data is in ${cluster}`,
  };
}
