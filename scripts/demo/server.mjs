import { spawn } from "node:child_process";
import { join } from "node:path";
import { BrokenClaim } from "./claim.mjs";
import { cleanEnvironment, run, serverProgram } from "./programs.mjs";

/** Longest start; the first one makes a database. */
const startMsMax = 90_000;
/** The server gives itself 9.5 s to put everything away. */
const stopMsMax = 12_000;

/**
 * Starts the real server on its own PostgreSQL, on a free port of the loopback address.
 *
 * @param publicUrl what devices are told
 */
export async function startServer({ folder, publicUrl, onLine }) {
  const dataDir = join(folder, "server");
  const env = cleanEnvironment(process.env, { HOME: join(folder, "home") });
  const port = await freePort();
  const args = ["serve", "--data-dir", dataDir, "--port", String(port), "--public-url", publicUrl];
  const child = spawn(process.execPath, [serverProgram, ...args], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
    // Out of the terminal's group: Ctrl-C reaches the demo, which then stops the server itself.
    detached: true,
  });
  const said = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      said.push(chunk);
      onLine?.();
    });
  }
  const ended = new Promise((resolve) => {
    child.on("close", resolve);
    child.on("error", resolve);
  });
  const text = () => Buffer.concat(said).toString("utf8");
  const server = {
    pid: child.pid,
    port,
    dataDir,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    /** A fresh link for the owner to be. */
    async setupLink() {
      const linkArgs = ["setup-link", "--data-dir", dataDir, "--public-url", publicUrl, "--json"];
      const result = await run(serverProgram, linkArgs, { env, cwd: folder });
      if (result.code !== 0) throw new BrokenClaim("the server prints a setup link", result.stderr);
      return JSON.parse(result.stdout).link;
    },
    async stop() {
      if (!server.hasEnded()) child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), stopMsMax);
      await ended;
      clearTimeout(timer);
    },
  };
  return { server, ready: untilReady(server, text) };
}

async function untilReady(server, text) {
  const endMs = Date.now() + startMsMax;
  while (Date.now() < endMs) {
    if (server.hasEnded()) throw new BrokenClaim("the server starts", text());
    if (await answers(`http://127.0.0.1:${server.port}/readyz`)) return;
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  throw new BrokenClaim("the server starts in time", text());
}

async function answers(url) {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}

async function freePort() {
  const { createServer } = await import("node:net");
  const probe = createServer();
  await new Promise((resolve, reject) => {
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", resolve);
  });
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
