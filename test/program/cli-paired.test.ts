import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { clientProgram, createDevices, type TestDevice } from "./client-process.ts";
import { createBench, linksIn } from "./server-process.ts";

const bench = createBench();
const devices = createDevices();
/** Two laptops of ada's, paired with one server. */
const a = devices.device("laptop-a");
const b = devices.device("laptop-b");
let url = "";

interface Linked {
  readonly link: string;
}

interface Status {
  readonly device: { readonly id: string; readonly name: string };
  readonly user: { readonly id: string; readonly name: string };
  readonly server: string;
  readonly namespaces: readonly {
    readonly id: string;
    readonly name: string;
    readonly kind: string;
    readonly role: string;
    readonly status: string;
    readonly outbox: number;
    readonly synced: boolean;
  }[];
}

interface Listed {
  readonly items: readonly { readonly id: string; readonly title: string }[];
  readonly total: number;
}

beforeAll(async () => {
  const server = await bench.serve({ args: ["--port", "0", "--data-dir", bench.folder()] });
  url = server.url;
  await vi.waitUntil(() => linksIn(server.stdout()).length === 1);
  await a.json("save", "--title", "made before pairing");
  await a.json("pair", linksIn(server.stdout())[0] ?? "", "--name", "laptop-a", "--user", "ada");
  await pairAsAdas(b, "laptop-b");
});

afterAll(async () => {
  await bench.clear();
  devices.clear();
});

async function pairAsAdas(device: TestDevice, name: string): Promise<Status> {
  const { link } = await a.json<Linked>("device", "add");
  return await device.json<Status>("pair", link, "--name", name);
}

async function invite(device: TestDevice, namespace: string, role: string): Promise<string> {
  return (await device.json<Linked>("namespace", "invite", namespace, "--role", role)).link;
}

async function syncAll(...all: readonly TestDevice[]): Promise<void> {
  for (const device of all) await device.json("sync");
}

async function titles(device: TestDevice): Promise<readonly string[]> {
  return (await device.json<Listed>("list", "--all")).items.map(({ title }) => title);
}

test("[CL22] pairing prints what status prints, and brings what other devices made", async () => {
  const status = await b.json<Status>("status");
  expect(status).toMatchObject({
    device: { name: "laptop-b" },
    user: { name: "ada" },
    server: url,
    namespaces: [{ kind: "personal", role: "owner", outbox: 0, rejected: 0, synced: true }],
  });
  expect(await titles(b)).toContain("made before pairing");
});

/** What a hook leaves that found the database held: uses of a tool that each make an observation. */
function spooled(count: number): string {
  const line = (n: number): string => {
    const subject = `Change part ${n} of the parser`;
    const input = { command: `git commit -m '${subject}'` };
    const tool = {
      id: `t${n}`,
      name: "Bash",
      input,
      ok: true,
      response: `[main 1a2b3c4] ${subject}`,
    };
    const about = { agent: "claude-code", event: "tool", name: "PostToolUse", sessionId: "s1" };
    const event = { ...about, key: `claude-code/s1/tool/t${n}`, tool };
    return JSON.stringify({ event, project: "name:app", atMs: Date.now() });
  };
  return Array.from({ length: count }, (_, n) => `${line(n)}\n`).join("");
}

test("[CL51] nothing that waits in the spool is left out of a sync or an export, or called synced", async () => {
  const c = devices.device("laptop-c");
  await pairAsAdas(c, "laptop-c");
  const spool = join(c.home, "spool.jsonl");
  writeFileSync(spool, spooled(120), { mode: 0o600 });
  // A part that cannot be read stays, however fast the machine takes in the others.
  mkdirSync(`${spool}.unread`);
  const status = await c.json<Status & { spooled: boolean }>("status");
  expect(status).toMatchObject({ spooled: true, namespaces: [{ synced: false }] });
  expect(await c.error("sync")).toMatchObject({ exit: 1, code: "spooled" });
  // All else is synced by now.
  expect((await c.run(["status"])).stdout).toContain("not synced: captures wait in the spool");
  for (const short of [["status", "--short"], ["statusline"]])
    expect((await c.run(short)).stdout).toContain("captures wait");
  const stopped = await c.run(["sync", "--json"]);
  expect(JSON.parse(stopped.stdout)).toMatchObject({ done: false });
  expect(await c.error("export")).toMatchObject({ exit: 1, code: "spooled" });
  rmdirSync(`${spool}.unread`);
  await c.json("sync");
  expect(readdirSync(c.home).filter((name) => name.startsWith("spool"))).toEqual([]);
  expect(await c.json("status")).toMatchObject({ spooled: false, namespaces: [{ synced: true }] });
  expect((await titles(c)).filter((title) => title.includes("of the parser"))).toHaveLength(120);
  writeFileSync(spool, spooled(240), { mode: 0o600 });
  const { items } = await c.json<{ items: readonly { collection: string }[] }>("export");
  expect(items.filter(({ collection }) => collection === "observation")).toHaveLength(240 + 1);
});

test("[CL22] a paired device opens no second link of a device", async () => {
  const { link } = await a.json<Linked>("device", "add");
  expect(await b.error("pair", link)).toMatchObject({ exit: 1, code: "already-paired" });
});

test("[CL22] a link opens once", async () => {
  const { link } = await a.json<Linked>("device", "add");
  const [one, two] = [devices.device("once-1"), devices.device("once-2")];
  await one.json("pair", link);
  expect(await two.error("pair", link)).toMatchObject({ exit: 1, code: "invalid-or-expired" });
  expect(await two.json("status")).toMatchObject({ device: null, namespaces: [{ synced: false }] });
});

test("[CL22] nobody is invited into a personal namespace, and the error says what can be shared", async () => {
  const error = await a.error("namespace", "invite", "personal");
  expect(error).toMatchObject({ exit: 1, code: "not-shared" });
  expect(JSON.stringify(error)).toContain("tidemark namespace create");
});

test("[CL23] what is saved is waiting until a sync, then it is on the other device", async () => {
  const { id } = await a.json<{ id: string }>("save", "--title", "seen on both");
  const before = await a.json<Status>("status");
  expect(before.namespaces[0]).toMatchObject({ outbox: 1, synced: false });
  await syncAll(a, b);
  const after = await a.json<Status>("status");
  expect(after.namespaces[0]).toMatchObject({ outbox: 0, synced: true });
  expect(await b.json("show", id)).toMatchObject({
    title: "seen on both",
    author: { user: "ada", device: "laptop-a" },
    trust: 3,
  });
});

test("[CL24] [CL34] a concurrent change is kept as a conflict, the same on both, until it is resolved", async () => {
  const { id } = await a.json<{ id: string }>("save", "--title", "start");
  await syncAll(a, b);
  await a.json("edit", id, "--set", "title=from a");
  await b.json("edit", id, "--set", "title=from b");
  await syncAll(a, b, a);
  const onA = await a.json<{ items: readonly { id: string; value: string }[] }>("conflicts");
  const onB = await b.json<{ items: readonly { id: string; value: string }[] }>("conflicts");
  expect(onA.items.length).toBe(1);
  expect(onB.items.map((conflict) => conflict.id)).toEqual(
    onA.items.map((conflict) => conflict.id),
  );
  const [conflict] = onA.items;
  expect(conflict).toMatchObject({ record: id, field: "title" });
  const stood = (await a.json<{ title: string }>("show", id)).title;
  expect([stood, conflict?.value].toSorted()).toEqual(["from a", "from b"]);
  await a.json("resolve", conflict?.id ?? "", "--keep", "losing");
  const again = await a.run(["resolve", conflict?.id ?? "", "--keep", "losing"]);
  expect([again.code, again.stdout]).toEqual([0, `settled already: ${conflict?.id ?? ""}\n`]);
  await syncAll(a, b);
  expect(await b.json("conflicts")).toMatchObject({ total: 0 });
  expect(await b.json("show", id)).toMatchObject({ title: conflict?.value });
});

test("[CL12] the history holds what the server knows as well", async () => {
  const { id } = await a.json<{ id: string }>("save", "--title", "first");
  await syncAll(a);
  await a.json("edit", id, "--set", "title=second");
  await syncAll(a, b);
  const { source, items } = await b.json<{
    source: string;
    items: readonly { field: string; value: unknown; author: { device: string } }[];
  }>("history", id);
  expect(source).toBe("server");
  const values = items.filter(({ field }) => field === "title");
  expect(values.map(({ value }) => value)).toEqual(["second", "first"]);
  expect(values.map(({ author }) => author.device)).toEqual(["laptop-a", "laptop-a"]);
});

test("[CL13] what is forgotten is gone from every device", async () => {
  const { id } = await a.json<{ id: string }>("save", "--title", "to be forgotten");
  await syncAll(a, b);
  await b.json("forget", id);
  await syncAll(b, a);
  expect(await a.error("show", id)).toMatchObject({ code: "forgotten" });
});

test("[CL25, CL35, CL36, CL39] a namespace is shared by an invite; roles count; removal parks it", async () => {
  const bob = devices.device("bob");
  const team = await a.json<{ id: string }>("namespace", "create", "team");
  await bob.json("pair", await invite(a, "team", "writer"), "--name", "bobs", "--user", "bob");
  await bob.json("namespace", "use", "team");
  await bob.json("save", "--title", "by bob", "--namespace", "team");
  await syncAll(bob, a);
  expect(await titles(a)).toContain("by bob");
  expect((await a.run(["list"])).stdout).toMatch(/by bob {2}\(by bob, in team\)/);
  expect((await bob.run(["list"])).stdout).not.toContain("(by ");
  expect(await a.error("namespace", "create", "Team")).toMatchObject({ code: "name-taken" });
  const members = await a.json<{ items: readonly { user: { name: string }; role: string }[] }>(
    "namespace",
    "members",
    "team",
  );
  expect(members.items.map(({ user, role }) => `${user.name} ${role}`).toSorted()).toEqual([
    "ada owner",
    "bob writer",
  ]);
  await a.json("namespace", "role", "team", "bob", "reader");
  await syncAll(bob);
  const refused = await bob.error("save", "--title", "refused", "--namespace", "team");
  expect(refused).toMatchObject({ exit: 1, code: "read-only" });
  await a.json("namespace", "role", "team", "bob", "writer");
  await syncAll(bob);
  await bob.json("save", "--title", "never sent", "--namespace", "team");
  await a.json("namespace", "remove", "team", "bob");
  expect((await bob.run(["sync"])).stdout).toContain("nothing is sent, 1 change kept here\n");
  const status = await bob.json<Status>("status");
  const parked = status.namespaces.find(({ id }) => id === team.id);
  expect(parked).toMatchObject({ status: "parked", synced: false });
  expect((await bob.run(["status"])).stdout).toMatch(
    /^team, .*, no longer a member, 1 change never sent$/m,
  );
  expect((await bob.run(["status"])).stdout).toMatch(
    /warning: .* is bound to team, .*personal namespace.*\nhint: tidemark namespace use /,
  );
  const { stdout } = await bob.run(["doctor"]);
  expect(stdout).toMatch(/^WARN {2}project: .*team.*\n +fix: tidemark namespace use /m);
  expect(await bob.json("list")).toMatchObject({ total: 0 });
  expect(await bob.json("export", "--namespace", "team")).toMatchObject({ total: 2 });
});

test("[CL29, CL30, CL39] a change that the server refuses stays until a person drops or retries it", async () => {
  const dan = devices.device("dan");
  await a.json("namespace", "create", "strict");
  await dan.json("pair", await invite(a, "strict", "writer"), "--user", "dan");
  const kept = await dan.json<{ id: string }>("save", "--title", "kept", "--namespace", "strict");
  const { id } = await dan.json<{ id: string }>("save", "--title", "late", "--namespace", "strict");
  await a.json("namespace", "role", "strict", "dan", "reader");
  const synced = await dan.run(["sync"]);
  expect([synced.code, synced.stderr]).toEqual([
    1,
    "error: 2 changes were refused\nhint: tidemark rejected\n",
  ]);
  expect(synced.stdout).toContain("strict: sent and pulled, 2 changes refused\n");
  expect((await dan.run(["sync", "--bounded"])).code).toBe(0);
  expect(JSON.parse((await dan.run(["sync", "--json"])).stdout)).toMatchObject({
    done: false,
    namespaces: expect.arrayContaining([expect.objectContaining({ rejected: 2, done: false })]),
  });
  expect((await dan.run(["status"])).stdout).toContain(
    "not synced: 2 changes refused (tidemark rejected)\n",
  );
  expect((await dan.run(["rejected"])).stdout).toMatch(/ {2}strict {2}put /);
  const list = await dan.json<{ items: readonly { record: string }[] }>("rejected");
  expect(list.items.map(({ record }) => record).toSorted()).toEqual([id, kept.id].toSorted());
  const { namespaces } = await dan.json<Status>("status");
  expect(namespaces.find(({ name }) => name === "strict")).toMatchObject({
    rejected: 2,
    synced: false,
  });
  expect(await dan.error("rejected", "retry", id)).toMatchObject({ code: "read-only" });
  expect(await dan.json("rejected", "drop", id)).toEqual({ dropped: 1 });
  await a.json("namespace", "role", "strict", "dan", "writer");
  expect(await dan.error("sync")).toMatchObject({ exit: 1, code: "refused" });
  expect(await dan.json("rejected", "retry", "--all")).toEqual({ retried: 1 });
  await syncAll(dan, a);
  expect(await titles(a)).toContain("kept");
  expect(await titles(a)).not.toContain("late");
  const after = await dan.json<Status>("status");
  expect(after.namespaces.every(({ synced }) => synced)).toBe(true);
});

test("[CL25] a paired device takes an invite to another namespace", async () => {
  const carol = devices.device("carol");
  await a.json("namespace", "create", "first");
  await a.json("namespace", "create", "second");
  await carol.json("pair", await invite(a, "first", "reader"), "--user", "carol");
  const status = await carol.json<Status>("pair", await invite(a, "second", "writer"));
  expect(status.namespaces.map(({ name, role }) => [name, role])).toEqual([
    ["personal", "owner"],
    ["first", "reader"],
    ["second", "writer"],
  ]);
});

test("[CL26] a revoked device is told so, is not synced, and comes back by a new link", async () => {
  const lost = devices.device("lost");
  await pairAsAdas(lost, "lost");
  await lost.json("save", "--title", "made while revoked");
  await a.json("device", "revoke", "lost");
  expect(await lost.error("sync")).toMatchObject({ exit: 1, code: "device-revoked" });
  const status = await lost.json<Status>("status");
  expect(status.namespaces[0]).toMatchObject({ outbox: 1, synced: false });
  const back = await pairAsAdas(lost, "found");
  expect(back.device.name).toBe("found");
  expect(back.namespaces[0]).toMatchObject({ outbox: 0, synced: true });
  await syncAll(a);
  expect(await titles(a)).toContain("made while revoked");
});

test("[CL27] devices are listed and renamed", async () => {
  const { device } = await b.json<Status>("status");
  await a.json("device", "rename", device.id, "kitchen");
  const { items } = await a.json<{
    items: readonly { id: string; name: string; current: boolean }[];
  }>("device", "list");
  expect(items.find(({ id }) => id === device.id)).toMatchObject({
    name: "kitchen",
    current: false,
  });
  expect(items.filter(({ current }) => current).map(({ name }) => name)).toEqual(["laptop-a"]);
  await a.json("device", "rename", "kitchen", "laptop-b");
});

test("[CL28] a sync takes its turn while an MCP server drives the engine", async () => {
  const mcp = spawn(process.execPath, [clientProgram, "mcp"], {
    env: { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", TIDEMARK_HOME: a.home },
    cwd: a.folder,
    stdio: ["pipe", "ignore", "ignore"],
  });
  try {
    const { id } = await b.json<{ id: string }>("save", "--title", "beside an mcp server");
    await syncAll(b, a);
    expect(await a.json("show", id)).toMatchObject({ title: "beside an mcp server" });
  } finally {
    mcp.stdin.end();
    await new Promise((resolve) => {
      mcp.once("close", resolve);
    });
  }
});

test("[MC6] an MCP server brings what other devices write, and sends what this one does", async () => {
  const mcp = spawn(process.execPath, [clientProgram, "mcp"], {
    env: { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", TIDEMARK_HOME: a.home },
    cwd: a.folder,
    stdio: ["pipe", "ignore", "ignore"],
  });
  try {
    const theirs = await b.json<{ id: string }>("save", "--title", "from b in the background");
    await syncAll(b);
    await expect
      .poll(async () => (await a.run(["show", theirs.id])).code, { timeout: 20_000, interval: 250 })
      .toBe(0);
    const ours = await a.json<{ id: string }>("save", "--title", "from a in the background");
    const seen = async (): Promise<number | null> => {
      await b.run(["sync"]);
      return (await b.run(["show", ours.id])).code;
    };
    await expect.poll(seen, { timeout: 20_000, interval: 250 }).toBe(0);
  } finally {
    mcp.stdin.end();
    await new Promise((resolve) => {
      mcp.once("close", resolve);
    });
  }
});

test("[CL23] a paired device that has not synced yet is told to sync, and not to pair", async () => {
  const fresh = devices.device("fresh");
  await pairAsAdas(fresh, "fresh");
  // As after a first sync that was stopped, or with a database that is gone.
  for (const side of ["", "-wal", "-shm"])
    rmSync(join(fresh.home, `tidemark.db${side}`), { force: true });
  await fresh.json("save", "--title", "made before the first sync");
  const { stdout: status } = await fresh.run(["status"]);
  expect(status).toContain("not synced: the first sync is due (tidemark sync)");
  expect(status).not.toContain("not paired");
  const { stdout: waiting } = await fresh.run(["outbox", "list"]);
  expect(waiting).toContain("hint: tidemark sync\n");
  expect(waiting).not.toContain("pair");
  await fresh.json("sync");
  await syncAll(a);
  expect(await titles(a)).toContain("made before the first sync");
});

test("[CL23] without the server a sync fails with a hint and loses nothing", async () => {
  const away = devices.device("away");
  await pairAsAdas(away, "away");
  await away.json("save", "--title", "kept while the server is away");
  bench.signal("SIGTERM");
  await expect.poll(async () => (await away.run(["doctor"])).code, { timeout: 20_000 }).toBe(1);
  expect(await away.error("sync")).toMatchObject({ exit: 1, code: "unreachable" });
  const status = await away.json<Status>("status");
  expect(status.namespaces[0]).toMatchObject({ outbox: 1, synced: false });
  expect(await titles(away)).toContain("kept while the server is away");
});
