import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Server } from "../../apps/server/src/http/testing/client.ts";

/** The program as `npm run build` leaves it. */
export const serverProgram: string = fileURLToPath(
  new URL("../../apps/server/dist/main.js", import.meta.url),
);

const readyMsMax = 60_000;

/** How a run of the program ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a run of the program is given. */
interface Running {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Another copy of the program than the built one. */
  readonly program?: string;
  /** The user and group that run it; needs root. */
  readonly uid?: number;
}

/** A program that serves. */
export interface ServerProcess {
  readonly pid: number;
  /** Where it listens. */
  readonly url: string;
  readonly ended: Promise<Ended>;
  /** All it has printed so far. */
  stdout(): string;
  stderr(): string;
  kill(signal: NodeJS.Signals): void;
}

/** Folders and processes of one test; `clear` ends and removes whatever is left of them. */
export interface Bench {
  folder(): string;
  run(running: Running): Promise<Ended>;
  serve(running: Running): Promise<ServerProcess>;
  /** Sends a signal to all that runs. */
  signal(signal: NodeJS.Signals): void;
  clear(): Promise<void>;
}

/** Makes a bench; call `clear` after each test. */
export function createBench(): Bench {
  const folders: string[] = [];
  const children = new Map<ChildProcessWithoutNullStreams, Promise<Ended>>();
  const start = (running: Running) => {
    const child = spawnServer(running);
    const ended = endOf(child);
    children.set(child, ended);
    return { child, ended };
  };
  return {
    folder: () => {
      const folder = mkdtempSync(join(tmpdir(), "tidemark-server-"));
      folders.push(folder);
      return folder;
    },
    run: async (running) => await start(running).ended,
    serve: async (running) => {
      const { child, ended } = start({ ...running, args: ["serve", ...running.args] });
      return await serving(child, ended);
    },
    signal: (signal) => {
      for (const child of children.keys()) child.kill(signal);
    },
    clear: async () => {
      for (const [child, ended] of children) {
        child.kill("SIGTERM");
        await ended;
      }
      for (const folder of folders) {
        endPostmaster(folder);
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}

function spawnServer(running: Running): ChildProcessWithoutNullStreams {
  const { args, env = {}, program = serverProgram, uid } = running;
  const { PATH = "", TMPDIR = "" } = process.env;
  return spawn(process.execPath, [program, ...args], {
    // Nothing else of this machine's settings may reach it.
    env: { PATH, ...(TMPDIR === "" ? {} : { TMPDIR }), HOME: "/nonexistent", ...env },
    cwd: "/",
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
}

async function endOf(child: ChildProcessWithoutNullStreams): Promise<Ended> {
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  return await new Promise((resolve, reject) => {
    child.once("error", reject);
    // Not "close": an orphaned PostgreSQL keeps the streams open.
    child.once("exit", (code) => {
      setImmediate(() => {
        resolve({ code, stdout, stderr });
      });
    });
  });
}

async function serving(
  child: ChildProcessWithoutNullStreams,
  ended: Promise<Ended>,
): Promise<ServerProcess> {
  let stdout = "";
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const said = new Promise<string>((resolve) => {
    child.stdout.on("data", (chunk: Buffer) => {
      stdout += chunk.toString();
      const found = /^Tidemark listens on (\S+)/m.exec(stdout)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  const gaveUp = ended.then(({ code }) => {
    throw new Error(`the server ended with ${code}: ${stderr}`);
  });
  const waiting = new AbortController();
  const late = sleep(readyMsMax, undefined, { signal: waiting.signal }).then(() => {
    throw new Error(`the server does not listen: ${stderr}`);
  });
  // Whichever loses the race rejects later, when nobody listens any more.
  for (const loser of [gaveUp, late]) loser.catch(() => {});
  const url = await Promise.race([said, gaveUp, late]);
  waiting.abort();
  return {
    pid: child.pid ?? 0,
    url,
    ended,
    stdout: () => stdout,
    stderr: () => stderr,
    kill: (signal) => {
      child.kill(signal);
    },
  };
}

/** The links that a text holds. */
export function linksIn(text: string): readonly string[] {
  return text.match(/https?:\/\/\S+#s=[\w-]+/g) ?? [];
}

/** The server as the protocol's test client speaks to it; the link opens its setup. */
export function serverAt(url: string, link = ""): Server {
  return {
    url,
    clock: { nowMs: () => Date.now() },
    setupSecret: async () => await Promise.resolve(link.split("#s=")[1] ?? ""),
    app: {
      fetch: async (request) => {
        const headers = new Headers(request.headers);
        headers.set("accept-encoding", "identity");
        return await fetch(new Request(request, { headers }));
      },
    },
  };
}

/** A port that was free a moment ago, for a server that comes back under the same address. */
export async function freePort(): Promise<number> {
  return await new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => {
        resolve(port);
      });
    });
  });
}

/** The process id of the PostgreSQL that runs on a data directory, or undefined. */
export function postmasterPid(dataDir: string): number | undefined {
  try {
    const pid = Number.parseInt(
      readFileSync(join(dataDir, "postgres", "data", "postmaster.pid"), "utf8"),
      10,
    );
    return isAlive(pid) ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a process runs; one that is dead and uncollected does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    if (process.platform !== "linux") return true;
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

function endPostmaster(dataDir: string): void {
  const pid = postmasterPid(dataDir);
  if (pid !== undefined) process.kill(pid, "SIGQUIT");
}
