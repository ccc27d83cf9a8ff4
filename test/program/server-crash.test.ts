import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { once } from "node:events";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { NamespaceId } from "../../packages/protocol/src/index.ts";
import {
  claimServer,
  createTestWriter,
  push,
  signedHeadersFor,
  type TestClient,
} from "../../apps/server/src/http/testing/client.ts";
import {
  createBench,
  freePort,
  isAlive,
  linksIn,
  postmasterPid,
  serverAt,
  serverProgram,
  type Bench,
  type ServerProcess,
} from "./server-process.ts";

let bench: Bench;
const sockets: Socket[] = [];
beforeEach(() => {
  bench = createBench();
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await bench.clear();
});

async function claim(
  running: ServerProcess,
): Promise<{ owner: TestClient; namespace: NamespaceId }> {
  await expect.poll(() => linksIn(running.stdout())).toHaveLength(1);
  const owner = await claimServer(serverAt(running.url, linksIn(running.stdout())[0]));
  const [personal] = (await owner.hello()).namespaces ?? [];
  return { owner, namespace: personal?.id ?? ("" as NamespaceId) };
}

async function titlesOf(client: TestClient, namespace: NamespaceId): Promise<readonly string[]> {
  const response = await client.send(
    `/v1/namespaces/${namespace}/records?writer=reader_a&limit=100`,
  );
  const lines = (await response.text()).trimEnd().split("\n").slice(0, -1);
  return lines.map((line) => (JSON.parse(line) as { fields: { title: string } }).fields.title);
}

test("[OPS68] a server killed outright comes back with all it acknowledged, and ends its orphan", async () => {
  const dataDir = bench.folder();
  const args = ["--port", String(await freePort()), "--data-dir", dataDir];
  const first = await bench.serve({ args });
  const { owner, namespace } = await claim(first);
  const writer = createTestWriter("writer_a");
  expect((await push(owner, namespace, writer.body(["one", "two"]))).status).toBe(200);
  expect((await push(owner, namespace, writer.body(["three"]))).status).toBe(200);
  const orphan = postmasterPid(dataDir) ?? 0;
  expect(orphan).toBeGreaterThan(0);

  first.kill("SIGKILL");
  await first.ended;
  expect(isAlive(orphan)).toBe(true);
  const second = await bench.serve({ args });
  expect(isAlive(orphan)).toBe(false);
  expect(second.stderr()).toContain("orphan-postgres-stopped");
  expect(await titlesOf(owner, namespace)).toEqual(["one", "two", "three"]);
  expect((await push(owner, namespace, writer.body(["four"]))).status).toBe(200);
  expect(await titlesOf(owner, namespace)).toEqual(["one", "two", "three", "four"]);
});

test("[OPS22] SIGTERM ends streams and slow clients, exits with 0 in time, and no PostgreSQL is left", async () => {
  const dataDir = bench.folder();
  const running = await bench.serve({ args: ["--port", "0", "--data-dir", dataDir] });
  const { owner } = await claim(running);
  const postmaster = postmasterPid(dataDir) ?? 0;
  expect(postmaster).toBeGreaterThan(0);
  const headers = await signedHeadersFor(serverAt(running.url), owner, "/v1/pokes");
  const stream = await fetch(`${running.url}/v1/pokes`, { headers });
  expect(stream.status).toBe(200);
  const reader = stream.body?.getReader();
  await reader?.read();
  const slow = await openSlowly(running.url);

  expect(slow.socket.destroyed).toBe(false);
  const askedAtMs = Date.now();
  running.kill("SIGTERM");
  const ended = await running.ended;
  expect({ code: ended.code, stderr: ended.stderr }).toMatchObject({ code: 0 });
  expect(Date.now() - askedAtMs).toBeLessThan(10_000);
  expect(isAlive(postmaster)).toBe(false);
  expect(postmasterPid(dataDir)).toBeUndefined();
  // The stream has come to its end, by order or by the cut.
  await drain(reader).catch(() => {});
  await slow.closed;
});

test("[OPS22] a server that is stopped while it starts leaves no PostgreSQL behind", async () => {
  const dataDir = bench.folder();
  const starting = bench.run({ args: ["serve", "--port", "0", "--data-dir", dataDir] });
  await expect.poll(() => postmasterPid(dataDir), { timeout: 60_000, interval: 5 }).toBeDefined();
  const postmaster = postmasterPid(dataDir) ?? 0;
  bench.signal("SIGTERM");
  const { code } = await starting;
  expect(code).toBe(0);
  expect(isAlive(postmaster)).toBe(false);
  expect(postmasterPid(dataDir)).toBeUndefined();
});

test("[OPS22] a terminal that is closed stops the server as SIGTERM does, its PostgreSQL included", async () => {
  const dataDir = bench.folder();
  const running = await bench.serve({ args: ["--port", "0", "--data-dir", dataDir] });
  const postmaster = postmasterPid(dataDir) ?? 0;
  expect(postmaster).toBeGreaterThan(0);
  running.kill("SIGHUP");
  expect((await running.ended).code).toBe(0);
  expect(isAlive(postmaster)).toBe(false);
});

test.skipIf(!existsSync("/dev/full"))(
  "[OPS99] a log that cannot be written, as on a full disk, ends neither service nor drain",
  async () => {
    const dataDir = bench.folder();
    const args = ["serve", "--port", "0", "--data-dir", dataDir, "--log-requests", "all"];
    const deaf = ["-c", 'exec "$0" "$@" 2>/dev/full', process.execPath, serverProgram, ...args];
    const { PATH = "" } = process.env;
    const child = spawn("sh", deaf, { env: { PATH, HOME: "/nonexistent" }, cwd: "/" });
    const ended = once(child, "exit");
    try {
      const url = await new Promise<string>((resolve, reject) => {
        let said = "";
        child.stdout.on("data", (chunk: Buffer) => {
          said += chunk.toString();
          const found = /^Tidemark listens on (\S+)/m.exec(said)?.[1];
          if (found !== undefined) resolve(found);
        });
        child.once("exit", () => {
          reject(new Error(`the server ended: ${said}`));
        });
      });
      const postmaster = postmasterPid(dataDir) ?? 0;
      // Each has a line in the log.
      for (let count = 0; count < 3; count += 1) {
        expect((await fetch(`${url}/v1/devices`)).status).toBe(503);
      }
      child.kill("SIGTERM");
      expect(await ended).toEqual([0, null]);
      expect(isAlive(postmaster)).toBe(false);
    } finally {
      child.kill("SIGKILL");
    }
  },
);

/** Sends the beginning of a request and then nothing; `closed` is when the server has cut it off. */
async function openSlowly(url: string): Promise<{ socket: Socket; closed: Promise<unknown> }> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  socket.on("error", () => {});
  socket.resume();
  await once(socket, "connect");
  socket.write("POST /v1/join HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n");
  socket.write("content-length: 1000\r\n\r\n{");
  return { socket, closed: once(socket, "close") };
}

async function drain(reader: ReadableStreamDefaultReader<Uint8Array> | undefined): Promise<void> {
  for (;;) {
    const chunk = await reader?.read();
    if (chunk === undefined || chunk.done) return;
  }
}
