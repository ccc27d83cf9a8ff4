import { fail, ok } from "@tidemark/protocol";
import { expect, test } from "vitest";
import type { Caller } from "../http/caller.ts";
import type { Failure } from "../transport.ts";
import { joinAsJob } from "./job-pairing.ts";
import type { Newcomer } from "./pairing.ts";

const newcomer: Newcomer = {
  deviceName: "job-1",
  platform: "linux x64",
  userName: "runner",
  publicJwk: { kty: "OKP", crv: "Ed25519", x: "x".repeat(43) },
  thumbprint: "thumb",
};
const admission = {
  server: { id: "srv" },
  user: { id: "usr_1", name: "Ada" },
  device: { id: "dev_1", name: "job-1" },
};

/** Joins at a server that has these features and answers like this. */
async function join(
  given: { features?: readonly string[]; answer?: unknown; refusal?: Failure },
  link?: string,
) {
  const sent: { path: string; body: unknown }[] = [];
  const unused = (): never => {
    throw new Error("not called here");
  };
  const { features = ["ci-jobs"], answer = admission, refusal } = given;
  const hello = {
    protocol: { version: 1, oldest: 1 },
    features,
    server: { id: "srv", time: 1, version: "0" },
    limits: {},
  };
  const caller: Caller = {
    serverUrl: "https://h.example",
    pack: unused,
    text: unused,
    lines: unused,
    open: unused,
    json: async (call, schema) => {
      if (call.path === "/v1/hello") return ok(schema.parse(hello));
      const body: unknown = JSON.parse((call.body?.content as string | undefined) ?? "null");
      sent.push({ path: call.path, body });
      return refusal === undefined ? ok(schema.parse(answer)) : fail(refusal);
    },
  };
  const signal = new AbortController().signal;
  const joined = await joinAsJob(caller, { token: "a.b.c", link }, newcomer, signal);
  return { joined, sent };
}

test("[PR19] a job shows its token, its key and the rule that it was told", async () => {
  const device = { name: "job-1", platform: "linux x64", key: newcomer.publicJwk };
  const { joined, sent } = await join({}, "rule0001");
  expect(joined).toEqual({ ok: true, value: { admission, serverUrl: "https://h.example" } });
  expect(sent).toEqual([
    { path: "/v1/join/job", body: { token: "a.b.c", device, link: "rule0001" } },
  ]);
  expect((await join({})).sent).toEqual([
    { path: "/v1/join/job", body: { token: "a.b.c", device } },
  ]);
});

test("[PR19] a server of before is shown no token", async () => {
  const { joined, sent } = await join({ features: ["heal"] });
  expect([joined, sent]).toMatchObject([{ error: { code: "upgrade-server" } }, []]);
});

test("[PR19] an answer of another server than the one that greeted is none", async () => {
  const { joined } = await join({ answer: { ...admission, server: { id: "other" } } });
  expect(joined).toMatchObject({ error: { code: "wrong-server" } });
});

test("[PR19] each refusal says what to look at", async () => {
  const refused = async (code: string, title = "No.") => {
    const { joined } = await join({ refusal: { family: "reject", code, title } });
    return joined.ok ? undefined : joined.error;
  };
  expect((await refused("invalid-token"))?.hint).toContain("https://h.example");
  expect((await refused("unavailable"))?.hint).toBe("run the job again");
  const several = await refused("conflict", "Several rules take this job. Name one: --link ID");
  expect(several?.code).toBe("several-rules");
  expect((await refused("conflict"))?.code).toBe("conflict");
});
