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
};

async function run(isLast: boolean, ...argv: readonly string[]) {
  const asked: object[] = [];
  let out = "";
  let err = "";
  const deps = {
    io: { out: (text: string) => (out += text), err: (text: string) => (err += text) },
    version: "0.0.0",
    signal: new AbortController().signal,
    clock: { nowMs: () => Date.parse("2026-11-20T12:00:00Z") },
    home: () => ({ identity: () => undefined }),
    sync: async () => ({ learnNamespaces: async () => !isLast }),
    memory: () => ({
      store: {
        replicas: { replicas: () => [{ namespace: "ns_crew", name: "crew" }] },
        reads: { quarantines: () => [], descendantsOfHidden: () => [] },
      },
    }),
    server: async () => ({
      identity: { user: { id: "usr_me" }, device: { id: "dev_here" } },
      linkBook: () => ({ dropDevice: () => undefined }),
      quarantines: {
        set: async (device: object) => {
          asked.push(device);
          return ok([{ namespace: "ns_crew", device: "dev_old", aboveSeq: 3, since: 5_000 }]);
        },
      },
      accounts: {
        devices: async () => ok([{ id: "dev_old", name: "old", status: "active" }]),
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

test("[AU22] revoking prints what to review, without what a terminal acts on (abuse 79)", async () => {
  const { out, asked } = await run(false, "old", "--yes");
  expect(asked).toEqual([{ id: "dev_old", isForced: false }]);
  expect(out).toContain("revoked old (dev_old)");
  expect(out).toContain("it could read: crew");
  expect(out).toContain("links of its that open no more: link1 (invite)");
  expect(out).toContain("also review: nine (dev_nine)");
  expect(out).toContain("tidemark device revoke dev_nine");
  expect(out).not.toContain("\u001B");
  expect(JSON.parse((await run(false, "old", "--json")).out)).toMatchObject({ review });
});

test("[AU23] the last device takes --force (abuse 80)", async () => {
  const refused = await run(true, "old", "--yes");
  expect(refused).toMatchObject({ exit: 1 });
  expect(refused.err).toContain("--force");
  expect(await run(true, "old", "--yes", "--force")).toMatchObject({
    exit: 0,
    asked: [{ id: "dev_old", isForced: true }],
  });
});

test("[QU7] --suspect-since hides first, then shuts out, and says so where only the first worked (abuse 160)", async () => {
  const both = await run(false, "old", "--yes", "--suspect-since", "2026-11-19T12:00:00Z");
  const sinceMs = Date.parse("2026-11-19T12:00:00Z");
  expect(both.asked).toEqual([
    { id: "dev_old", sinceMs },
    { id: "dev_old", isForced: false },
  ]);
  expect(both.out).toContain("revoked old (dev_old)");
  expect(both.out).toContain("in quarantine: old (dev_old)");
  expect(both.out).toContain("crew, since 1970-01-01T00:00:05Z: 0 observations hidden here");
  expect(both.out).not.toContain("tidemark sync");
  const half = await run(true, "old", "--yes", "--suspect-since", "always");
  expect(half.asked[0]).toEqual({ id: "dev_old", sinceMs: undefined });
  expect(half).toMatchObject({ exit: 1 });
  expect(half.err).toContain("what it wrote is hidden, but it is not shut out: no");
  const misused = await run(false, "old", "--suspect-since", "2027-01-01");
  expect(misused).toMatchObject({ exit: 2, asked: [] });
});
