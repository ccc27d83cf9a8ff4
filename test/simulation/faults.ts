import type { Tape } from "./tape.ts";
import { faultShares } from "./world-mix.ts";

/** Every kind of fault. Rates are per thousand of the chances that the kind has. */
export const faultKinds = [
  // On the way, per request.
  "dropRequest",
  "dropAnswer",
  "duplicate",
  "delay",
  "cutRequest",
  "cutAnswer",
  "captivePortal",
  "busyServer",
  "blackHole",
  // On a stream of pokes.
  "silentStream",
  "cutStream",
  // In the server, per commit.
  "crashBeforeCommit",
  "crashAfterCommit",
  "unknownCommit",
  "lostCommit",
  "slowCommit",
  // Per action of the world.
  "clientCrash",
  "databaseBusy",
  "diskFull",
  "clockJump",
  "serverRestart",
  "serverRestore",
  "homeRestore",
  "homeClone",
  "memberChange",
  "deviceRevoked",
  "indexDamage",
  "isolation",
  "serverBackup",
  "homeBackup",
  "longPause",
  // Once per device: the server is a version later than it.
  "olderClient",
  // Per answer to a push: a replica that was not upgraded yet tells of no advance.
  "olderReplica",
] as const;

export type FaultKind = (typeof faultKinds)[number];

/** How often each kind happens in one run. */
export type Faults = Readonly<Record<FaultKind, number>>;

/** Backups are no fault, and needed before anything can be restored. */
const always: Partial<Record<FaultKind, number>> = {
  serverBackup: 150,
  homeBackup: 150,
};

/** Kinds whose every case costs many rounds. */
const rare: ReadonlySet<FaultKind> = new Set([
  "serverRestore",
  "homeRestore",
  "homeClone",
  "deviceRevoked",
  "memberChange",
  "longPause",
]);

/** Draws which kinds this run has, and how much of each: most runs have few, some have all. */
export function drawFaults(tape: Tape): Faults {
  const share = tape.pick(faultShares);
  const rates = faultKinds.map((kind) => {
    const fixed = always[kind];
    if (fixed !== undefined) return [kind, fixed];
    if (!tape.chance(share)) return [kind, 0];
    if (kind === "olderClient") return [kind, 400];
    if (kind === "olderReplica") return [kind, tape.pick([300, 1_000])];
    return [kind, rare.has(kind) ? tape.pick([25, 60, 120, 120]) : tape.pick([15, 50, 120, 250])];
  });
  return Object.fromEntries(rates) as Faults;
}

/** No faults at all, as after the storm. */
export const calm: Faults = Object.fromEntries(faultKinds.map((kind) => [kind, 0])) as Faults;
