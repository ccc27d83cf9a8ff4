import {
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  utimesSync,
} from "node:fs";
import { join } from "node:path";
import { fail, ok, type Result } from "@tidemark/protocol";
import type { Clock } from "./clock.ts";
import { createPrivateFile } from "./private-file.ts";
import type { Random } from "./random.ts";
import type { Timers } from "./timers.ts";

/**
 * One driver of the sync engine a home (OPS45).
 *
 * Node has no flock, and "remove the stale file, create mine" lets two late comers both win. So
 * each contender first puts down a claim of its own, an empty file whose name says who it is and is
 * never used twice, and only then looks at the others: of two contenders at least one sees the
 * other. A dead process's claim may be removed by anybody at any time without harm.
 */
export interface SyncLock {
  /** Lets others drive. */
  release(): void;
}

/** Somebody else drives; `pid` where it can be told. */
export interface SyncLockHeld {
  readonly kind: "held";
  readonly pid: number | undefined;
  /** No claim could be put down, as on a full disk: whether anybody drives was not asked. */
  readonly isUnwritable?: true;
}

/** How often a driver shows that it lives, in milliseconds. */
const heartbeatMs = 5_000;
/** A claim from elsewhere (a container, a network disk) is dead after this silence. */
const silenceMsMax = 30_000;
/** Contenders that meet step back and come again so many times. */
const attemptsMax = 3;

/** Takes the right to drive the sync engine, or says who has it; never waits for a holder. */
export function takeSyncLock(
  deps: { readonly clock: Clock; readonly random: Random; readonly timers: Timers },
  folder: string,
): Result<SyncLock, SyncLockHeld> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (let attempt = 1; ; attempt += 1) {
    const [jitter = 0] = deps.random.bytes(1);
    const unique = Buffer.from(deps.random.bytes(8)).toString("hex");
    const claim = [process.pid, startMark(process.pid) ?? "unknown", placeMark(), unique].join(".");
    const path = join(folder, claim);
    const put = createPrivateFile(path, "");
    if (!put.ok) return fail({ kind: "held", pid: undefined, isUnwritable: true });
    const rival = findRival(deps.clock, folder, claim);
    if (rival === undefined) return ok(hold(deps, path));
    rmSync(path, { force: true });
    if (attempt === attemptsMax) return fail({ kind: "held", pid: rival.pid });
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1 + (jitter >> 3));
  }
}

/** Whether somebody drives the sync engine now. Costs one folder listing. */
export function isSyncLockHeld(clock: Clock, folder: string): boolean {
  try {
    return findRival(clock, folder, undefined) !== undefined;
  } catch {
    return false;
  }
}

function hold(deps: { readonly clock: Clock; readonly timers: Timers }, path: string): SyncLock {
  const stop = deps.timers.every(heartbeatMs, () => {
    const atS = deps.clock.nowMs() / 1000;
    try {
      utimesSync(path, atS, atS);
    } catch {
      // A missed beat matters only to rivals elsewhere, and the next one mends it.
    }
  });
  return {
    release: () => {
      stop();
      rmSync(path, { force: true });
    },
  };
}

function findRival(
  clock: Clock,
  folder: string,
  own: string | undefined,
): { readonly pid: number | undefined } | undefined {
  for (const claim of readdirSync(folder)) {
    if (claim === own) continue;
    const [pid = "", mark, place] = claim.split(".");
    const isHere = place === placeMark();
    const isAlive = isHere
      ? isRunning(Number(pid), mark)
      : Math.abs(clock.nowMs() - lastBeatMs(join(folder, claim))) < silenceMsMax;
    if (isAlive) return { pid: isHere ? Number(pid) : undefined };
    rmSync(join(folder, claim), { force: true });
  }
  return undefined;
}

function lastBeatMs(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function isRunning(pid: number, mark: string | undefined): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  const now = startMark(pid);
  if (now !== undefined) return now === mark;
  if (process.platform === "linux") return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** When a process started, in the kernel's ticks, so that a reused pid is not taken for the old. */
function startMark(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field, the program's name, may hold spaces and parentheses.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}

/** The same for processes that see one another's pids. */
function placeMark(): string {
  try {
    const space = /\d+/u.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "";
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").slice(0, 8);
    return `${boot}-${space}`;
  } catch {
    return process.platform;
  }
}
