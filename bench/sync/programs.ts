import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { secondsSince } from "../measure/numbers.ts";
import { endedChildrenCpu, peakRssBytes, processCpu, treeCpu } from "../measure/processes.ts";

/** The built client. */
export const clientProgram: string = fileURLToPath(
  new URL("../../apps/client/dist/main.js", import.meta.url),
);
const server = fileURLToPath(new URL("../../apps/server/dist/main.js", import.meta.url));
const outputBytesMax = 256 * 1024 * 1024;

/** Where `--profile` wants the CPU profiles of the programs, one folder a program. */
const profiles: { folder?: string } = {};

/** Has every program write a CPU profile into a folder of its own below this one. */
export function profileInto(folder: string): void {
  profiles.folder = folder;
}

/** What Node is told so that a program which is to be looked into leaves its profile. */
export function nodeArgs(name: string): readonly string[] {
  const { folder } = profiles;
  return folder === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${join(folder, name)}`];
}

/** The environment of a client whose folders lie in `home`. */
export function clientEnv(home: string): NodeJS.ProcessEnv {
  const TIDEMARK_HOME = join(home, "tidemark");
  return { PATH: process.env["PATH"], HOME: home, TIDEMARK_HOME, TIDEMARK_KEYCHAIN: "off" };
}

/** Where a home's database is. */
export function databaseOf(home: string): string {
  return join(home, "tidemark", "tidemark.db");
}

/** Runs the built `tidemark` in a home of its own; throws when it fails. */
export function tidemark(home: string, args: readonly string[]): string {
  const run = spawnSync(process.execPath, [clientProgram, ...args], {
    cwd: home,
    encoding: "utf8",
    env: clientEnv(home),
    maxBuffer: outputBytesMax,
  });
  if (run.status !== 0) {
    throw new Error(
      `tidemark ${args[0]} failed (${run.status ?? run.signal}): ${run.stdout}${run.stderr}`,
    );
  }
  return run.stdout;
}

/** What a run of a program cost. */
export interface ProgramCost {
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  readonly peakRssBytes: number;
}

/** How a measured run is watched. */
export interface Watching {
  /** Names the profile. */
  readonly name: string;
  /** Asked about every 20 milliseconds until it says yes; the moment is told in the result. */
  readonly until?: () => boolean;
}

/** A run and, where `until` came true before its end, what it had cost by then. */
export interface MeasuredRun extends ProgramCost {
  readonly stdout: string;
  readonly reached: ReachedMoment | undefined;
}

/** The moment at which `until` came true. */
export interface ReachedMoment {
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  /** Told by the caller's clock, so that other processes can be read at the same moment. */
  readonly at: bigint;
}

const watchEveryMs = 20;

/** Runs the built `tidemark` and measures it, its start included. One at a time. */
export async function measureTidemark(
  home: string,
  args: readonly string[],
  watching: Watching,
): Promise<MeasuredRun> {
  const endedBefore = endedChildrenCpu();
  const started = process.hrtime.bigint();
  const child = spawn(process.execPath, [...nodeArgs(watching.name), clientProgram, ...args], {
    cwd: home,
    env: clientEnv(home),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString("utf8")));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString("utf8")));
  let peak = 0;
  let reached: ReachedMoment | undefined;
  const watch = setInterval(() => {
    const pid = child.pid ?? 0;
    peak = Math.max(peak, peakRssBytes(pid) ?? 0);
    if (reached !== undefined || watching.until?.() !== true) return;
    const cpuSeconds = processCpu(pid) ?? 0;
    reached = { wallSeconds: secondsSince(started), cpuSeconds, at: process.hrtime.bigint() };
  }, watchEveryMs);
  const code = await new Promise<number | null>((resolve) => child.once("exit", resolve));
  const wallSeconds = secondsSince(started);
  clearInterval(watch);
  if (reached === undefined && watching.until?.() === true) {
    // It came true after the last look: on a machine with other work a whole end fits in between.
    const cpuSeconds = endedChildrenCpu() - endedBefore;
    reached = { wallSeconds, cpuSeconds, at: process.hrtime.bigint() };
  }
  if (code !== 0) throw new Error(`tidemark ${args[0]} failed (${code}): ${stdout}${stderr}`);
  const cpuSeconds = endedChildrenCpu() - endedBefore;
  return { stdout, wallSeconds, cpuSeconds, peakRssBytes: peak, reached };
}

/** A running `tidemark-server` on its embedded database. */
export interface RunningServer {
  readonly pid: number;
  readonly setupLink: string;
  /** CPU seconds so far, of the program and of its PostgreSQL. */
  cpu(): { readonly program: number; readonly postgres: number };
  peakRssBytes(): number;
  stop(): Promise<void>;
}

/** Starts the built server on a free port and waits for its setup link. */
export async function startServer(
  dataDir: string,
  more: readonly string[] = [],
): Promise<RunningServer> {
  const serve = ["serve", "--data-dir", dataDir, "--port", "0", ...more];
  const args = [...nodeArgs("server"), server, ...serve];
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
  const pid = child.pid ?? 0;
  return {
    pid,
    setupLink,
    cpu: () => {
      const { root, below } = treeCpu(pid);
      return { program: root, postgres: below };
    },
    peakRssBytes: () => peakRssBytes(pid) ?? 0,
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
