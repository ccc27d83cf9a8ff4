import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fail, ok, type Result } from "@tidemark/protocol";
import type { Log } from "../log.ts";
import type { Timers } from "../timers.ts";
import type { Binaries } from "./binaries.ts";
import { type Endpoint, endpointSettings } from "./endpoint.ts";
import { type Folders, standIn } from "./folders.ts";
import { bareEnvironment, type RunAs, runProgram } from "./run-program.ts";

/** A running PostgreSQL. */
export interface Postmaster {
  readonly pid: number;
  /** Resolves with a description once it has ended, for whatever reason. */
  readonly ended: Promise<string>;
  /** Ends it: clients are cut off, everything committed stays (PG29). Idempotent. */
  stop(): Promise<void>;
}

/** What starting one needs. */
export interface PostmasterDeps {
  readonly log: Log;
  readonly timers: Timers;
  readonly binaries: Binaries;
  readonly folders: Folders;
  readonly endpoint: Endpoint;
  readonly runAs: RunAs | undefined;
  /** Settings on top of ours; tests switch fsync off. */
  readonly settings: Readonly<Record<string, string>>;
}

/** Longest wait for a clean end before PostgreSQL is told to drop everything, in milliseconds. */
const fastStopMsMax = 6_000;
/** Longest wait after that before it is killed, in milliseconds. */
const immediateStopMsMax = 1_500;
/** Replaying the log after a crash takes as long as it takes, up to this many milliseconds. */
const readyMsMax = 300_000;
/** Lines kept to explain a failed start. */
const tailLinesMax = 12;

const readyText = "database system is ready to accept connections";

/**
 * Starts PostgreSQL and waits until it takes connections; the error is what it said last.
 * Aborting ends one that is still on its way up.
 */
export async function startPostmaster(
  deps: PostmasterDeps,
  signal: AbortSignal,
): Promise<Result<Postmaster, string>> {
  const { folder, dataArgument } = standIn(deps.folders.cluster, deps.runAs);
  const settings = { ...fixedSettings, ...endpointSettings(deps.endpoint), ...deps.settings };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const child = spawn(deps.binaries.postgres, ["-D", dataArgument, ...flags], {
    cwd: folder,
    env: bareEnvironment(),
    stdio: ["ignore", "ignore", "pipe"],
    // A process group of its own: Ctrl-C in the terminal is for the server, which drains first.
    detached: true,
    ...deps.runAs,
  });
  const { ready, tail } = followLog(deps.log, child);
  const ended = endOf(child);
  takeAlong(child, ended);
  const giveUp = (): void => {
    child.kill("SIGINT");
  };
  signal.addEventListener("abort", giveUp, { once: true });
  const patience = new AbortController();
  const tooLong = deps.timers.sleep(readyMsMax, patience.signal).then(
    () => "not ready in time",
    () => "",
  );
  const outcome = await Promise.race([ready, ended, tooLong]);
  patience.abort(new Error("answered"));
  signal.removeEventListener("abort", giveUp);
  const { pid } = child;
  if (outcome === true && pid !== undefined) {
    return ok({ pid, ended, stop: createStop(deps, { child, pid, ended }) });
  }
  child.kill("SIGQUIT");
  return fail([...tail, String(outcome)].join("\n"));
}

/**
 * Small and safe. Errors of single statements stay out of the log: clients get them anyway, and
 * their texts quote values (OPS2).
 */
const fixedSettings: Readonly<Record<string, string>> = {
  max_connections: "60",
  shared_buffers: "128MB",
  fsync: "on",
  full_page_writes: "on",
  timezone: "UTC",
  log_timezone: "UTC",
  lc_messages: "C",
  logging_collector: "off",
  log_destination: "stderr",
  log_line_prefix: "",
  log_min_messages: "log",
  log_min_error_statement: "panic",
  log_error_verbosity: "terse",
  log_statement: "none",
  log_checkpoints: "off",
  password_encryption: "scram-sha-256",
};

function followLog(
  log: Log,
  child: ChildProcess,
): { readonly ready: Promise<true>; readonly tail: readonly string[] } {
  const tail: string[] = [];
  const ready = new Promise<true>((resolve) => {
    if (!child.stderr) return;
    createInterface({ input: child.stderr }).on("line", (line) => {
      tail.push(line);
      if (tail.length > tailLinesMax) tail.shift();
      if (/^(?:FATAL|PANIC):/.test(line)) log.warn("postgres", { line });
      // What it says of its daily life is for whoever looks for a fault.
      else log.debug("postgres", { line });
      if (line.includes(readyText)) resolve(true);
    });
  });
  return { ready, tail };
}

async function endOf(child: ChildProcess): Promise<string> {
  return await new Promise((resolve) => {
    child.on("error", (cause) => {
      resolve(cause.message);
    });
    child.on("exit", (code, signal) => {
      resolve(signal === null ? `exit code ${code ?? "unknown"}` : `signal ${signal}`);
    });
  });
}

/** A program that ends without draining takes its database along rather than leave an orphan (OPS117). */
function takeAlong(child: ChildProcess, ended: Promise<string>): void {
  const lastResort = (): void => {
    child.kill("SIGINT");
  };
  process.once("exit", lastResort);
  void ended.then(() => process.off("exit", lastResort));
}

function createStop(
  deps: PostmasterDeps,
  running: { child: ChildProcess; pid: number; ended: Promise<string> },
): () => Promise<void> {
  const { child, ended } = running;
  return async () => {
    if (process.platform === "win32") {
      // Windows has no signals; pg_ctl speaks to PostgreSQL through a pipe of its own.
      const args = ["stop", "-m", "fast", "-t", "6", "-D", deps.folders.cluster];
      await runProgram(deps.binaries.pgCtl, args, { folder: ".", runAs: undefined });
    } else child.kill("SIGINT");
    if (await endsWithin(deps.timers, ended, fastStopMsMax)) return;
    deps.log.warn("postgres-stop-slow", { pid: running.pid });
    child.kill("SIGQUIT");
    if (await endsWithin(deps.timers, ended, immediateStopMsMax)) return;
    child.kill("SIGKILL");
    await ended;
  };
}

async function endsWithin(timers: Timers, ended: Promise<string>, ms: number): Promise<boolean> {
  const settled = new AbortController();
  const limit = timers.sleep(ms, settled.signal).then(
    () => false,
    () => true,
  );
  const isEnded = await Promise.race([ended.then(() => true), limit]);
  settled.abort(new Error("ended"));
  return isEnded;
}
