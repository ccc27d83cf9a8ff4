import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync, mkdirSync, existsSync, readdirSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { canaries, namedCanary } from "../../apps/client/src/memory/testing/canaries.ts";
import { clientProgram, createDevices, type TestDevice } from "./client-process.ts";
import { walkOf } from "./guide-walk.ts";
import { startDashboard } from "./dashboard-world.ts";

const devices = createDevices();
const guide = readFileSync(
  fileURLToPath(new URL("../../docs/guides/meaning.md", import.meta.url)),
  "utf8",
);

interface Listed {
  readonly total: number;
  readonly near?: readonly string[];
  readonly byWordsAlone?: { readonly code: string };
  readonly items: readonly { readonly id: string; readonly title: string }[];
}

/** Each concept is a dimension; the last one is for texts that have none. */
const concepts: readonly RegExp[] = [
  /money|billing|invoice|charged/i,
  /login|password|session|sign/i,
  /slow|latency|fast|speed/i,
];

function vectorOf(said: string): readonly number[] {
  const parts = concepts.map((concept) => (concept.test(said) ? 1 : 0));
  return [...parts, parts.some((part) => part > 0) ? 0 : 1];
}

/** Answers what Ollama and its like do, from the concepts above. */
let model: Server;
let url = "";
const asked: string[] = [];

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { input } = JSON.parse(await text(request)) as { input: readonly string[] };
  asked.push(...input);
  const data = input.map((each, index) => ({ index, embedding: vectorOf(each) }));
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ data }));
}

beforeAll(async () => {
  model = createServer((request, response) => {
    void answer(request, response);
  });
  await new Promise<void>((resolve) => {
    model.listen(0, "127.0.0.1", resolve);
  });
  url = `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1/embeddings`;
});

afterAll(() => {
  model.close();
  devices.clear();
});

type Members = Readonly<Record<string, string | number | boolean>>;

function setConfig({ home }: TestDevice, members: Members): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  writeFileSync(join(home, "config.json"), JSON.stringify(members), { mode: 0o600 });
}

/** A device with the embedder that the guide gives. */
function deviceWith(name: string, more: Members = {}): TestDevice {
  const device = devices.device(name);
  const [, script = ""] = /```js\n([\s\S]*?)```/.exec(guide) ?? [];
  expect(script).toContain("data) console.log");
  writeFileSync(join(device.folder, "embed.mjs"), script);
  setConfig(device, { embedder: commandOf(device, "embed.mjs", `${url} some-model`), ...more });
  return device;
}

function commandOf({ folder }: TestDevice, file: string, rest = ""): string {
  return `'${process.execPath}' '${join(folder, file)}' ${rest}`.trim();
}

/** A device whose embedder is a program of these lines. */
function deviceRunning(name: string, lines: string, more: Members = {}): TestDevice {
  const device = devices.device(name);
  writeFileSync(join(device.folder, "own.mjs"), lines);
  setConfig(device, { embedder: commandOf(device, "own.mjs"), ...more });
  return device;
}

const titlesOf = ({ items }: Listed): readonly string[] => items.map(({ title }) => title);
const charged = "Customers were charged twice";
const cookie = "Cookies expire after an hour";

test("[RC30] unless an embedder is set none is run, and it is told how to set one", async () => {
  const device = devices.device("unset");
  await device.json("save", "--title", charged);
  expect(await device.error("embed")).toMatchObject({ exit: 1, code: "no-embedder" });
  expect(await device.json<Listed>("search", "money")).toEqual({ items: [], total: 0 });
  expect((await device.run(["status"])).stdout).not.toContain("vectors");
});

test("[RC32] with the guide's program a search finds what has none of its words, and says so", async () => {
  const device = deviceWith("guide");
  await device.json("save", "--title", charged);
  await device.json("save", "--title", cookie, "--narrative", "so a session ends");
  expect(titlesOf(await device.json<Listed>("search", "money"))).toEqual([]);
  const walk = walkOf("docs/guides/meaning.md");
  expect(await device.json(...walk.take("embed"))).toMatchObject({ embedded: 2, kept: 2 });
  expect(await device.json("embed")).toMatchObject({ embedded: 0, kept: 2 });
  const found = await device.json<Listed>("search", "money");
  expect(titlesOf(found)[0]).toBe(charged);
  expect(found.near).toContain(found.items[0]?.id);
  const shown = await device.run(walk.take("search"));
  expect(shown.stdout).toContain(`${charged}  [by meaning]`);
  expect(shown.stdout).not.toContain(cookie);
  const status = await device.run(walk.take("status"));
  expect(status.stdout).toContain("vectors: 2 of 2 observations");
  expect(walk.left()).toEqual([]);
  expect((await device.run(["doctor"])).stdout).toMatch(/PASS\s+embedder/);
});

test("[RC33] what goes to the embedder is scrubbed, as what is searched for is, and says its role", async () => {
  const device = deviceWith("scrubbed");
  await device.json("save", "--title", "Login needs a key", "--narrative", "as everybody knows");
  await device.json("embed");
  const secret = canaries[0] ?? "";
  asked.length = 0;
  await device.json("search", secret);
  expect(asked).toHaveLength(1);
  expect(asked[0]).toMatch(/^search_query: .*__SECRET_/);
  expect(asked.join(" ")).not.toContain(secret);
});

test("[RC33] no part of a secret that stands where a search is cut goes to the embedder", async () => {
  const device = deviceWith("cut");
  await device.json("save", "--title", charged);
  // Cut within its server's name it is no address with a password any more.
  const address = `postgres://app:${namedCanary}@`;
  const before = "word ".repeat(400).slice(0, 2_000 - address.length);
  asked.length = 0;
  await device.json("search", `${before}${address}db.example.com/app`);
  expect(asked).toHaveLength(1);
  expect(asked[0]).toContain("word word");
  expect(asked[0]).not.toContain(namedCanary.slice(0, 6));
});

test("[RC32] where the embedder fails, search goes by words and says so; nothing is lost", async () => {
  const device = deviceRunning("failing", "process.exitCode = 1;");
  await device.json("save", "--title", charged);
  expect(await device.error("embed")).toMatchObject({ exit: 1, code: "embedder-failed" });
  const found = await device.json<Listed>("search", "charged");
  expect(titlesOf(found)).toEqual([charged]);
  expect(found.byWordsAlone?.code).toBe("embedder-failed");
  expect((await device.run(["search", "charged"])).stdout).toContain(
    "by words alone: the embedder's command failed",
  );
  expect((await device.run(["status"])).stdout).toContain("the last run failed");
  expect((await device.run(["doctor"])).stdout).toMatch(/WARN\s+embedder/);
});

test.each([
  ["not-there", undefined],
  ["unreadable", "console.log('loading the model');"],
  ["too-much", "process.stdout.write('x'.repeat(7e6)); setTimeout(() => undefined, 60_000);"],
  ["timed-out", "setTimeout(() => undefined, 60_000);"],
])("[RC30] an embedder that is %s is ended, and told", async (kind, lines) => {
  const device = deviceRunning(`bad-${kind}`, lines ?? "", { embedderSeconds: 1 });
  if (lines === undefined) setConfig(device, { embedder: join(device.folder, "nothing") });
  await device.json("save", "--title", charged);
  expect(await device.error("embed")).toMatchObject({ exit: 1, code: `embedder-${kind}` });
  const found = await device.json<Listed>("search", "charged");
  expect(found.byWordsAlone?.code).toBe(`embedder-${kind}`);
  expect(titlesOf(found)).toEqual([charged]);
});

test("[RC31] vectors are made anew when they are asked for, and as the command changes", async () => {
  const device = deviceWith("anew");
  await device.json("save", "--title", charged);
  expect(await device.json("embed")).toMatchObject({ embedded: 1, kept: 1 });
  expect(await device.json("embed", "--anew")).toMatchObject({ embedded: 1, kept: 1 });
  setConfig(device, { embedder: commandOf(device, "embed.mjs", `${url} another-model`) });
  expect((await device.run(["status"])).stdout).toContain("vectors: 0 of 1 observation");
  expect(await device.json("embed")).toMatchObject({ embedded: 1, kept: 1 });
});

test("[RC31] where the embedder fails, vectors that were to be made anew stay", async () => {
  const device = deviceRunning("anew-fails", "console.log('[1,2]');");
  await device.json("save", "--title", charged);
  expect(await device.json("embed")).toMatchObject({ embedded: 1, kept: 1 });
  writeFileSync(join(device.folder, "own.mjs"), "process.exitCode = 1;");
  const failed = await device.error("embed", "--anew");
  expect(failed).toMatchObject({ exit: 1, code: "embedder-failed" });
  expect((await device.run(["status"])).stdout).toContain("vectors: 1 of 1 observation");
});

test("[RC30] no hook runs the embedder", async () => {
  const device = devices.device("hook");
  const runs = join(device.folder, "runs");
  writeFileSync(
    join(device.folder, "own.mjs"),
    `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(runs)}, "ran");`,
  );
  setConfig(device, { embedder: commandOf(device, "own.mjs") });
  await device.json("save", "--title", charged);
  const event = { session_id: "s-1", cwd: device.folder, prompt: "why were they charged twice?" };
  for (const hook of ["SessionStart", "UserPromptSubmit"]) {
    const payload = JSON.stringify({ ...event, hook_event_name: hook });
    const ended = await device.run(["hook", "claude-code", hook], payload);
    expect(ended.code).toBe(0);
  }
  expect(existsSync(runs)).toBe(false);
  await device.json("search", "charged");
  expect(existsSync(runs)).toBe(true);
});

test("[RC32] an agent that searches by MCP finds by meaning too, and is told which", async () => {
  const device = deviceWith("mcp");
  const { id } = await device.json<{ id: string }>("save", "--title", charged);
  await device.json("embed");
  const { content, structuredContent } = await searchByMcp(device, "money");
  expect(content[0]?.text).toContain(charged);
  expect(structuredContent).toMatchObject({ total: 1, near: [id.slice(0, 12)] });
  setConfig(device, { embedder: join(device.folder, "nothing") });
  const { structuredContent: alone } = await searchByMcp(device, "charged");
  expect(alone).toMatchObject({
    total: 1,
    byWordsAlone: "the embedder's program cannot be started",
  });
});

interface Told {
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent: Readonly<Record<string, unknown>>;
}

async function searchByMcp(device: TestDevice, query: string): Promise<Told> {
  const clientInfo = { name: "test-agent", version: "1" };
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  const child = spawn(process.execPath, [clientProgram, "mcp"], {
    env: { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", TIDEMARK_HOME: device.home },
    cwd: device.folder,
  });
  const send = (message: object): void => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  };
  send({ id: 0, method: "initialize", params });
  send({ method: "notifications/initialized" });
  send({ id: 1, method: "tools/call", params: { name: "search", arguments: { query } } });
  try {
    for await (const line of createInterface(child.stdout)) {
      const { id, result } = JSON.parse(line) as { id: number; result: Told };
      if (id === 1) return result;
    }
    throw new Error("the server ended without an answer");
  } finally {
    child.stdin.end();
    await once(child, "exit");
  }
}

test("[RC32] the dashboard's search finds by meaning too", async () => {
  const device = deviceWith("dashboard");
  await device.json("save", "--title", charged);
  await device.json("embed");
  const { child, link } = await startDashboard(device.home, device.folder);
  try {
    const entered = await fetch(new URL("/enter", link), {
      method: "POST",
      headers: { origin: link.origin, "content-type": "application/json" },
      body: JSON.stringify({ token: link.hash.slice(1) }),
    });
    const cookie = entered.headers.get("set-cookie")?.split(";")[0] ?? "";
    const page = await fetch(new URL("/memory?q=money", link), { headers: { cookie } });
    expect(await page.text()).toContain(charged);
  } finally {
    child.kill("SIGTERM");
    await once(child, "exit");
  }
});

test("[RC30] the daemon embeds what is saved while it runs", async () => {
  const device = deviceWith("daemon");
  await device.json("save", "--title", charged);
  await device.withDaemon(async () => {
    await vi.waitFor(
      async () => {
        expect((await device.run(["status"])).stdout).toContain("vectors: 1 of 1 observation");
      },
      { timeout: 20_000, interval: 200 },
    );
  });
});

test("[RC31] vectors are of this device alone: no export holds them, and what is forgotten is on no disk", async () => {
  // One number that no other text has, so that its bytes are known again.
  const device = deviceRunning(
    "forgotten",
    `import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
     const lines = (await text(process.stdin)).trim().split("\\n");
     for (const line of lines) console.log(JSON.stringify([...Array(64).keys()].map((n) => n - 32)));`,
  );
  const bytes = Buffer.from(
    Int8Array.from(Array.from({ length: 64 }, (_, n) => Math.round(((n - 32) / 32) * 127))),
  );
  const isOnDisk = (): boolean =>
    readdirSync(device.home, { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile())
      .some((file) => readFileSync(join(file.parentPath, file.name)).includes(bytes));
  const { id } = await device.json<{ id: string }>("save", "--title", charged);
  await device.json("embed");
  expect(isOnDisk()).toBe(true);
  expect((await device.run(["export"])).stdout).not.toContain("vector");
  await device.json("forget", id, "--yes");
  expect(isOnDisk()).toBe(false);
});
