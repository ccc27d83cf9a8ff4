import { fail, ok, type NamespaceId } from "@tidemark/protocol";
import type { AuditCheck, AuditItem, NewsItem } from "@tidemark/protocol/wire";
import { afterEach, beforeEach, expect, test } from "vitest";
import { namespace, world } from "../../../store/testing/world.ts";
import type { Store } from "../../../store/store.ts";
import type { AuditPart, AuditRows } from "../../../sync/access/audit.ts";
import { newsName, newsText } from "../../../sync/news.ts";
import type { CliDeps } from "../deps.ts";
import { runCli } from "../run-cli.ts";
import { testIdentity } from "../testing/identity.ts";
import { createToldIo } from "../testing/told-io.ts";

const atMs = 1_795_000_000_000;
let store: Store;
let asked: { part: AuditPart; limit: number | undefined }[];
let answer: AuditRows;
let check: AuditCheck;

beforeEach(() => {
  ({ a: store } = world());
  asked = [];
  answer = { items: [], isWhole: true };
  check = { rows: 3, head: { seq: 3, hash: "abc" } };
});

afterEach(() => {
  store.close();
});

async function run(...argv: readonly string[]) {
  const { io, told } = createToldIo();
  const deps = {
    io,
    clock: { nowMs: () => atMs + 180_000 },
    version: "0.0.0",
    signal: new AbortController().signal,
    memory: () => ({ store, hasSpooled: () => false }),
    home: () => ({
      identity: () => testIdentity,
      projectAt: () => "name:p",
      config: {},
      paths: { deviceKey: "/nonexistent/device.key" },
    }),
    server: () => ({
      audit: {
        rows: (part: AuditPart, limit: number | undefined) => {
          asked.push({ part, limit });
          return ok(answer);
        },
        check: () =>
          check.rows < 0 ? fail({ code: "forbidden", message: "no", hint: "" }) : ok(check),
      },
    }),
  };
  const code = await runCli(deps as unknown as CliDeps, argv);
  return { code, ...told };
}

function item(seq: number, event: string, given: Partial<AuditItem> = {}): AuditItem {
  return {
    seq,
    at: atMs,
    event,
    user: { id: "usr_1", name: "Ada" } as AuditItem["user"],
    device: { id: "dev_own", name: "mbp" } as AuditItem["device"],
    network: "203.0.113.0/24",
    details: {},
    hash: "h",
    ...given,
  };
}

test("[AD6] the audit is one line an event, in words, with who, when and from where", async () => {
  const joined = { name: "thinkpad", platform: "linux x64", by: "link", approvedBy: "mbp" };
  const team = { id: "ns_1" as NamespaceId, name: "team" };
  answer = {
    isWhole: false,
    items: [
      item(9, "role-changed", {
        namespace: team,
        target: "usr_2",
        details: { name: "Grace", before: "writer", role: "admin" },
      }),
      item(8, "device-joined", { target: "dev_2", details: joined }),
      item(7, "signing-keys-rotated", {
        user: undefined,
        device: undefined,
        network: undefined,
        target: "k2",
        details: { before: "k1" },
      }),
      item(6, "moon-landed", { target: "t", details: { name: "\u001B[2J" } }),
    ],
  };
  const { code, out } = await run("audit");
  expect(code).toBe(0);
  expect(out.split("\n").map((line) => line.replaceAll(/ {2,}/gu, " | "))).toEqual([
    "9 | 2026-11-18T11:06:40Z | Ada (mbp) | made Grace admin, who was writer [team] | 203.0.113.0/24",
    "8 | 2026-11-18T11:06:40Z | Ada (mbp) | device thinkpad (dev_2, linux x64) joined by a link, let in by mbp | 203.0.113.0/24",
    "7 | 2026-11-18T11:06:40Z | the server | put the signing key k2 in place of k1",
    "6 | 2026-11-18T11:06:40Z | Ada (mbp) | moon-landed t name [2J | 203.0.113.0/24",
    "… older events: --limit or --all",
    "",
  ]);
  expect(asked).toEqual([{ part: { of: "server" }, limit: 50 }]);
});

test("[AD6] a namespace is named by its name, the log is about oneself, and JSON has all", async () => {
  answer = { isWhole: true, items: [item(1, "device-revoked", { details: { name: "old" } })] };
  const { name } = store.replicas.replicas().find((one) => one.namespace === namespace) ?? {};
  await run("audit", "--namespace", name ?? "", "--limit", "7");
  await run("device", "log", "--all");
  expect(asked).toEqual([
    { part: { of: "namespace", namespace }, limit: 7 },
    { part: { of: "self" }, limit: undefined },
  ]);
  const { out } = await run("device", "log", "--json");
  expect(JSON.parse(out)).toEqual({ items: answer.items, complete: true });
  expect((await run("audit", "--namespace", "nowhere")).code).toBe(1);
});

test("[AD6] a chain that holds is said so; one that does not is exit 1 and says from where on", async () => {
  const good = await run("audit", "--verify");
  expect(good).toMatchObject({ code: 0, out: "3 rows hold; the last is 3 with the hash abc\n" });
  check = { ...check, rows: 2, brokenAt: 3 };
  const bad = await run("audit", "--verify");
  expect(bad.code).toBe(1);
  expect(bad.err).toContain("error: the audit does not hold from row 3 on");
  const json = await run("audit", "--verify", "--json");
  expect(json.code).toBe(1);
  expect(JSON.parse(json.out)).toMatchObject({ holds: false, brokenAt: 3 });
  expect((await run("audit", "--verify", "--namespace", "team")).code).toBe(2);
});

test("[AD5] status tells of a new device once, with what to do if it was nobody's", async () => {
  const news: NewsItem = {
    seq: 5,
    at: atMs,
    event: "device-joined",
    device: "dev_2",
    by: "dev_2",
    network: "203.0.113.0/24",
    details: { name: "think\u202Epad", platform: "linux x64", by: "link", approvedBy: "mbp" },
  };
  store.upkeep.setMeta(newsName, newsText(undefined, "srv_1", [news]));
  const json = async () => JSON.parse((await run("status", "--json")).out) as { news: object[] };
  expect((await json()).news).toMatchObject([{ seq: 5, isNew: true }]);
  const { out } = await run("status");
  expect(out.split("\n")[0]).toBe(
    "warning: New device thinkpad (linux x64, 203.0.113.0/24, let in by mbp), 3m ago. " +
      "Not you? tidemark device revoke dev_2",
  );
  expect((await run("status")).out).not.toContain("thinkpad");
  expect((await json()).news).toMatchObject([{ seq: 5, isNew: false }]);
});
