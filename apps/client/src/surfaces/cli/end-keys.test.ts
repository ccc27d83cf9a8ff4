import { ok, type NamespaceId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import type { CliDeps } from "./deps.ts";
import { endKeys } from "./end-keys.ts";

const vault = `nse_${"a".repeat(26)}` as NamespaceId;
const keys = { device: "rec_1", user: "usr_1", sig: "A".repeat(43), enc: "A".repeat(43) };
const body = { prev: "0".repeat(64), by: "dev_1", kind: "admit", keys, role: "admin" };
const code = `head.${Buffer.from(JSON.stringify(body)).toString("base64url")}.sig`;

async function notes(
  gone: number,
  seenLog: readonly string[],
  user = "usr_2",
): Promise<readonly string[]> {
  const replicas = { replica: () => ({ name: "vault" }), seenLog: () => seenLog };
  const deps = {
    memory: () => ({ store: { replicas } }),
    server: async () => ({ keeper: () => ({ shutOut: async () => ok(gone) }) }),
  };
  return await endKeys(deps as unknown as CliDeps, [vault], (one) => one.user === user);
}

test("[EE33] whose shutting out leaves no recovery code, for them it is said how to make one", async () => {
  expect(await notes(2, [])).toEqual([
    `warning: vault has no recovery code now; tidemark namespace rotate ${vault} --recovery-code makes one`,
  ]);
  expect(await notes(2, [code])).toEqual([]);
  expect(await notes(0, [])).toEqual([]);
  expect(await notes(1, [code], "usr_1")).toEqual([
    expect.stringMatching(/^warning: the recovery code of vault stays .* --recovery-code$/),
  ]);
});
