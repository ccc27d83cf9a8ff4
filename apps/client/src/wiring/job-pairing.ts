import { base32, type Result } from "@tidemark/protocol";
import { systemHttp } from "../platform/http.ts";
import { systemRandom } from "../platform/random.ts";
import { systemTimers } from "../platform/timers.ts";
import type { AccessError } from "../sync/access/access-error.ts";
import { joinAsJob } from "../sync/access/job-pairing.ts";
import { jobToken } from "../sync/access/job-token.ts";
import type { Paired } from "../sync/access/pairing.ts";
import { renewDeviceKey, useOrMakeDeviceKey } from "./device-key.ts";
import type { Home } from "./home.ts";
import { newcomerOf, type OpenLinkOptions } from "./newcomer.ts";
import { openCaller } from "./server.ts";

/** What a job says when it pairs. */
export interface JobOptions extends OpenLinkOptions {
  /** Its token, where a person named a file with it. */
  readonly token?: string;
  /** The rule to come in by. */
  readonly link?: string;
}

/** Pairs a machine that has no identity by the token of the job that it runs (PR19). */
export async function pairAsJob(
  home: Home,
  call: { readonly url: string; readonly options: JobOptions },
  signal: AbortSignal,
): Promise<Result<Paired, AccessError>> {
  const { url, options } = call;
  const deps = { network: systemHttp, timers: systemTimers, env: home.env };
  const join = async (): Promise<Result<Paired, AccessError>> => {
    const asked = { audience: url, given: options.token };
    const token = await jobToken(deps, asked, signal);
    if (!token.ok) return token;
    const key = await useOrMakeDeviceKey(home);
    const named = { deviceName: jobName(home.env), ...options };
    const job = { token: token.value, link: options.link };
    return await joinAsJob(openCaller(url), job, newcomerOf(home, key, named), signal);
  };
  const first = await join();
  // A key that the server knows and this home has no name for is left from an answer that was lost.
  if (first.ok || first.error.code !== "conflict") return first;
  await renewDeviceKey(home);
  return await join();
}

/** What a job's machine is called unless it is told: runners may share a host name. */
function jobName(env: Home["env"]): string {
  return `job-${env["GITHUB_RUN_ID"] ?? env["CI_JOB_ID"] ?? base32(systemRandom.bytes(3))}`;
}
