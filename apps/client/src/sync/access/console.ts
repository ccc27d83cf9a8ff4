/** Links by which a browser signs in to the server's console as this device's person (CO1). */
import { fail, ok, type Result } from "@tidemark/protocol";
import { consoleLinkAnswerSchema } from "@tidemark/protocol/wire";
import type { Caller } from "../http/caller.ts";
import { accessError, type AccessError } from "./access-error.ts";

/** A link, and for how long it opens. */
export interface ConsoleLink {
  readonly url: string;
  readonly expiresInMs: number;
}

/** Asks for a link of this device. */
export async function askConsoleLink(
  caller: Caller,
  signal: AbortSignal,
): Promise<Result<ConsoleLink, AccessError>> {
  const call = { method: "POST", path: "/v1/console/links" } as const;
  const answer = await caller.json(call, consoleLinkAnswerSchema, signal);
  if (answer.ok) {
    const { path, expiresInMs } = answer.value;
    return ok({ url: caller.serverUrl + path, expiresInMs });
  }
  const error = accessError(answer.error);
  return fail(error.code === "not-found" ? olderServer : error);
}

const olderServer: AccessError = {
  code: "upgrade-server",
  message: "this server has no console",
  hint: "ask who runs it for a newer version",
};
