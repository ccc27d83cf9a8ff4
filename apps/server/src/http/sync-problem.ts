import type { SyncError } from "../domain/sync-error.ts";
import type { Call } from "./app-env.ts";
import { problem } from "./problem.ts";

/** The answer to a push, pull or heal that was refused as a whole. */
export function syncProblem({ c }: Call, error: SyncError): Response {
  switch (error.kind) {
    case "writer-position":
      return problem(c, error.kind, { position: error.position });
    case "unavailable":
      return problem(c, error.kind, { retryAfterMs: error.retryAfterMs });
    default:
      return problem(c, error.kind);
  }
}
