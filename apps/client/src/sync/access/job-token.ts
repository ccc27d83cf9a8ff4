import { fail, ok, type Result } from "@tidemark/protocol";
import { z } from "zod";
import { readText } from "../http/body.ts";
import type { Network, NetworkResponse } from "../http/network.ts";
import { createWatchdog } from "../http/watchdog.ts";
import type { Timers } from "../ports.ts";
import { syncLimits } from "../sync-limits.ts";
import type { AccessError } from "./access-error.ts";
import { isLoopback } from "./server-address.ts";

/** What getting a job's token needs. */
export interface JobTokenDeps {
  readonly network: Network;
  readonly timers: Timers;
  /** What the CI service has told the job. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Where GitLab's `id_tokens` puts the token; any other service may do the same. */
export const idTokenVariable = "TIDEMARK_ID_TOKEN";

/** Longest answer of GitHub's, in bytes; a token has one or two thousand. */
const answerBytesMax = 65_536;

/**
 * The token by which this job proves who it is (PR19), for a server's address as its audience: the
 * one that the job was given, else one that GitHub makes on request.
 */
export async function jobToken(
  deps: JobTokenDeps,
  asked: { readonly audience: string; readonly given: string | undefined },
  signal: AbortSignal,
): Promise<Result<string, AccessError>> {
  const { env } = deps;
  const given = (asked.given ?? env[idTokenVariable] ?? "").trim();
  if (given !== "") return isToken(given) ? ok(given) : fail(noToken);
  const url = env["ACTIONS_ID_TOKEN_REQUEST_URL"] ?? "";
  const bearer = env["ACTIONS_ID_TOKEN_REQUEST_TOKEN"] ?? "";
  if (url === "" || bearer === "") return fail(nowhere(env));
  return await askGitHub(deps, { url, bearer, audience: asked.audience }, signal);
}

/** docs.github.com: "Requesting the JWT using environment variables". */
async function askGitHub(
  deps: JobTokenDeps,
  asked: { readonly url: string; readonly bearer: string; readonly audience: string },
  signal: AbortSignal,
): Promise<Result<string, AccessError>> {
  const url = URL.canParse(asked.url) ? new URL(asked.url) : undefined;
  const isSafe = url?.protocol === "https:" || (url !== undefined && isLoopback(url.hostname));
  if (url === undefined || !isSafe) return fail(gitHubAway);
  url.searchParams.set("audience", asked.audience);
  const { requestSilenceMsMax: silenceMs, requestMsMax: lifeMs } = syncLimits;
  const watchdog = createWatchdog(deps.timers, signal, { silenceMs, lifeMs });
  const headers = { authorization: `Bearer ${asked.bearer}`, accept: "application/json" };
  const request = { method: "GET", url: url.href, headers, signal: watchdog.signal } as const;
  const response = await deps.network
    .send(request)
    .catch((): NetworkResponse | undefined => undefined);
  const text =
    response?.status === 200 ? await readText(response, answerBytesMax, watchdog) : undefined;
  watchdog.release();
  const token = text?.ok === true ? tokenIn(text.value) : undefined;
  return token === undefined ? fail(gitHubAway) : ok(token);
}

const answerSchema = z.object({ value: z.string() });

function tokenIn(text: string): string | undefined {
  try {
    const { value } = answerSchema.parse(JSON.parse(text));
    return isToken(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isToken(text: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text) && text.length <= 8_192;
}

function nowhere(env: JobTokenDeps["env"]): AccessError {
  const code = "no-job-token";
  if (env["GITHUB_ACTIONS"] === "true") {
    return {
      code,
      message: "GitHub gives this job no token: `permissions: id-token: write` is missing",
      hint: "add it to the job; a pull request from a fork never gets one",
    };
  }
  if (env["GITLAB_CI"] === "true") {
    return {
      code,
      message: `this job has no ${idTokenVariable}: its \`id_tokens:\` are missing`,
      hint: `add \`id_tokens: { ${idTokenVariable}: { aud: ADDRESS OF THE SERVER } }\` to the job`,
    };
  }
  return {
    code,
    message: "this is no job of GitHub Actions or GitLab CI, and no token was given",
    hint: `run it in a job, or give its token by ${idTokenVariable} or --token-file`,
  };
}

const noToken: AccessError = {
  code: "no-job-token",
  message: "what was given as the job's token is none",
  hint: `${idTokenVariable} or --token-file has to hold the token that the CI service made, and nothing else`,
};

const gitHubAway: AccessError = {
  code: "no-job-token",
  message: "GitHub did not give this job its token",
  hint: "run the job again; see githubstatus.com if it stays",
};
