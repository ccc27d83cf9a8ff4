import type { Replica } from "../store/replica-store.ts";
import { isCutOff, type LastFailure } from "./last-failure.ts";
import { isSynced } from "./status.ts";

/** Observations that are counted one by one; beyond it there are just many. */
export const countedMax = 9_999;

/** What the one line tells of. */
export interface ShortFacts {
  /** Observations of the project, at most one more than {@link countedMax}. */
  readonly observations: number;
  readonly replicas: readonly Replica[];
  readonly lastFailure?: LastFailure | undefined;
  readonly isPaired: boolean;
  /** Whether captures wait that no hook could store; nobody counts them before they are taken in. */
  readonly isSpooled: boolean;
  readonly nowMs: number;
}

/**
 * How this device stands, in one short line: what is remembered of this project, and the one thing of
 * syncing that matters most. It holds no text of anybody's.
 */
export function shortStatus(facts: ShortFacts): string {
  const { observations } = facts;
  const count = observations > countedMax ? `${countedMax}+` : String(observations);
  return `tidemark ${count} here · ${syncWords(facts)}`;
}

function syncWords({ replicas, lastFailure, isPaired, isSpooled, nowMs }: ShortFacts): string {
  if (!isPaired) return "not paired";
  const shared = replicas.filter(({ kind, status }) => kind !== "local" && status !== "parked");
  const sum = (of: (replica: Replica) => number): number =>
    shared.reduce((total, replica) => total + of(replica), 0);
  const rejected = sum((replica) => replica.rejected);
  if (rejected > 0) return `${rejected} refused`;
  if (isCutOff(lastFailure)) return "shut out";
  const waiting = sum((replica) => replica.unsent + replica.unverified);
  const isOffline = lastFailure !== undefined;
  if (waiting > 0) return `${waiting} waiting${isOffline ? ", offline" : ""}`;
  if (isOffline) return "offline";
  if (isSpooled) return "captures wait";
  if (!shared.every((replica) => isSynced(replica, lastFailure))) return "pull due";
  const times = shared.map(({ syncedAtMs }) => syncedAtMs ?? nowMs);
  return `synced ${agoText(nowMs - Math.min(nowMs, ...times))}`;
}

function agoText(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return "now";
  if (minutes < 60) return `${minutes}m ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h ago` : `${Math.floor(hours / 24)}d ago`;
}
