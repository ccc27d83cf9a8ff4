import { fail, ok, type Result } from "@tidemark/protocol";
import { admissionSchema, type JoinJobRequest } from "@tidemark/protocol/wire";
import type { Caller } from "../http/caller.ts";
import type { Failure } from "../transport.ts";
import { accessError, type AccessError } from "./access-error.ts";
import { greet, newDevice, wrongServer, type Newcomer, type Paired } from "./pairing.ts";

/** Lets this job's machine in by the job's own token (PR19); there is no link and no secret. */
export async function joinAsJob(
  caller: Caller,
  job: { readonly token: string; readonly link: string | undefined },
  newcomer: Newcomer,
  signal: AbortSignal,
): Promise<Result<Paired, AccessError>> {
  const hello = await greet(caller, signal);
  if (!hello.ok) return hello;
  if (!hello.value.features.includes("ci-jobs")) return fail(tooOld);
  const { token, link } = job;
  const request: JoinJobRequest = {
    token,
    device: newDevice(newcomer),
    ...(link === undefined ? {} : { link }),
  };
  const body = { type: "application/json", content: JSON.stringify(request) };
  const call = { method: "POST", path: "/v1/join/job", body } as const;
  const answer = await caller.json(call, admissionSchema, signal);
  if (!answer.ok) return fail(jobError(answer.error, caller.serverUrl));
  if (answer.value.server.id !== hello.value.server.id) return fail(wrongServer);
  return ok({ admission: answer.value, serverUrl: caller.serverUrl });
}

function jobError(failure: Failure, serverUrl: string): AccessError {
  const { code, title } = failure;
  if (code === "invalid-token") {
    return {
      code,
      message: "no rule of the server takes this job",
      hint: `check repository, ref, environment and event with \`tidemark device links\`, and that the token is for ${serverUrl}; jobs of pull requests never come in`,
    };
  }
  if (code === "unavailable") {
    return {
      code,
      message: "the server cannot check the job's token now",
      hint: "run the job again",
    };
  }
  // Which of the three it was is in the server's own words.
  if (code === "conflict" && title.includes("--link")) {
    return {
      code: "several-rules",
      message: "several rules of the server take this job",
      hint: "name one: repeat with --link ID; `tidemark device links` shows them",
    };
  }
  return accessError(failure);
}

const tooOld: AccessError = {
  code: "upgrade-server",
  message: "the server is too old to let jobs in by their tokens",
  hint: "ask who runs the server to update it, or use a link: `tidemark device add --ci`",
};
