/** Child processes with time limits; each is ended by its own id. */
import { spawn, type ChildProcess } from "node:child_process";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import type { ProcessorTime, Step } from "./peer.ts";
import { endedChildrenSeconds, serverSeconds, type ServerSeconds } from "./processor-time.ts";

const startMsMax = 60_000;
const runMsMax = 600_000;
const stopMsMax = 20_000;
const tailLength = 2_000;

/** What a child process is started with. */
export interface Command {
  /** Arguments of Node: flags, program, its arguments. */
  readonly args: readonly string[];
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
}

const running = new Set<ChildProcess>();

/**
 * From here on the first signal to stop ends whatever runs, so that the work that waits for it
 * fails and clears up after itself; a second one ends this process at once. The signal returned
 * says that it is time to go.
 */
export function stopOnSignals(): AbortSignal {
  const stop = new AbortController();
  const onSignal = (): void => {
    if (stop.signal.aborted) process.exit(130);
    stop.abort();
    for (const child of running) child.kill("SIGTERM");
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, onSignal);
  return stop.signal;
}

/** A server that has said it listens. */
export interface Server {
  readonly pid: number;
  /** What `ready` has found in its output. */
  readonly told: string;
  stop(): Promise<void>;
}

/** Starts a server and waits until `ready` finds what it looks for in the output. */
export async function startServer(
  command: Command,
  ready: (output: string) => string | undefined,
): Promise<Server> {
  const child = spawnNode(command);
  const { pid } = child;
  const output = gather(child);
  const ended = endOf(child);
  let timer: NodeJS.Timeout | undefined;
  const told = new Promise<string>((resolve) => {
    const look = (): void => {
      const found = ready(output.all());
      if (found !== undefined) resolve(found);
    };
    child.stdout?.on("data", look);
    child.stderr?.on("data", look);
  });
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), startMsMax);
  });
  const found = await Promise.race([told, late, ended.then(() => undefined)]);
  clearTimeout(timer);
  const stop = async (): Promise<void> => await stopChild(child, ended);
  if (found !== undefined && pid !== undefined) {
    output.stopGathering();
    return { pid, told: found, stop };
  }
  await stop();
  throw new Error(`the server did not start: ${output.tail()}`);
}

/** Runs a program to its end and returns what it printed; throws when it fails or takes too long. */
export async function runProgram(command: Command): Promise<string> {
  const child = spawnNode(command);
  const output = gather(child);
  const ended = endOf(child);
  const timer = setTimeout(() => child.kill("SIGKILL"), runMsMax);
  const code = await ended;
  clearTimeout(timer);
  if (code !== 0) {
    throw new Error(`${command.args.join(" ").slice(0, 200)} ended with ${code}: ${output.tail()}`);
  }
  return output.stdout();
}

/**
 * Runs a client and measures it together with the server below `serverPid`. A client of ours says
 * on its last line what its work took; another one's output is left alone.
 */
export async function measureProgram(
  command: Command,
  serverPid: number,
  saysWork: boolean,
): Promise<Step> {
  const serverBefore = serverSeconds(serverPid);
  const clientBefore = endedChildrenSeconds() ?? 0;
  const started = process.hrtime.bigint();
  const stdout = await runProgram(command);
  const wall = Number(process.hrtime.bigint() - started) / 1e9;
  const client = (endedChildrenSeconds() ?? 0) - clientBefore;
  const serverAfter = serverSeconds(serverPid);
  const cpuWith = (seconds: number): ProcessorTime | undefined =>
    serverBefore && serverAfter ? processorTime(seconds, serverBefore, serverAfter) : undefined;
  const program = { wall, cpu: cpuWith(client) };
  if (!saysWork) return { program, work: undefined };
  const work = JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as {
    readonly wall: number;
    readonly cpu: number;
  };
  return { program, work: { wall: work.wall, cpu: cpuWith(work.cpu) } };
}

function processorTime(client: number, before: ServerSeconds, after: ServerSeconds): ProcessorTime {
  const server = after.own - before.own;
  const database = after.below - before.below;
  return { client, server, database, total: client + server + database };
}

/** A port of the loopback that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  return port;
}

function spawnNode({ args, folder, env = {} }: Command): ChildProcess {
  const child = spawn(process.execPath, args, {
    cwd: folder,
    // Nothing of the caller's settings may reach what is measured.
    env: { PATH: process.env["PATH"], HOME: folder, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  child.once("close", () => running.delete(child));
  return child;
}

async function endOf(child: ChildProcess): Promise<number | string> {
  return await new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code, signal) => resolve(code ?? signal ?? "no code"));
  });
}

async function stopChild(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  const timer = setTimeout(() => child.kill("SIGKILL"), stopMsMax);
  child.kill("SIGTERM");
  await ended;
  clearTimeout(timer);
}

function gather(child: ChildProcess) {
  let out = "";
  let err = "";
  let isGathering = true;
  child.stdout?.on("data", (chunk: Buffer) => {
    if (isGathering) out += chunk.toString("utf8");
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    if (isGathering) err += chunk.toString("utf8");
  });
  return {
    stdout: () => out,
    all: () => `${out}${err}`,
    tail: () => `${out}\n${err}`.trim().slice(-tailLength),
    /** From here on output is read and dropped, so that the child never waits for a reader. */
    stopGathering: () => {
      isGathering = false;
    },
  };
}
