import type { Draft } from "../draft.ts";
import { draftLimits } from "../draft.ts";
import type { AgentEvent } from "../event.ts";
import { clipEnd, oneLine } from "../payload/clip.ts";
import { stableKey } from "../payload/identity.ts";
import { isSlashCommand, typedText } from "../payload/prompt-text.ts";

/** Prompts that start nothing: greetings, consent, a nudge. */
const nudge =
  /^(?:hi|hello|hey|thanks?|thank you|yes|no|ok(?:ay)?|go on|continue|proceed|please continue|try again|check again|done|stop)\b.{0,12}$/iu;

const requestCharsMin = 8;

/** What the user wanted of the session: its first prompt that asks for something (CP15). */
export function requestDrafts(history: readonly AgentEvent[], next: AgentEvent): readonly Draft[] {
  const text = requestText(next);
  if (text === undefined || history.some((event) => requestText(event) !== undefined)) return [];
  return [
    {
      key: stableKey(next.agent, next.sessionId, "request"),
      kind: "request",
      title: requestTitle(text),
      narrative: clipEnd(text, draftLimits.narrativeCharsMax),
      facts: [],
      concepts: [],
      filesRead: [],
      filesModified: [],
      origin: "user",
    },
  ];
}

/** The words of a prompt that asks for something, or `undefined`. */
export function requestText(event: AgentEvent): string | undefined {
  if (event.event !== "prompt" || event.prompt === undefined) return undefined;
  const text = typedText(event.prompt);
  if (text === undefined || text.length < requestCharsMin) return undefined;
  return isSlashCommand(text) || nudge.test(text) ? undefined : text;
}

/** A request in one line: its first line that holds words, up to its first full stop. */
export function requestTitle(text: string): string {
  const line = text.split("\n").find((part) => /\w{2}/u.test(part)) ?? text;
  const plain = line.replace(/^[\s#>*-]+/u, "");
  const [sentence = plain] = plain.split(/(?<=[.!?])\s+(?=[A-Z])/u);
  return oneLine(sentence.length < 40 ? plain : sentence, draftLimits.titleCharsMax);
}
