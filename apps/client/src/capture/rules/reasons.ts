import type { AgentEvent } from "../event.ts";
import { oneLine } from "../payload/clip.ts";
import { distinct } from "./files.ts";
import { sentencesOf } from "./sentences.ts";

const reasonsMax = 4;
const reasonCharsMin = 25;
const reasonCharsMax = 300;

/** Words by which an agent says why: a cause, a constraint, a choice, or what it leaves alone. */
const reason = (): RegExp =>
  /\b(?:because|since|so that|instead of|rather than|otherwise|due to|in order to|(?:which|that) (?:will|would) (?:fail|break)|(?:can't|cannot|doesn't|does not|don't|isn't|is not|aren't|never) |missing\b|(?:needs?|requires?|expects?) |needed\b|too (?:deep|many|long|slow|large)|stale\b|must\b|should be\b)/iu;

/** What only announces or reports the moment says no reason. */
const momentary = (): RegExp =>
  /\?["')]?$|^(?:let me|now\b|next\b|first\b|good\b|great\b|perfect\b|done\b|all (?:green|clean|done)|still\b|continuing\b|I(?:'ll| will)? need to (?:read|check|look|see|find|understand)|I'll enter\b|I(?:'ve| have) already\b|this session is being continued)|\blet me\b/iu;

/** The sentences of an agent that say why it did what it did, oldest first. */
export function reasonsIn(events: readonly AgentEvent[]): readonly string[] {
  const sentences = events.flatMap(({ event, assistant }) =>
    (event === "other" || event === "turn-end") && assistant !== undefined
      ? sentencesOf(assistant).filter(isReason)
      : [],
  );
  return distinct(
    sentences.map((sentence) => oneLine(sentence, reasonCharsMax)),
    reasonsMax,
  );
}

/** What an agent said of why, as one line; none where it said nothing of the kind. */
export function whyLines(events: readonly AgentEvent[]): readonly string[] {
  const reasons = reasonsIn(events);
  return reasons.length === 0 ? [] : [`The agent said: ${reasons.join(" ")}`];
}

function isReason(sentence: string): boolean {
  return (
    sentence.length >= reasonCharsMin &&
    sentence.length <= reasonCharsMax &&
    !momentary().test(sentence) &&
    reason().test(sentence)
  );
}
