import { execFile } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { promisify } from "node:util";

/**
 * A text that tells this run of a process from any other with the same pid, or undefined when no
 * such process runs. On Linux it is the start time in clock ticks since boot; elsewhere what `ps`
 * prints. A process that is dead and only not yet collected counts as gone.
 */
export async function processStartMark(pid: number): Promise<string | undefined> {
  if (process.platform === "linux") return await linuxStartMark(pid);
  if (process.platform === "win32") return isRunning(pid) ? "running" : undefined;
  const started = await psColumn(pid, "lstart=");
  return started?.replaceAll(/[^0-9A-Za-z]+/g, "-");
}

/** The command line of a process, arguments joined by blanks, or undefined if it cannot be read. */
export async function processCommand(pid: number): Promise<string | undefined> {
  if (process.platform !== "linux") return await psColumn(pid, "command=");
  try {
    const line = await readFile(`/proc/${pid}/cmdline`, "utf8");
    return line.replaceAll("\0", " ").trim();
  } catch {
    return undefined;
  }
}

/** The folder a process stands in; undefined if it cannot be read, and always outside Linux. */
export function processFolder(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

/**
 * The program name of a dead process that its parent has not collected yet, or undefined for
 * anything else. Linux only: elsewhere always undefined.
 */
export async function uncollectedProgram(pid: number): Promise<string | undefined> {
  const stat = await readStat(pid);
  return stat?.isDead === true ? stat.name : undefined;
}

/** The processes that stand in a folder, as far as this user may see. Linux only. */
export async function processesIn(folder: string): Promise<readonly number[]> {
  const names = await readdir("/proc").catch(() => []);
  const pids = names.map(Number).filter(Number.isInteger);
  return pids.filter((pid) => processFolder(pid) === folder);
}

/**
 * Names the place in which pids mean something: host, boot and pid namespace. Two containers on
 * one volume differ here, and so does a machine before and after a reboot.
 */
export function processPlace(): string {
  return [hostname(), bootId(), pidNamespace()].join("/");
}

function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "";
  }
}

function pidNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}

async function linuxStartMark(pid: number): Promise<string | undefined> {
  const stat = await readStat(pid);
  return stat === undefined || stat.isDead ? undefined : stat.startMark;
}

async function readStat(
  pid: number,
): Promise<{ name: string; isDead: boolean; startMark: string | undefined } | undefined> {
  let stat: string;
  try {
    stat = await readFile(`/proc/${pid}/stat`, "utf8");
  } catch {
    return undefined;
  }
  // The second field is the program's name in parentheses and may hold blanks and parentheses.
  const nameEnd = stat.lastIndexOf(")");
  const fields = stat.slice(nameEnd + 2).split(" ");
  return {
    name: stat.slice(stat.indexOf("(") + 1, nameEnd),
    isDead: fields[0] === "Z" || fields[0] === "X",
    startMark: fields[19],
  };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function psColumn(pid: number, column: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)("ps", ["-o", column, "-p", String(pid)]);
    const text = stdout.trim();
    return text === "" ? undefined : text;
  } catch {
    return undefined;
  }
}
