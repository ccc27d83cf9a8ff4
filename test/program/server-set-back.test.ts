import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createDevices, type TestDevice } from "./client-process.ts";
import { createBench, freePort, linksIn } from "./server-process.ts";

interface Item {
  readonly id: string;
  readonly title: string;
  readonly namespace: string;
}

interface Status {
  readonly lastFailure: { readonly message: string } | null;
  readonly namespaces: readonly {
    readonly id: string;
    readonly name: string;
    readonly status: string;
    readonly synced: boolean;
    readonly notice: string | null;
  }[];
}

const bench = createBench();
const devices = createDevices();
const [a, late, zoe] = [devices.device("a"), devices.device("late"), devices.device("zoe")];
/** Names of the keys that signed before the server was put back, and since. */
const signing: { before: readonly string[]; after: readonly string[] } = { before: [], after: [] };
const notKnown = "the server does not know this device, or not from here";

/** A server that was put back to a backup from before a device, a person and a namespace came. */
beforeAll(async () => {
  const place = ["--data-dir", bench.folder()];
  const serving = { args: ["--port", String(await freePort()), ...place] };
  const file = join(bench.folder(), "early.backup");
  const server = await bench.serve(serving);
  signing.before = await keysOf(server.url);
  await vi.waitUntil(() => linksIn(server.stdout()).length === 1);
  await a.json("pair", linksIn(server.stdout())[0] ?? "", "--name", "a", "--user", "ada");
  await a.json("namespace", "create", "harbour");
  expect((await bench.run({ args: ["backup", file, ...place] })).code).toBe(0);

  await late.json("pair", await linkFor(a), "--name", "late");
  await zoe.json("pair", await inviteTo("harbour"), "--name", "zoe", "--user", "zoe");
  await a.json("namespace", "create", "lagoon");
  await a.json("save", "--title", "of the lagoon", "--namespace", "lagoon");
  await late.json("save", "--title", "acknowledged");
  await zoe.json("save", "--title", "by zoe", "--namespace", "harbour");
  for (const device of [a, late, zoe]) await device.json("sync");
  await late.json("save", "--title", "waits");

  server.kill("SIGTERM");
  await server.ended;
  expect((await bench.run({ args: ["restore", file, "--replace", ...place] })).code).toBe(0);
  signing.after = await keysOf((await bench.serve(serving)).url);
}, 120_000);
afterAll(async () => {
  await bench.clear();
  devices.clear();
});

async function keysOf(url: string): Promise<readonly string[]> {
  const answer = await fetch(`${url}/.well-known/jwks.json`);
  const { keys } = (await answer.json()) as { keys: readonly { kid: string }[] };
  return keys.map(({ kid }) => kid);
}

async function linkFor(device: TestDevice): Promise<string> {
  return (await device.json<{ link: string }>("device", "add")).link;
}

async function inviteTo(namespace: string): Promise<string> {
  const args = ["namespace", "invite", namespace, "--role", "writer"];
  return (await a.json<{ link: string }>(...args)).link;
}

async function items(device: TestDevice): Promise<readonly Item[]> {
  return (await device.json<{ items: readonly Item[] }>("list", "--all")).items;
}

test("[OPS95] no signing key of before the restore is there, for it may have been revoked since", () => {
  expect(signing.before.length).toBeGreaterThan(0);
  expect(signing.after.filter((kid) => signing.before.includes(kid))).toEqual([]);
});

test("[EN30, CL20] a device that its server does not know is shut out while its daemon runs, not after", async () => {
  expect((await late.json<Status>("status")).lastFailure).toBeNull();
  await late.withDaemon(async () => {
    const told = async (): Promise<Status | undefined> => {
      const status = await late.json<Status>("status");
      return status.lastFailure === null ? undefined : status;
    };
    const { lastFailure, namespaces } = await vi.waitUntil(told, {
      timeout: 60_000,
      interval: 200,
    });
    expect(lastFailure?.message.toLowerCase()).toContain(notKnown);
    expect(namespaces.map(({ synced }) => synced)).not.toContain(true);
  });
});

test("[CL52] a device that was paired after the backup is told so, and pairs again with all it holds", async () => {
  const told = await late.run(["sync"]);
  expect(told.code).toBe(1);
  expect(told.stderr).toContain(
    `error: ${notKnown}\nhint: pair it again: \`tidemark pair <link>\``,
  );
  expect((await late.json<Status>("status")).lastFailure?.message.toLowerCase()).toContain(
    notKnown,
  );
  expect((await late.run(["doctor"])).stdout).toContain("fix: tidemark pair <link>");

  // A link that does not open costs nothing.
  const used = `${(await linkFor(a)).slice(0, -4)}aaaa`;
  expect(await late.error("pair", used)).toMatchObject({ code: "invalid-or-expired" });
  await late.json("pair", await linkFor(a), "--name", "late");
  await late.json("sync");
  await a.json("sync");
  const titles = (await items(a)).map(({ title }) => title);
  expect(titles).toEqual(expect.arrayContaining(["acknowledged", "waits"]));
});

test("[CL52] a person who came after the backup comes back by an invite, with all they hold", async () => {
  expect(await zoe.error("sync")).toMatchObject({ code: "invalid-token" });
  await zoe.json("pair", await inviteTo("harbour"), "--name", "zoe", "--user", "zoe");
  await zoe.json("sync");
  await a.json("sync");
  expect((await items(a)).map(({ title }) => title)).toContain("by zoe");
});

test("[EN33, CL26] a daemon that runs on while its device is paired again syncs as what it is now", async () => {
  await late.withDaemon(async () => {
    await late.json("save", "--title", "before");
    await vi.waitUntil(async () => (await titlesAt(a)).includes("before"), waiting);
    await a.json("device", "revoke", "late");
    await late.json("pair", await linkFor(a), "--name", "late again");
    await late.json("save", "--title", "after");
    await vi.waitUntil(async () => (await titlesAt(a)).includes("after"), waiting);
    expect((await late.json<Status>("status")).lastFailure).toBeNull();
  });
}, 180_000);

const waiting = { timeout: 60_000, interval: 200 };

async function titlesAt(device: TestDevice): Promise<readonly string[]> {
  await device.json("sync");
  return (await items(device)).map(({ title }) => title);
}

test("[CP71] what a namespace held that came after the backup is taken along into a new one", async () => {
  const { namespaces } = await a.json<Status>("status");
  const parked = namespaces.find(({ status }) => status === "parked");
  expect(parked).toMatchObject({ name: "lagoon" });
  expect(parked?.notice).toContain("tidemark export --namespace");
  const file = join(bench.folder(), "lagoon.jsonl");
  await a.json("export", "--namespace", parked?.id ?? "", "--output", file);
  const { id } = await a.json<{ id: string }>("namespace", "create", "lagoon two");
  for (const added of [1, 0]) {
    expect(await a.json("import", file, "--namespace", id)).toMatchObject({ added });
  }
  await a.json("sync");
  const found = (await items(a)).find(({ namespace }) => namespace === id);
  expect(found?.title).toBe("of the lagoon");
  // Its id means the copy that is synced.
  expect(await a.json("show", found?.id ?? "")).toMatchObject({ namespace: id });
});
