import { isCredibleTime } from "@tidemark/protocol";
import type { Observation } from "../store/observation.ts";
import { qualityOf } from "./quality.ts";

const dayMs = 86_400_000;

/** Days after which an observation counts half. */
export const halfLifeDays = 14;

// Knowledge that prevents a mistake before records of what was merely done.
const weightByKind: Readonly<Record<string, number>> = {
  decision: 1,
  note: 1,
  fix: 0.95,
  discovery: 0.9,
  digest: 0.6,
  failure: 0.55,
  command: 0.4,
  change: 0.35,
  request: 0.25,
};

/** Weight of a kind that this version does not know. */
const otherKindWeight = 0.5;

/** Why an observation was chosen, in the terms that it was chosen by. */
export interface Score {
  readonly value: number;
  readonly why: string;
}

/**
 * How much an observation deserves a place in a session's context (RC3): pinned ones first, then
 * kind times quality times recency, times the match where there is a query.
 *
 * @param match 0..1, how well it answers the query; 1 without one
 */
export function scoreOf(observation: Observation, nowMs: number, match = 1): Score {
  const { createdAt } = observation;
  const ageDays = Math.max(0, (nowMs - createdAt) / dayMs);
  const recency = 2 ** (-ageDays / halfLifeDays);
  const age = ageAt(createdAt, nowMs);
  const weight = weightByKind[observation.kind] ?? otherKindWeight;
  const quality = qualityOf(observation);
  const worth = weight * (0.5 + 0.5 * quality);
  const value = worth * (0.3 + 0.7 * recency) * match + (observation.pinned ? 10 : 0);
  const parts = [
    observation.pinned ? "pinned" : undefined,
    `${observation.kind} ×${weight}`,
    `quality ${quality.toFixed(2)}`,
    age === "unknown" ? "age unknown" : `${age} old`,
    match < 1 ? `match ${match.toFixed(2)}` : undefined,
  ];
  return { value, why: parts.filter((part) => part !== undefined).join(", ") };
}

/** The age of what was made then, as people say it; `unknown` of a time that cannot be (CP69). */
export function ageAt(atMs: number, nowMs: number): string {
  return isCredibleTime(atMs, nowMs) ? ageText(nowMs - atMs) : "unknown";
}

/** An age as people say it: `5m`, `3h`, `2d`. */
export function ageText(ageMs: number): string {
  const minutes = Math.max(0, Math.floor(ageMs / 60_000));
  if (minutes < 60) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h` : `${Math.floor(hours / 24)}d`;
}
