import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { openDatabase } from "../../apps/client/src/store/sqlite.ts";
import { clientProgram, createDevices, type TestDevice } from "./client-process.ts";
import { createBench, linksIn } from "./server-process.ts";

const bench = createBench();
const devices = createDevices();
const running: ChildProcessWithoutNullStreams[] = [];
const first = devices.device("first");

interface Linked {
  readonly link: string;
}

beforeAll(async () => {
  const server = await bench.serve({ args: ["--port", "0", "--data-dir", bench.folder()] });
  await vi.waitUntil(() => linksIn(server.stdout()).length === 1);
  await first.json("pair", linksIn(server.stdout())[0] ?? "");
});
afterEach(async () => {
  for (const child of running.splice(0)) {
    if (child.exitCode !== null) continue;
    child.kill("SIGKILL");
    await once(child, "close");
  }
});
afterAll(async () => {
  await bench.clear();
  devices.clear();
});

/** A device that drives sync by a program of its own. */
async function start(device: TestDevice, verb: string): Promise<ChildProcessWithoutNullStreams> {
  const { link } = await first.json<Linked>("device", "add");
  await device.json("pair", link);
  const child = spawn(process.execPath, [clientProgram, verb], {
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: "/nonexistent",
      TIDEMARK_HOME: device.home,
      TIDEMARK_KEYCHAIN: "off",
    },
    cwd: device.folder,
  });
  running.push(child);
  await vi.waitUntil(() => hasTurn(device), { timeout: 20_000 });
  return child;
}

/** What a newer program's first migration leaves. */
function outgrow(device: TestDevice): void {
  const db = openDatabase({ path: join(device.home, "tidemark.db"), busyTimeoutMs: 5_000 });
  db.pragma(`user_version = ${Number(db.pragma("user_version")) + 1}`);
  db.close();
}

function hasTurn(device: TestDevice): boolean {
  return readdirSync(join(device.home, "sync.lock")).length > 0;
}

test("[ST4] a daemon that is outgrown ends with what to start, so that sync goes on without it", async () => {
  const device = devices.device("served");
  const daemon = await start(device, "daemon");
  let stderr = "";
  daemon.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  outgrow(device);
  const [code] = (await once(daemon, "close")) as [number | null];
  expect(code).toBe(1);
  expect(stderr).toMatch(/error: the database has schema \d+, this program knows \d+/);
  expect(stderr).toContain("hint: start `tidemark daemon` again");
});

test("[ST4] an agent's server that is outgrown lets another program have the turn, and says what to start again", async () => {
  const device = devices.device("agent");
  const server = await start(device, "mcp");
  let stdout = "";
  server.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  const send = (message: object): void => {
    server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  };
  const clientInfo = { name: "test-agent", version: "1" };
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  send({ id: 0, method: "initialize", params });
  outgrow(device);
  await vi.waitUntil(() => !hasTurn(device), { timeout: 20_000 });
  send({ method: "notifications/initialized" });
  const call = { name: "save", arguments: { title: "Too late" } };
  send({ id: 1, method: "tools/call", params: call });
  await vi.waitUntil(() => stdout.includes('"id":1'), { timeout: 20_000 });
  expect(stdout).toContain("a newer tidemark has changed the database: start this program again");
  expect(stdout).toContain('"isError":true');
});
