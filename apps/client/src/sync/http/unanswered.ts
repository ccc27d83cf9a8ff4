import type { Failure } from "../transport.ts";
import { unreachable } from "./failures.ts";
import { wayTroubleBy } from "./way-trouble.ts";

/** Why no answer came. All else is the operating system's business, and differs from one to the next. */
export function unansweredBy(cause: unknown): Failure {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  return wayTroubleBy(code) ?? unreachable;
}
