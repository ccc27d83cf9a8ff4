import type { AccessError } from "./access-error.ts";

/**
 * What a refusal means that came from a route which is absent to nobody: a server that knows it never
 * says there is no such thing, and one of before says it of every route that it does not know (WR15).
 */
export function orTooOld(error: AccessError, lacks: string): AccessError {
  if (error.code !== "not-found") return error;
  return {
    code: "upgrade-server",
    message: `the server is of before ${lacks}`,
    hint: "ask who runs the server to update it",
  };
}
