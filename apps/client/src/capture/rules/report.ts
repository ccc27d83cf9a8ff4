import type { Draft } from "../draft.ts";
import { draftLimits } from "../draft.ts";
import type { AgentEvent } from "../event.ts";
import { clipEnd, oneLine } from "../payload/clip.ts";
import { stableKey } from "../payload/identity.ts";
import { sentencesOf } from "./sentences.ts";
import { agentOrigin } from "./taint.ts";

/** A shorter report only says that the work is done. */
const reportCharsMin = 120;
const titleCharsMin = 24;

/** Words that announce what follows and say nothing themselves. */
const opening = (): RegExp =>
  /^(?:perfect|great|excellent|okay|ok|now|here(?:'s| is| are)|I(?:'ve| have) (?:now )?(?:found|gathered|completed|finished|got)|based on|let me|summary|below|this is (?:a|the) (?:summary|report)|I now have)\b|:$/iu;

/** What a sub-agent reports at its end: the one thing of it that whoever sent it out reads (CP32). */
export function reportDrafts(history: readonly AgentEvent[], next: AgentEvent): readonly Draft[] {
  const text = next.event === "subagent-end" ? next.assistant?.trim() : undefined;
  if (text === undefined || text.length < reportCharsMin) return [];
  const sentences = sentencesOf(text);
  const isTelling = (sentence: string): boolean =>
    sentence.length >= titleCharsMin && !opening().test(sentence);
  const title = sentences.find(isTelling) ?? sentences[0];
  if (title === undefined) return [];
  return [
    {
      key: stableKey(next.key, "report"),
      kind: "discovery",
      title: oneLine(title, draftLimits.titleCharsMax),
      narrative: clipEnd(text, draftLimits.narrativeCharsMax),
      facts: [],
      concepts: ["report", ...(next.agentType === undefined ? [] : [next.agentType])],
      filesRead: [],
      filesModified: [],
      origin: agentOrigin(history),
    },
  ];
}
