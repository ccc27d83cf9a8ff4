/**
 * Measures how long an agent waits for the MCP server: from starting the built program to its answer to
 * `initialize`, beside the least that any Node program costs (`node -e 0`), in the same rounds. Prints
 * medians; fails where the server's is above its budget. Run `npm run build` first.
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const rounds = Number(process.argv[2] ?? 20);
const startMsMax = 400;
const program = fileURLToPath(new URL("../apps/client/dist/main.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "tidemark-bench-"));
const { NODE_EXTRA_CA_CERTS: _certs, NODE_OPTIONS: _options, ...rest } = process.env;
const env = { ...rest, TIDEMARK_HOME: join(folder, "home") };

const params = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "bench", version: "1" },
};
const hello = `${JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params })}\n`;

try {
  const floor: number[] = [];
  const starts: number[] = [];
  // The first makes the home and fills the caches of the disk.
  await startMs();
  for (let round = 0; round < rounds; round += 1) {
    floor.push(floorMs());
    starts.push(await startMs());
  }
  const server = median(starts);
  const line = (name: string, ms: number): string => `${name.padEnd(12)} ${ms.toFixed(0)} ms\n`;
  process.stdout.write(
    `median of ${rounds}\n${line("node -e 0", median(floor))}${line("tidemark mcp", server)}`,
  );
  if (server > startMsMax) {
    process.stdout.write(`above its budget of ${startMsMax} ms\n`);
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function floorMs(): number {
  const started = performance.now();
  spawnSync(process.execPath, ["-e", "0"], { env });
  return performance.now() - started;
}

async function startMs(): Promise<number> {
  const started = performance.now();
  const child = spawn(process.execPath, [program, "mcp"], {
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.write(hello);
  const ms = await new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.stdout.once("data", () => {
      resolve(performance.now() - started);
    });
  });
  child.stdin.end();
  await new Promise((resolve) => child.once("close", resolve));
  return ms;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
