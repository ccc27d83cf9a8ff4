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
    server: async () => ({
      identity: { user: { id: "usr_me" }, device: { id: "dev_here" } },
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
