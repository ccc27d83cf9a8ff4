import { readdir, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { fail, ok, type Result } from "@tidemark/protocol";
import type { Clock } from "./clock.ts";
import { createPrivateFile, isErrno, makePrivateDir } from "./files.ts";
import { sha256Hex } from "./hash.ts";
import { processPlace, processStartMark } from "./process-facts.ts";
import type { Random } from "./random.ts";
import type { Timers } from "./timers.ts";

/**
 * One server a data directory.
 *
 * Node has no flock, and an "unlink the stale file, create mine" lock lets two late comers both
 * win. So each contender first puts down a claim of its own, an empty file whose *name* says who it
 * is and is never used twice, and only then looks at the others: of two contenders at least one
 * sees the other. A dead process's claim can be removed by anybody, at any time, without harm.
 */
export interface DataDirLock {
  /** Gives the folder free. */
  release(): Promise<void>;
}

/** Who holds the folder. */
export interface DataDirInUse {
  readonly kind: "data-dir-in-use";
  /** The holder, or undefined when it runs in another container or on another machine. */
  readonly pid: number | undefined;
}

/** What the lock needs from outside. */
export interface DataDirLockDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly timers: Timers;
}

/** How often a holder shows that it lives, in milliseconds. */
const heartbeatMs = 5_000;
/** A claim from another container or machine counts as dead after this silence, in milliseconds. */
const silenceMsMax = 20_000;
/** Contenders that meet step back and try again so many times; a holder is never waited out. */
const attemptsMax = 4;

/** Takes the data directory for this process, or says who has it (PG21). Creates the folder. */
export async function lockDataDir(
  deps: DataDirLockDeps,
  dataDir: string,
): Promise<Result<DataDirLock, DataDirInUse>> {
  const dir = join(dataDir, "lock");
  await makePrivateDir(dir);
  const place = await placeMark(dir);
  for (let attempt = 1; ; attempt += 1) {
    const claim = await putClaim(deps, { dir, place });
    const rival = await findRival(deps, { dir, place }, claim);
    if (rival === undefined) return ok(holdClaim(deps, join(dir, claim)));
    await rm(join(dir, claim), { force: true });
    if (attempt === attemptsMax) return fail({ kind: "data-dir-in-use", pid: rival.pid });
    const [jitter = 0] = deps.random.bytes(1);
    await deps.timers.sleep(50 + jitter);
  }
}

/** The folder of the claims, and what a claim made here for it names. */
interface ClaimPlace {
  readonly dir: string;
  readonly place: string;
}

async function putClaim(deps: DataDirLockDeps, { dir, place }: ClaimPlace): Promise<string> {
  const mark = await processStartMark(process.pid);
  const unique = Buffer.from(deps.random.bytes(8)).toString("hex");
  const claim = [process.pid, mark ?? "unknown", place, unique].join(".");
  await createPrivateFile(join(dir, claim), "");
  return claim;
}

async function findRival(
  deps: DataDirLockDeps,
  { dir, place: ownPlace }: ClaimPlace,
  own: string,
): Promise<{ pid: number | undefined } | undefined> {
  for (const claim of await readdir(dir)) {
    if (claim === own) continue;
    const [pid, mark, place] = claim.split(".");
    const isHere = place === ownPlace;
    const isAlive = isHere
      ? (await processStartMark(Number(pid))) === mark
      : await isFresh(deps, join(dir, claim));
    if (isAlive) return { pid: isHere ? Number(pid) : undefined };
    await rm(join(dir, claim), { force: true });
  }
  return undefined;
}

async function isFresh(deps: DataDirLockDeps, path: string): Promise<boolean> {
  try {
    return deps.clock.nowMs() - (await stat(path)).mtimeMs < silenceMsMax;
  } catch (cause) {
    if (isErrno(cause, "ENOENT")) return false;
    throw cause;
  }
}

function holdClaim(deps: DataDirLockDeps, path: string): DataDirLock {
  const stop = deps.timers.every(heartbeatMs, () => {
    const atS = deps.clock.nowMs() / 1000;
    // A missed beat matters only to rivals elsewhere, and the next one mends it.
    utimes(path, atS, atS).catch(() => {});
  });
  return {
    release: async () => {
      stop();
      await rm(path, { force: true });
    },
  };
}

/** A copy of the folder holds claims on the original, whose server may well live (PG40). */
async function placeMark(dir: string): Promise<string> {
  const { ino } = await stat(dir, { bigint: true });
  return sha256Hex(`${processPlace()}/${ino}`).slice(0, 16);
}
