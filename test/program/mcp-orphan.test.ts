import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { clientProgram, createDevices, type TestDevice } from "./client-process.ts";

const devices = createDevices();
const open: number[] = [];
let server = 0;
afterEach(() => {
  for (const file of open.splice(0)) closeSync(file);
  if (server !== 0 && isAlive(server)) process.kill(server, "SIGKILL");
  server = 0;
});
afterAll(() => {
  devices.clear();
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** A host that starts the server, tells its process id and does nothing more. */
function startHost(device: TestDevice, stdin: "pipe" | number): ChildProcess {
  const host = `
    const { spawn } = require("node:child_process");
    const server = spawn(process.execPath, [process.env.PROGRAM, "mcp"], {
      stdio: [process.env.STDIN === "pipe" ? "pipe" : 3, "pipe", "inherit"],
    });
    server.stdout.once("data", () => console.log(server.pid));
    if (server.stdin) server.stdin.write(process.env.HELLO);
    setInterval(() => {}, 1000);`;
  return spawn(process.execPath, ["-e", host], {
    cwd: device.folder,
    env: {
      PATH: process.env["PATH"] ?? "",
      TIDEMARK_HOME: device.home,
      PROGRAM: clientProgram,
      STDIN: stdin === "pipe" ? "pipe" : "file",
      HELLO: hello,
    },
    stdio: ["ignore", "pipe", "inherit", ...(stdin === "pipe" ? [] : [stdin])],
  });
}

const clientInfo = { name: "host", version: "1" };
const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
const hello = `${JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params })}\n`;

async function pidOf(host: ChildProcess): Promise<number> {
  const told = await new Promise<string>((resolve) => {
    host.stdout?.once("data", (chunk: Buffer) => {
      resolve(chunk.toString());
    });
  });
  server = Number(told.trim());
  return server;
}

async function isGoneWithin(pid: number, ms: number): Promise<boolean> {
  const end = performance.now() + ms;
  while (performance.now() < end) {
    if (!isAlive(pid)) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return !isAlive(pid);
}

test("[MC9] the server of a host that was killed is gone within five seconds", async () => {
  const host = startHost(devices.device("killed"), "pipe");
  const pid = await pidOf(host);
  expect(isAlive(pid)).toBe(true);
  host.kill("SIGKILL");
  expect(await isGoneWithin(pid, 5_000)).toBe(true);
});

test("[MC9] also where somebody else holds its input open", async () => {
  const device = devices.device("held");
  const fifo = join(device.folder, "input");
  execFileSync("mkfifo", [fifo]);
  const held = openSync(fifo, constants.O_RDWR);
  open.push(held);
  const host = startHost(device, held);
  const sent = spawn("sh", ["-c", `printf '%s' "$HELLO" > ${fifo}`], {
    env: { ...process.env, HELLO: hello },
  });
  const pid = await pidOf(host);
  sent.kill();
  host.kill("SIGKILL");
  expect(await isGoneWithin(pid, 5_000)).toBe(true);
});
