import type { ErrorFamily } from "@tidemark/protocol";
import type { Failure } from "./transport.ts";

/** Why the last sync could not even begin. */
export interface LastFailure {
  readonly code: string;
  readonly family: ErrorFamily;
  readonly message: string;
  /** Wall time in milliseconds. */
  readonly at: number;
}

/** Name under which the store keeps it. */
export const lastFailureName = "sync.last-failure";

/** A failure as the store keeps it. */
export function lastFailureText({ code, family, title }: Failure, atMs: number): string {
  const failure: LastFailure = { code, family, message: title, at: atMs };
  return JSON.stringify(failure);
}

/** What the store has kept; undefined where the last sync began well. */
export function readLastFailure(text: string | undefined): LastFailure | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as LastFailure);
}

/** Whether no later sync can mend it by itself: the copies of this device follow nothing any more. */
export function isCutOff(failure: LastFailure | undefined): boolean {
  return failure?.family === "auth" || failure?.family === "upgrade";
}
