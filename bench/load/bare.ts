// A bare `node:http` server as a process of its own: what the same machine can do at most.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("bare-server.mjs", import.meta.url));

/** See `bare-server.mjs`. */
export interface BareServer {
  readonly pid: number;
  readonly port: number;
  /** From the start of the process until it listened. */
  readonly startMs: number;
  /** Has it give these bytes to a kind of request. */
  answer(kind: "push" | "pull", bytes: Uint8Array): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a bare server and waits until it listens. */
export async function startBareServer(): Promise<BareServer> {
  const started = performance.now();
  const child = spawn(process.execPath, [program], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout.once("data", (chunk: Buffer) => resolve(Number(chunk.toString())));
    child.once("exit", () => reject(new Error("the bare server ended before it listened")));
  });
  return {
    pid: child.pid ?? 0,
    port,
    startMs: performance.now() - started,
    answer: async (kind, bytes) => {
      const url = `http://127.0.0.1:${String(port)}/answer/${kind}`;
      await (await fetch(url, { method: "POST", body: Buffer.from(bytes) })).arrayBuffer();
    },
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
