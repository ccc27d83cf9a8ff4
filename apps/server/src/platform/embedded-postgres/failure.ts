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
