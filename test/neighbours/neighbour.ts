import { spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** A program of somebody else's that runs before or behind the server. */
export interface Neighbour {
  /** All it has said so far. */
  said(): string;
  stop(): Promise<void>;
}

const examples = new URL("../../docs/guides/examples/", import.meta.url);
/** Who runs what refuses to be root: the user whom every system has. */
const nobody = 65_534;
const readyMsMax = 20_000;

/** The program's file, or undefined where it is not installed. */
export function findProgram(name: string): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"];
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
}

/**
 * Why tests with this program are skipped, or undefined where they run. Said on stderr, so that
 * nobody takes a run without them for one with them.
 */
export function whySkipped(name: string): string | undefined {
  if (findProgram(name) !== undefined) return undefined;
  const reason = `${name} is not installed; as root: scripts/install-neighbours.sh`;
  process.stderr.write(`skipped: tests with ${name}: ${reason}\n`);
  return reason;
}

/**
 * A guide's example, with this test's addresses and files in place of the example's; a test holds
 * by it that what guides show is what was run.
 *
 * @throws where the example has nothing of what is to be replaced
 */
export function fillExample(name: string, replaced: Readonly<Record<string, string>>): string {
  let text = readFileSync(fileURLToPath(new URL(name, examples)), "utf8");
  for (const [from, to] of Object.entries(replaced)) {
    if (!text.includes(from)) throw new Error(`the example ${name} has no ${from}`);
    text = text.replaceAll(from, to);
  }
  return text;
}

/** A folder with the files of one neighbour, closed to others. */
export function createFolder(files: Readonly<Record<string, string>>): {
  readonly path: string;
  remove(): void;
} {
  const path = mkdtempSync(join(tmpdir(), "tidemark-neighbour-"));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(path, nobody, nobody);
  for (const [name, text] of Object.entries(files)) {
    const file = join(path, name);
    writeFileSync(file, text, { mode: 0o600 });
    if (isRoot) chownSync(file, nobody, nobody);
  }
  return {
    path,
    remove: () => {
      rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Starts a program as an ordinary user, and waits until its port takes connections. */
export async function startNeighbour(running: {
  readonly name: string;
  readonly args: readonly string[];
  readonly port: number;
  readonly env?: Readonly<Record<string, string>>;
}): Promise<Neighbour> {
  const { name, args, port, env = {} } = running;
  const isRoot = process.getuid?.() === 0;
  const child = spawn(findProgram(name) ?? name, args, {
    env: { PATH: process.env["PATH"] ?? "", ...env },
    cwd: "/",
    stdio: ["ignore", "pipe", "pipe"],
    ...(isRoot ? { uid: nobody, gid: nobody } : {}),
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
  }
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => {
      resolve();
    });
  });
  const until = Date.now() + readyMsMax;
  while (!(await takesConnections(port))) {
    if (child.exitCode !== null || Date.now() > until) {
      child.kill("SIGKILL");
      throw new Error(`${name} does not listen: ${text}`);
    }
    await sleep(50);
  }
  return {
    said: () => text,
    stop: async () => {
      child.kill("SIGINT");
      const late = setTimeout(() => child.kill("SIGKILL"), 5_000);
      await ended;
      clearTimeout(late);
    },
  };
}

async function takesConnections(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => {
      resolve(false);
    });
  });
}
