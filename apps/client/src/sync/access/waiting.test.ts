import { createHash, createHmac } from "node:crypto";
import { fail, ok, type NamespaceId, type UserId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import type { Caller } from "../http/caller.ts";
import { createAccounts } from "./accounts.ts";

const signal = new AbortController().signal;
const namespace = `ns_${"a".repeat(26)}` as NamespaceId;
const hashes = {
  sha256: (text: string) => createHash("sha256").update(text).digest(),
  hmacSha256: (key: Uint8Array, text: string | Uint8Array) =>
    createHmac("sha256", key).update(text).digest(),
};

/** A server of a version: what it can do, and what was sent to it. */
function accountsOf(features: readonly string[]) {
  const sent: unknown[] = [];
  const unused = (): never => {
    throw new Error("not called here");
  };
  const caller: Caller = {
    serverUrl: "https://h.example",
    pack: unused,
    text: () => Promise.resolve(fail({ family: "reject", code: "conflict", title: "" } as const)),
    lines: unused,
    open: unused,
    json: (call, schema) => {
      const { path, body } = call;
      if (body !== undefined) sent.push(JSON.parse(body.content as string));
      if (path === "/v1/links") {
        return Promise.resolve(ok(schema.parse({ id: "abcdefgh", expiresAt: 1 })));
      }
      if (path !== "/v1/hello") {
        return Promise.resolve(fail({ family: "reject", code: "not-found", title: "" } as const));
      }
      const protocol = { version: 1, oldest: 1 };
      const server = { id: "srv", time: 1, version: "0" };
      return Promise.resolve(ok(schema.parse({ protocol, features, server, limits: {} })));
    },
  };
  const random = { bytes: (count: number) => new Uint8Array(count).fill(7) };
  return { accounts: createAccounts({ caller, hashes, random }), sent };
}

test("[CL47] [WR2] no invite that should wait is made on a server that would let in at once", async () => {
  const before = accountsOf(["heal"]);
  const wanted = { namespace, role: "writer", confirm: true, madeFor: "grace" } as const;
  const refused = await before.accounts.invite(wanted, signal);
  expect(refused).toMatchObject({ ok: false, error: { code: "upgrade-server" } });
  expect(before.sent).toEqual([]);
  const plain = await before.accounts.invite({ namespace, role: "writer" }, signal);
  expect([plain.ok, before.sent]).toMatchObject([true, [{ kind: "invite" }]]);
  const now = accountsOf(["waiting-invites"]);
  expect((await now.accounts.invite(wanted, signal)).ok).toBe(true);
  expect(now.sent).toMatchObject([{ kind: "invite", confirm: true, madeFor: "grace" }]);
});

test("[NS25] on a server that knows no waiting nobody waits", async () => {
  expect(await accountsOf([]).accounts.waiting(namespace, signal)).toEqual(ok([]));
});

test("[NS25] a yes to what was shown and is another by now is told as that", async () => {
  const named = { id: `usr_${"b".repeat(26)}` as UserId, name: "bob" };
  const device = { name: "tower", platform: "linux" };
  const who = { user: named, role: "writer", since: 1, device, invitedBy: named } as const;
  const done = await accountsOf([]).accounts.confirmMember(namespace, who, signal);
  expect(done).toMatchObject({ error: { message: "they wait for another role by now" } });
});

test("[NS22] [WR2] a server of before deletions is named as too old by what it does not know", async () => {
  const { accounts } = accountsOf([]);
  const tooOld = { ok: false, error: { code: "upgrade-server" } };
  expect(await accounts.deletedNamespaces(signal)).toMatchObject(tooOld);
  expect(await accounts.deleteNamespace(namespace, signal)).toMatchObject(tooOld);
});
