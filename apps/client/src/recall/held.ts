import type { Observation } from "../store/observation.ts";
import type { Reads } from "../store/reads/create-reads.ts";
import { shownLabels, shownText, type FenceItem } from "./fence.ts";
import { isHeld, screen } from "./screen/screen.ts";
import type { Signal } from "./screen/signal.ts";

/** Trust of what this device's own person has written by hand on it. */
const ownWordsTrust = 4;
/** Up to here a stranger may have cut one order into the pieces of several records. */
const strangersTrustMax = 2;
/** Characters on each side of the seam between two records that are read as one text. */
const seamChars = 400;

/**
 * Why an item is held back (RC19): its words are meant for the agent that would read them. Undefined
 * where nothing speaks against it, and where this device's own person wrote or reviewed it: whoever
 * may tell their agent anything may have memory tell it.
 */
export function heldWhy(item: FenceItem, before?: FenceItem): readonly Signal[] | undefined {
  const { observation } = item;
  if (observation.reviewed || isOwnWord(observation)) return undefined;
  const text = shownText(item);
  const alone = screen(`${shownLabels(item)}\n${text}`);
  if (isHeld(alone, observation.trust)) return alone.signals;
  if (before === undefined || observation.trust > strangersTrustMax) return undefined;
  const joined = screen(`${shownText(before).slice(-seamChars)}\n${text.slice(0, seamChars)}`);
  return isHeld(joined, observation.trust) ? joined.signals : undefined;
}

/** Why what was just saved is held back (RC22), so that who saved it is told at once. */
export function heldWhenSaved(
  reads: Pick<Reads, "observation">,
  { namespace, id }: Pick<Observation, "namespace" | "id">,
): readonly Signal[] | undefined {
  const observation = reads.observation(namespace, id);
  if (observation === undefined) return undefined;
  return heldWhy({ observation, factsOnly: false, charsMax: Infinity });
}

// What somebody typed into a prompt may be pasted from anywhere.
function isOwnWord({ trust, origin, kind }: Observation): boolean {
  return trust === ownWordsTrust && origin === "user" && kind !== "request";
}
