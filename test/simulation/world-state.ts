import type { Faults, FaultKind } from "./faults.ts";
import type { Tape } from "./tape.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** What all parts of one run share. */
export interface Run {
  readonly tape: Tape;
  readonly time: VirtualTime;
  /** The rates in force: the run's own, and none once the storm is over. */
  faults: Faults;
  /** Whether everybody writes to one field of one record, so that changes meet. */
  isCrowded: boolean;
  /** Faults that had an effect, by kind. */
  readonly struck: Map<FaultKind, number>;
  /** Crash points that were hit, such as `push:commit`. */
  readonly crashPoints: Map<string, number>;
  /** Why pulls asked for a heal, such as `digest`. */
  readonly healReasons: Set<string>;
  /** Adds a line to the trace, whose hash two runs of one seed must share. */
  trace(line: string): void;
  /** Notes that a promise was broken; the first counts. */
  broken(rule: string, what: string): void;
}

/** Whether a fault strikes here; counts it. */
export function strikes(run: Run, kind: FaultKind): boolean {
  if (!run.tape.chance(run.faults[kind])) return false;
  strike(run, kind);
  return true;
}

/** Counts a fault that strikes here whatever the rates say. */
export function strike(run: Run, kind: FaultKind): void {
  run.struck.set(kind, (run.struck.get(kind) ?? 0) + 1);
  run.trace(`fault ${kind}`);
}
