import { ok } from "@tidemark/protocol";
import { expect, test } from "vitest";
import type { CliDeps } from "../deps.ts";
import { runCli } from "../run-cli.ts";

const fleet = {
  id: "vvb08nnksqish5v8",
  kind: "ci",
  namespace: "ns_crew",
  role: "writer",
  status: "open",
  uses: 2,
  usesMax: 3,
  expiresAt: 1_790_000_000_000,
  devices: 2,
};
const plain = { ...fleet, id: "abcd0nnksqish5v8", kind: "device", usesMax: 1, uses: 0, devices: 0 };
const bound = { ...fleet, networks: ["10.0.0.0/8", "\u001b[2J::1"] };

/** Runs the command line against a server that has two links. */
async function run(
  given: { readonly answers?: readonly string[]; readonly links?: readonly object[] },
  ...argv: readonly string[]
) {
  const ended: object[] = [];
  const asked: string[] = [];
  const answers = [...(given.answers ?? [])];
  let out = "";
  const deps = {
    io: {
      out: (text: string) => (out += text),
      err: () => undefined,
      hasPerson: given.answers !== undefined,
      ask: async (question: string) => {
        asked.push(question);
        return answers.shift();
      },
    },
    version: "0.0.0",
    signal: new AbortController().signal,
    memory: () => ({
      store: { replicas: { replicas: () => [{ namespace: "ns_crew", name: "crew" }] } },
    }),
    home: () => ({ identity: () => undefined }),
    server: async () => ({
      accounts: {
        links: async () => ok(given.links ?? [fleet, plain]),
        revokeLink: async (link: { withDevices: boolean }) => {
          ended.push(link);
          return ok(link.withDevices ? ["dev_a", "dev_b"] : []);
        },
      },
    }),
  };
  const exit = await runCli(deps as unknown as CliDeps, ["device", ...argv]);
  return { exit, out, ended, asked };
}

test("[PR10] links are listed with what they are for and the uses that are left", async () => {
  const { out } = await run({}, "links");
  const [first = "", second = ""] = out.split("\n");
  expect(first).toMatch(/^vvb08nnksqish5v8 +for machines +crew +writer +1 use left +2 machines in/);
  expect(second).toMatch(/^abcd0nnksqish5v8 +for a device/);
});

test("[PR14] the networks that a link works from are shown", async () => {
  const { out } = await run({ links: [bound] }, "links");
  expect(out).toContain("from 10.0.0.0/8, ");
  expect(out).not.toContain("\u001b");
});

test("[PR10] ending a link offers to shut out what it let in, and takes neither for granted", async () => {
  const both = await run({ answers: ["y", "y"] }, "unlink", "vvb0");
  expect(both.asked).toHaveLength(2);
  expect(both.ended).toEqual([{ id: fleet.id, withDevices: true }]);
  expect(both.out).toContain("2 devices shut out");
  const kept = await run({ answers: ["y", "n"] }, "unlink", fleet.id);
  expect(kept.ended).toEqual([{ id: fleet.id, withDevices: false }]);
  expect(kept.out).toContain("2 devices that it let in stay: tidemark device unlink");
  expect((await run({ answers: ["n"] }, "unlink", fleet.id)).ended).toEqual([]);
  const alone = await run({ answers: ["y"] }, "unlink", plain.id);
  expect([alone.asked.length, alone.ended]).toEqual([1, [{ id: plain.id, withDevices: false }]]);
});

test("[PR10] a script shuts devices out only where it says so", async () => {
  expect((await run({}, "unlink", fleet.id)).ended).toEqual([{ id: fleet.id, withDevices: false }]);
  expect((await run({ answers: [] }, "unlink", fleet.id, "--yes")).ended).toEqual([
    { id: fleet.id, withDevices: false },
  ]);
  expect((await run({}, "unlink", fleet.id, "--devices")).ended).toEqual([
    { id: fleet.id, withDevices: true },
  ]);
  expect(await run({}, "unlink", "nothing")).toMatchObject({ exit: 1, ended: [] });
});

test("[PR15] a rule for jobs is listed with the jobs that it takes and those that came", async () => {
  const job = {
    provider: "github",
    issuer: "https://token.actions.githubusercontent.com",
    repository: "acme/app",
    repositoryId: "11",
    ref: "refs/heads/main",
    environment: "prod\u001b[2J",
  };
  const rule = { ...fleet, usesMax: 1_000_000_000, ephemeral: true, job };
  const { out } = await run({ links: [rule] }, "links");
  expect(out).toMatch(/for jobs {2}crew {2}writer {2}2 jobs so far {2}2 machines in/);
  expect(out).toContain("github acme/app (11) refs/heads/main environment prod");
  expect(out).not.toContain("\u001b");
  const own = {
    ...rule,
    job: { provider: "gitlab", issuer: "https://gitlab.acme", repository: "a/b" },
  };
  expect((await run({ links: [own] }, "links")).out).toContain("gitlab a/b of https://gitlab.acme");
  const brief = { ...fleet, ephemeral: true };
  expect((await run({ links: [brief] }, "links")).out).toContain("gone after a silent day");
});
