import { readdirSync, readFileSync } from "node:fs";

/** Linux tells times of processes in hundredths of a second, whatever its own clock does. */
const ticksPerSecond = 100;

interface ProcessTimes {
  readonly parent: number;
  /** Of the process itself, in ticks. */
  readonly own: number;
  /** Of its children that have ended, and of theirs, in ticks. */
  readonly ended: number;
}

/** Processor seconds of a server so far. */
export interface ServerSeconds {
  readonly own: number;
  /** Of all processes below it, those that ended included; PostgreSQL's are there. */
  readonly below: number;
}

/** What a server and all below it have used so far. Undefined where `/proc` is missing. */
export function serverSeconds(root: number): ServerSeconds | undefined {
  const all = allProcesses();
  if (all === undefined) return undefined;
  const isBelow = (pid: number): boolean => {
    for (let at = all.get(pid)?.parent ?? 0; at > 1; at = all.get(at)?.parent ?? 0) {
      if (at === root) return true;
    }
    return false;
  };
  const server = all.get(root);
  let below = server?.ended ?? 0;
  for (const [pid, { own, ended }] of all) if (isBelow(pid)) below += own + ended;
  return { own: (server?.own ?? 0) / ticksPerSecond, below: below / ticksPerSecond };
}

/** Processor seconds of this process's children that have ended. */
export function endedChildrenSeconds(): number | undefined {
  const times = timesOf("self");
  return times === undefined ? undefined : times.ended / ticksPerSecond;
}

function allProcesses(): ReadonlyMap<number, ProcessTimes> | undefined {
  if (process.platform !== "linux") return undefined;
  const found = new Map<number, ProcessTimes>();
  for (const name of readdirSync("/proc")) {
    const times = /^\d+$/u.test(name) ? timesOf(name) : undefined;
    if (times !== undefined) found.set(Number(name), times);
  }
  return found;
}

function timesOf(pid: string): ProcessTimes | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name, in parentheses, may hold anything: what follows the last of them is numbers.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const field = (number: number): number => Number(fields[number - 3]);
    return { parent: field(4), own: field(14) + field(15), ended: field(16) + field(17) };
  } catch {
    // It ended while the others were read.
    return undefined;
  }
}
