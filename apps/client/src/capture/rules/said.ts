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
