import { readFileSync, readdirSync } from "node:fs";

/** Ticks of a second in `/proc`; Linux has told programs this number on every machine for decades. */
const ticksPerSecond = 100;

interface Stat {
  readonly parent: number;
  readonly own: number;
  /** Of children that have ended and were waited for. */
  readonly ended: number;
}

/** CPU seconds since their start: of one process, and of everything below it. */
export interface TreeCpu {
  readonly root: number;
  readonly below: number;
}

/**
 * CPU seconds of a process and of all below it, those that have ended included: of a server's
 * program and of its PostgreSQL with all backends. Two readings make a cost.
 */
export function treeCpu(root: number): TreeCpu {
  const stats = new Map<number, Stat>();
  for (const name of readdirSync("/proc")) {
    const stat = /^\d+$/.test(name) ? readStat(name) : undefined;
    if (stat !== undefined) stats.set(Number(name), stat);
  }
  const top = stats.get(root);
  if (top === undefined) return { root: 0, below: 0 };
  const children = new Map<number, number[]>();
  for (const [pid, { parent }] of stats)
    children.set(parent, [...(children.get(parent) ?? []), pid]);
  let below = top.ended;
  const open = [...(children.get(root) ?? [])];
  for (let pid = open.pop(); pid !== undefined; pid = open.pop()) {
    const stat = stats.get(pid);
    below += (stat?.own ?? 0) + (stat?.ended ?? 0);
    open.push(...(children.get(pid) ?? []));
  }
  return { root: top.own, below };
}

/** CPU seconds of one process alone; undefined once it has ended. */
export function processCpu(pid: number): number | undefined {
  return readStat(String(pid))?.own;
}

/** CPU seconds of all children of this process that have ended. */
export function endedChildrenCpu(): number {
  return readStat("self")?.ended ?? 0;
}

/** The most memory that a process ever held, in bytes; undefined once it has ended. */
export function peakRssBytes(pid: number): number | undefined {
  const kilobytes = /VmHWM:\s+(\d+) kB/.exec(readText(`/proc/${pid}/status`))?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

/** The memory that a process holds, in bytes; undefined once it has ended. */
export function rssBytes(pid: number): number | undefined {
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readText(`/proc/${pid}/status`))?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

function readStat(pid: string): Stat | undefined {
  const text = readText(`/proc/${pid}/stat`);
  // The name stands in brackets and may hold anything, brackets and spaces too.
  const fields = text
    .slice(text.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
  const [, parent, , , , , , , , , , user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields;
  if (parent === undefined) return undefined;
  return {
    parent,
    own: (user + system) / ticksPerSecond,
    ended: (endedUser + endedSystem) / ticksPerSecond,
  };
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
