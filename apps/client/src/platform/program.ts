import { realpathSync, writeSync } from "node:fs";
import { builtin } from "./builtin.ts";
import { errnoOf } from "./errno.ts";
import type { Environment } from "./paths.ts";
import { terminalOf, type Terminal } from "./terminal.ts";

/** Arguments after the program's own path. */
export function programArguments(): readonly string[] {
  return process.argv.slice(2);
}

/** Environment variables of this process. */
export function environment(): Environment {
  return process.env;
}

/** The working folder; undefined where it was removed. */
export function workingDirectory(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

/** The machine's name, a device's first name. */
export function hostName(): string {
  return builtin.os().hostname();
}

/** The name that this user signs in with; undefined where the system has none. */
export function userName(): string | undefined {
  try {
    return builtin.os().userInfo().username;
  } catch {
    // A container may run under a number that no name belongs to.
    return undefined;
  }
}

/** Operating system and architecture, such as `linux x64`. */
export function platformName(): string {
  return `${process.platform} ${process.arch}`;
}

/** The operating system's name, as Node calls it: `linux`, `darwin`, `win32`. */
export function systemName(): string {
  return process.platform;
}

/** Path of the Node.js that runs this. */
export function nodePath(): string {
  return process.execPath;
}

/** The person's home folder. */
export function userHome(env: Environment): string {
  return env["HOME"] ?? builtin.os().homedir();
}

/** Whether a person sits at standard input. */
export function hasPerson(): boolean {
  return process.stdin.isTTY;
}

/** What a program says could not be written, as on a full disk; `code` is the system's. */
export class OutputError extends Error {
  readonly code: string;

  constructor(code: string) {
    super(`standard output: ${code}`);
    this.code = code;
  }
}

/**
 * Writes a whole text to standard output before it returns; a reader that left is no error, and told
 * by false. Throws an {@link OutputError}.
 */
export function writeOut(text: string): boolean {
  try {
    return writeWhole(1, text);
  } catch (cause) {
    const code = errnoOf(cause);
    throw code === undefined ? cause : new OutputError(code);
  }
}

/** The same to standard error; where that takes nothing, there is nobody to be told. */
export function writeErr(text: string): void {
  try {
    writeWhole(2, text);
  } catch (cause) {
    if (errnoOf(cause) === undefined) throw cause;
  }
}

/** Sets the exit code; the program ends when nothing is left to do. */
export function setExitCode(code: number): void {
  process.exitCode = code;
}

/** Ends the program at once. */
export function exitNow(code: number): never {
  process.exit(code);
}

/** Files made from here on are the owner's alone, whatever the shell said. */
export function closeUmask(): void {
  process.umask(0o077);
}

function writeWhole(file: number, text: string): boolean {
  let bytes = Buffer.from(text, "utf8");
  while (bytes.length > 0) {
    const count = writeSome(file, bytes);
    if (count === undefined) return false;
    bytes = bytes.subarray(count);
  }
  return true;
}

function writeSome(file: number, bytes: Buffer): number | undefined {
  try {
    return writeSync(file, bytes);
  } catch (cause) {
    const code = errnoOf(cause);
    if (code === "EPIPE" || code === "EBADF") return undefined;
    if (code !== "EAGAIN") throw cause;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    return 0;
  }
}

/** Path of the program that runs, with links followed. */
export function programPath(): string {
  const path = process.argv[1] ?? "";
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Describes what standard output and standard error end in. */
export function outputTerminals(env: Environment): {
  readonly out: Terminal;
  readonly err: Terminal;
} {
  return { out: terminalOf(process.stdout, env), err: terminalOf(process.stderr, env) };
}

/** Calls back once when standard input has ended. */
export function onStdinEnd(ended: () => void): void {
  process.stdin.once("end", ended);
  process.stdin.once("close", ended);
}

/** How often the parent is looked for, in milliseconds. */
const parentMs = 1_000;

/**
 * Calls back once when the process that started this one is gone: whoever it was, it can be told
 * nothing more, even where somebody else holds its end of the input.
 */
export function onParentGone(gone: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    gone();
  }, parentMs);
  timer.unref();
}
