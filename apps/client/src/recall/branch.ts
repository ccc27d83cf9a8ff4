import type { Observation } from "../store/observation.ts";
import { isAbout } from "./about.ts";

/** What names of branches begin with, and branches that say nothing of the work on them. */
const plainWords: ReadonlySet<string> = new Set(
  "main master trunk develop development dev staging production prod release releases hotfix bugfix fix fixes feature features feat chore docs test tests refactor wip tmp temp issue bug task user users claude codex copilot dependabot renovate branch patch update the and for".split(
    " ",
  ),
);

/**
 * The words of a branch's name that tell what it is for (`fix/1423-queue-retries`: queue, retries);
 * empty where it tells nothing.
 */
export function branchWords(branch: string | undefined): string {
  const words = (branch ?? "")
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .match(/\p{L}{3,}/gu);
  return [...new Set(words)].filter((word) => !plainWords.has(word)).join(" ");
}

/** Whether an observation is about what a branch is for, and does not merely share a word with it. */
export function isOfBranch(observation: Observation, words: string): boolean {
  return words !== "" && isAbout(observation, words);
}
