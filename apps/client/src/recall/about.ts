import type { Observation } from "../store/observation.ts";
import { termsOf } from "./match.ts";

/** Terms that an observation must share with a prompt, where the prompt has as many. */
const sharedTermsMin = 2;

/**
 * Whether an observation is about a prompt and does not merely share a word with it (RC6). Nobody
 * asked for memory here: an item that is beside the point costs attention on every turn.
 */
export function isAbout(observation: Observation, prompt: string): boolean {
  const terms = termsOf(prompt);
  const needed = Math.min(sharedTermsMin, terms.length);
  const text = searchedText(observation);
  let shared = 0;
  for (const term of terms) {
    const isPhrase = term.includes(" ");
    // A path or dotted name says more than two words do.
    if (text.includes(stemOf(term))) shared += isPhrase ? sharedTermsMin : 1;
    if (shared >= needed) return true;
  }
  return false;
}

function searchedText(observation: Observation): string {
  const { title, narrative, facts, concepts, filesRead, filesModified } = observation;
  const parts = [title, narrative, ...facts, ...concepts, ...filesRead, ...filesModified];
  return parts
    .join("\n")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, " ");
}

/** The index finds other endings of a word as well; a word without its last letters does too. */
function stemOf(term: string): string {
  const lower = term.toLowerCase();
  return lower.length > 5 ? lower.slice(0, -2) : lower.replace(/(?<=\w{3})s$/u, "");
}
