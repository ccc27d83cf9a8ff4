import { expect, test } from "vitest";
import { systemTimers } from "../../platform/timers.ts";
import type { Network, NetworkRequest } from "../http/network.ts";
import { idTokenVariable, jobToken } from "./job-token.ts";

const audience = "https://tidemark.example";
const token = "aaaa.bbbb.cccc";
const hub = {
  GITHUB_ACTIONS: "true",
  ACTIONS_ID_TOKEN_REQUEST_URL: "https://actions.example/token?api-version=2.0",
  ACTIONS_ID_TOKEN_REQUEST_TOKEN: "of-the-job",
};

/** Asks for a token where the network answers like this. */
async function ask(
  env: Readonly<Record<string, string>>,
  answer: { readonly status?: number; readonly body?: string } | "nothing" = {},
  given?: string,
) {
  const sent: NetworkRequest[] = [];
  const network: Network = {
    send: async (request) => {
      sent.push(request);
      if (answer === "nothing") throw new Error("away");
      const { status = 200, body = JSON.stringify({ value: token }) } = answer;
      return { status, headers: new Headers(), body: new Blob([body]).stream() };
    },
  };
  const deps = { network, timers: systemTimers, env };
  const got = await jobToken(deps, { audience, given }, new AbortController().signal);
  return { got, sent };
}

test("[PR19] a job of GitHub asks for a token for this server, with what it was given for that", async () => {
  const { got, sent } = await ask(hub);
  expect(got).toEqual({ ok: true, value: token });
  expect(sent).toMatchObject([
    {
      method: "GET",
      url: `https://actions.example/token?api-version=2.0&audience=${encodeURIComponent(audience)}`,
      headers: { authorization: "Bearer of-the-job" },
    },
  ]);
});

test("[PR19] a token that was given is taken as it is, and nobody is asked", async () => {
  for (const [env, given] of [
    [{ ...hub, [idTokenVariable]: ` ${token}\n` }, undefined],
    [{ [idTokenVariable]: "an.other.one" }, token],
  ] as const) {
    const { got, sent } = await ask(env, {}, given);
    expect([got, sent]).toEqual([{ ok: true, value: token }, []]);
  }
  for (const wrong of ["a secret", "a.b", "a.b.c.d", `a.b.${"c".repeat(9_000)}`]) {
    expect((await ask({}, {}, wrong)).got).toMatchObject({ error: { code: "no-job-token" } });
  }
});

test("[PR19] what GitHub says wrong, or late, or not at all, is no token, and the key to it goes to no other place", async () => {
  for (const answer of [
    { status: 500 },
    { status: 401 },
    { body: "<html>" },
    { body: "{}" },
    { body: JSON.stringify({ value: "no token" }) },
    { body: JSON.stringify({ value: token, more: "x".repeat(70_000) }) },
    "nothing",
  ] as const) {
    const { got } = await ask(hub, answer);
    expect(got).toMatchObject({ error: { message: "GitHub did not give this job its token" } });
    expect(JSON.stringify(got)).not.toContain("of-the-job");
  }
  for (const url of ["http://actions.example/token", "no address"]) {
    const { got, sent } = await ask({ ...hub, ACTIONS_ID_TOKEN_REQUEST_URL: url });
    expect([got.ok, sent]).toEqual([false, []]);
  }
});

test("[PR19] what is missing in a job is told by its name in the job's file", async () => {
  const told = async (env: Readonly<Record<string, string>>) => {
    const { got } = await ask(env);
    return got.ok ? "" : `${got.error.message}; ${got.error.hint}`;
  };
  expect(await told({ GITHUB_ACTIONS: "true" })).toContain("`permissions: id-token: write`");
  expect(await told({ GITLAB_CI: "true" })).toContain(`id_tokens: { ${idTokenVariable}`);
  expect(await told({})).toContain("--token-file");
});
