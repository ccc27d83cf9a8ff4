import type { Observation } from "../store/observation.ts";
import { isOfBranch } from "./branch.ts";

/** What is being worked on where a session starts. */
export interface Work {
  /** The branch that is checked out. */
  readonly branch?: string | undefined;
  /** Whether a file, as observations name it, was written since the last commit. */
  readonly isTouched?: ((path: string) => boolean) | undefined;
}

/** How much more of a place an observation deserves that is about the work at hand. */
export const workFactor = 1.5;
/** Files of an observation that are asked about. */
const filesMax = 12;

/**
 * What makes an observation part of the work at hand (RC24, RC28), in words; empty where nothing does.
 *
 * @param words those of the branch's name, see `branchWords`
 */
export function workReasons(
  observation: Observation,
  work: Work,
  words: string,
): readonly string[] {
  const { filesModified, filesRead } = observation;
  const { isTouched } = work;
  const files = [...filesModified, ...filesRead].slice(0, filesMax);
  return [
    ...(isOfBranch(observation, words) ? ["of this branch"] : []),
    ...(isTouched !== undefined && files.some((file) => isTouched(file)) ? ["of files changed now"] : []), // prettier-ignore
  ];
}
