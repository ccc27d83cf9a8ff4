import { mkdirSync } from "node:fs";
import { builtin } from "./builtin.ts";
import { endWithUs } from "./end-with-us.ts";
import type { Environment } from "./paths.ts";

/** A program to run, and how much of everything it may take. */
export interface BoundedRun {
  /** The program and its arguments; no shell sees them. */
  readonly words: readonly string[];
  readonly stdin: string;
  readonly env: Environment;
  /** The folder that it runs in; made where it is missing. */
  readonly folder: string;
  readonly msMax: number;
  readonly outputBytesMax: number;
  /** Ends it before its time. */
  readonly signal: AbortSignal;
}

/** How it ended. */
export type BoundedEnd =
  | { readonly kind: "ended"; readonly code: number | null; readonly stdout: string }
  | { readonly kind: "not-there" | "timed-out" | "too-much" | "stopped" };

/**
 * Runs a program to its end or to its bounds, whichever comes first (SM3). It leads a group of
 * processes of its own, and the group ends with it, and with this program: what it has started does
 * not go on alone.
 */
export function runBounded(run: BoundedRun): Promise<BoundedEnd> {
  return new Promise((resolve) => {
    const child = startChild(run);
    if (child === undefined) {
      resolve({ kind: "not-there" });
      return;
    }
    const release = child.pid === undefined ? undefined : endWithUs(child.pid);
    const chunks: Buffer[] = [];
    let bytes = 0;
    const end = (how: BoundedEnd): void => {
      clearTimeout(timer);
      run.signal.removeEventListener("abort", onAbort);
      endGroup(child);
      release?.();
      // Whoever still holds the other end of it is waited for no longer.
      child.stdout.destroy();
      resolve(how);
    };
    const onAbort = (): void => {
      end({ kind: "stopped" });
    };
    const timer = setTimeout(() => {
      end({ kind: "timed-out" });
    }, run.msMax);
    run.signal.addEventListener("abort", onAbort, { once: true });
    child.stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > run.outputBytesMax) end({ kind: "too-much" });
      else chunks.push(chunk);
    });
    child.once("error", () => {
      end({ kind: "not-there" });
    });
    child.once("exit", () => {
      endGroup(child);
    });
    child.once("close", (code) => {
      end({ kind: "ended", code, stdout: Buffer.concat(chunks).toString("utf8") });
    });
    // A program may answer without reading to the end.
    child.stdin.on("error", () => undefined);
    child.stdin.end(run.stdin);
    if (run.signal.aborted) onAbort();
  });
}

type Child = NonNullable<ReturnType<typeof startChild>>;

function startChild({ words, env, folder }: BoundedRun) {
  const [program = "", ...args] = words;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return builtin.childProcess().spawn(program, args, {
      cwd: folder,
      env: { ...env },
      // What it says to people, nobody is there to read.
      stdio: ["pipe", "pipe", "ignore"],
      detached: process.platform !== "win32",
      windowsHide: true,
    });
  } catch {
    return undefined;
  }
}

function endGroup(child: Child): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill("SIGKILL");
    else process.kill(-child.pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
