import type { Observation } from "../store/observation.ts";
import type { Reads } from "../store/reads/create-reads.ts";
import { heldWhenSaved } from "./held.ts";

type Named = Pick<Observation, "namespace" | "id">;

/** Below this trust a record is counted, not shown. */
const trustMin = 2;

/** Whether sessions are given an observation where it fits: reviewed or trusted, in use, and not held back. */
function isGiven(reads: Pick<Reads, "observation">, named: Named): boolean {
  const observation = reads.observation(named.namespace, named.id);
  if (observation === undefined || observation.trust < trustMin) return false;
  if (observation.archived || observation.supersededBy !== null) return false;
  return heldWhenSaved(reads, named) === undefined;
}

/**
 * Whether an agent's word that one takes the place of another would leave sessions without either
 * (MC17): what a person has let through is not hidden behind what nobody is given.
 */
export function leavesNone(
  reads: Pick<Reads, "observation">,
  old: Named,
  successor: Named,
): boolean {
  return isGiven(reads, old) && !isGiven(reads, successor);
}

/** Told to the agent. */
export const leavesNoneTrouble = {
  code: "not-given",
  message: "sessions are not given the newer one, so nothing was done: they would have neither",
  hint: "the person runs tidemark pin on the newer one first, or tidemark supersede",
} as const;
