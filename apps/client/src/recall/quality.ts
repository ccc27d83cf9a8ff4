import type { Observation } from "../store/observation.ts";

/** What an observation is worth before it says anything, by kind; the parts below add to it. */
const base = 0.3;

const parts = {
  /** Says why: a cause, a constraint, a choice. */
  reason: 0.25,
  /** A cause, a decision, a rule or a way to do it: true beyond the moment. */
  lasting: 0.2,
  /** Two facts or more; one counts half. */
  facts: 0.1,
  /** Names the files that it is about. */
  files: 0.05,
  /** A person's own words. */
  person: 0.1,
  /** Says nothing that its title does not. */
  bare: -0.2,
} as const;

/** What is true beyond the moment in which it was learned. */
export const lastingKinds: ReadonlySet<string> = new Set([
  "decision",
  "note",
  "fix",
  "discovery",
  "command",
]);

const reason = (): RegExp =>
  /\b(?:because|since|so that|instead of|rather than|root cause|due to|passes since|The agent said:|(?:can't|cannot|doesn't|does not|don't)|needs?|requires?|expects?|which (?:will|would) (?:fail|break))\b/u;

/**
 * How much an observation says, 0 to 1 (RC23): whether it tells a reason and something that stays
 * true, with facts and files, or only that something was done. Taken from its text each time it is
 * ranked, so an edit counts at once and every device comes to the same.
 */
export function qualityOf(observation: Observation): number {
  const { title, narrative, facts, kind, origin } = observation;
  const isBare = facts.length === 0 && plain(narrative) === plain(title);
  const value =
    base +
    (reason().test(`${title}\n${narrative}`) ? parts.reason : 0) +
    (lastingKinds.has(kind) ? parts.lasting : 0) +
    parts.facts * Math.min(1, facts.length / 2) +
    (observation.filesModified.length > 0 ? parts.files : 0) +
    (origin === "user" ? parts.person : 0) +
    (isBare && origin !== "user" ? parts.bare : 0);
  return Math.min(1, Math.max(0, value));
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}
