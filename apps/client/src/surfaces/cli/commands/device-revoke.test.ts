import { fail, ok } from "@tidemark/protocol";
import { expect, test } from "vitest";
import type { CliDeps } from "../deps.ts";
import { runCli } from "../run-cli.ts";

const review = {
  links: [{ id: "link1", kind: "invite" }],
  devices: [
    { id: "dev_nine", name: "nine", user: { id: "usr_me", name: "ada" } },
    { id: "dev_eve", name: "eve", user: { id: "usr_eve", name: "e\u001B[31mve" } },
  ],
  namespaces: [{ id: "ns_crew", name: "crew" }],
  accounts: [{ issuer: "https://login.example", connectedAt: 1_000 }],
};

const vault = `nse_${"a".repeat(22)}`;

async function run(isLast: boolean, ...argv: readonly string[]) {
  const asked: object[] = [];
  let out = "";
  let err = "";
  const deps = {
    io: {
      out: (text: string) => (out += text),
      err: (text: string) => (err += text),
      hasPerson: true,
      ask: async (question: string) => {
        asked.push({ question });
        return "n";
      },
    },
    version: "0.0.0",
    signal: new AbortController().signal,
    clock: { nowMs: () => Date.parse("2026-11-20T12:00:00Z") },
    home: () => ({ identity: () => undefined }),
    sync: async () => ({ learnNamespaces: async () => !isLast }),
    memory: () => ({
      store: {
        replicas: {
          replicas: () => [
            { namespace: "ns_crew", name: "crew", status: "active" },
            { namespace: vault, name: "vault", status: "active" },
          ],
          replica: (id: string) => ({ name: id === vault ? "vault" : "crew" }),
          sealing: () => ({ hasKey: true }),
        },
        reads: { quarantines: () => [], descendantsOfHidden: () => [] },
      },
    }),
    server: async () => ({
      identity: { user: { id: "usr_me" }, device: { id: "dev_here" } },
      linkBook: () => ({ dropDevice: () => undefined }),
      // As of a server that does not answer by then.
      keeper: () => ({
        shutOut: async (namespace: string) => {
          asked.push({ keyOf: namespace });
          return fail({ message: "it is away" });
        },
      }),
      quarantines: {
        set: async (device: object) => {
          asked.push(device);
          return ok([{ namespace: "ns_crew", device: "dev_old", aboveSeq: 3, since: 5_000 }]);
        },
      },
      accounts: {
        devices: async () =>
          ok([
            { id: "dev_old", name: "old", status: "active" },
            { id: "dev_here", name: "here", status: "active" },
          ]),
        revokeDevice: async (device: { isForced: boolean }) => {
          asked.push(device);
          return isLast && !device.isForced
            ? fail({ code: "last-device", message: "no", hint: "--force" })
            : ok(review);
        },
      },
    }),
  };
  const exit = await runCli(deps as unknown as CliDeps, ["device", "revoke", ...argv]);
  return { exit, out, err, asked };
}

test("[AU22] [AU73] revoking prints what to review, without what a terminal acts on (abuse 79)", async () => {
  const { out, asked } = await run(false, "old", "--yes");
  expect(asked).toEqual([{ id: "dev_old", isForced: false }, { keyOf: vault }]);
  expect(out).toContain("warning: vault has no new key yet: it is away; tidemark sync makes one");
  expect(out).toContain("revoked old (dev_old)");
  expect(out).toContain("it could read: crew");
  expect(out).toContain("links of its that open no more: link1 (invite)");
  expect(out).toContain("also review: nine (dev_nine)");
  expect(out).toContain("tidemark device revoke dev_nine");
  // [AU73] By it whoever had the device still opens the console.
  expect(out).toContain("also review: the account at https://login.example, connected by it");
  expect(out).not.toContain("\u001B");
  expect(JSON.parse((await run(false, "old", "--json")).out)).toMatchObject({ review });
});

test("[EE19] a device that shuts itself out promises no key that it cannot make, and says the way back", async () => {
  const { exit, out, asked } = await run(false, "here", "--yes");
  expect([exit, asked]).toEqual([0, [{ id: "dev_here", isForced: false }]]);
  expect(out).toContain("this device cannot begin a new key of vault any more");
  expect(await run(false, "here")).toMatchObject({
    exit: 1,
    asked: [{ question: expect.stringContaining("Shut out this device itself, here?") }],
  });
  expect(out).toContain("the next sync of another device that lets others in does");
  expect(out).not.toContain("tidemark sync makes one");
  expect(out).toContain("tidemark pair '<link>'");
});

test("[AU23] the last device takes --force (abuse 80)", async () => {
  const refused = await run(true, "old", "--yes");
  expect(refused).toMatchObject({ exit: 1 });
  expect(refused.err).toContain("--force");
  expect(await run(true, "old", "--yes", "--force")).toMatchObject({
    exit: 0,
    asked: [{ id: "dev_old", isForced: true }, { keyOf: vault }],
  });
});

test("[QU7] --suspect-since hides first, then shuts out, and says so where only the first worked (abuse 160)", async () => {
  const both = await run(false, "old", "--yes", "--suspect-since", "2026-11-19T12:00:00Z");
  const sinceMs = Date.parse("2026-11-19T12:00:00Z");
  expect(both.asked).toEqual([
    { id: "dev_old", sinceMs },
    { id: "dev_old", isForced: false },
    { keyOf: vault },
  ]);
  expect(both.out).toContain("revoked old (dev_old)");
  expect(both.out).toContain("in quarantine: old (dev_old)");
  expect(both.out).toContain("crew, since 1970-01-01T00:00:05Z: 0 observations hidden here");
  expect(both.out.replace(/^warning: vault .*$/mu, "")).not.toContain("tidemark sync");
  const half = await run(true, "old", "--yes", "--suspect-since", "always");
  expect(half.asked[0]).toEqual({ id: "dev_old", sinceMs: undefined });
  expect(half).toMatchObject({ exit: 1 });
  expect(half.err).toContain("what it wrote is hidden, but it is not shut out: no");
  const misused = await run(false, "old", "--suspect-since", "2027-01-01");
  expect(misused).toMatchObject({ exit: 2, asked: [] });
});
