import { spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const client = fileURLToPath(new URL("../../apps/client/dist/main.js", import.meta.url));
const server = fileURLToPath(new URL("../../apps/server/dist/main.js", import.meta.url));

/** Runs the built `tidemark` in a home of its own; throws when it fails. */
export function tidemark(home: string, args: readonly string[]): string {
  const run = spawnSync(process.execPath, [client, ...args], {
    cwd: home,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: home, TIDEMARK_HOME: `${home}/tidemark` },
    maxBuffer: 256 * 1024 * 1024,
  });
  if (run.status !== 0) {
    throw new Error(
      `tidemark ${args[0]} failed (${run.status ?? run.signal}): ${run.stdout}${run.stderr}`,
    );
  }
  return run.stdout;
}

/** A running `tidemark-server` on its embedded database. */
export interface RunningServer {
  readonly setupLink: string;
  stop(): Promise<void>;
}

/** Starts the built server on a free port and waits for its setup link. */
export async function startServer(dataDir: string): Promise<RunningServer> {
  const args = [server, "serve", "--data-dir", dataDir, "--port", "0"];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const setupLink = await new Promise<string>((resolve, reject) => {
    let text = "";
    child.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString("utf8");
      const link = /'(http[^']+#s=[^']+)'/.exec(text)?.[1];
      if (link !== undefined) resolve(link);
    });
    child.once("exit", () => reject(new Error("the server ended before it listened")));
  });
  async function stop(): Promise<void> {
    child.kill("SIGTERM");
    await ended;
  }
  return { setupLink, stop };
}
