import type { AgentEvent } from "../event.ts";
import { oneLine } from "../payload/clip.ts";
import { sentencesOf } from "./sentences.ts";

const saidCharsMax = 300;
const editingTools = new Set(["Edit", "Write", "MultiEdit", "NotebookEdit"]);

/**
 * The assistant's words right before the tool use that follows `history`, first two sentences.
 *
 * Other edits may lie between, as one announcement often covers several; anything else may not.
 */
export function saidBefore(history: readonly AgentEvent[]): string | undefined {
  const event = history.findLast(({ tool }) => tool === undefined || !editingTools.has(tool.name));
  if (event?.event !== "other" || event.assistant === undefined) return undefined;
  const words = sentencesOf(event.assistant).slice(0, 2).join(" ");
  return words.length < 20 ? undefined : oneLine(words, saidCharsMax);
}

/** What an agent announced right before an edit; "Now add the route." is told as "add the route." */
export function announcedBefore(history: readonly AgentEvent[]): string | undefined {
  const said = saidBefore(history);
  if (said === undefined) return undefined;
  const kept = sentencesOf(said).flatMap((sentence) => {
    const words = sentence.replace(/^(?:now|next|then)[, ]+/iu, "");
    return isFiller(words) ? [] : [words];
  });
  return kept.length === 0 ? undefined : kept.join(" ").replace(/:$/u, "");
}

function isFiller(sentence: string): boolean {
  return (
    sentence.length < 20 ||
    /^(?:let me|good|great|expected|right|I'll (?:now )?(?:apply|write|create|read|check|look|make))\b/iu.test(
      sentence,
    )
  );
}
