import { join } from "node:path";
import { textOf, type Fields } from "../../../../capture/json.ts";
import { isFields } from "../../../../capture/json.ts";
import { fileText, namesIn } from "../../../../platform/tree-files.ts";

/** How many lines of a transcript are looked at. */
const linesMax = 20;

/**
 * The folder that the sessions of one of Claude Code's project folders worked in, as their transcripts
 * tell it: the folder's own name does not say which of its dashes were slashes.
 */
export function transcriptFolder(folder: string): string | undefined {
  for (const name of namesIn(folder)) {
    if (!name.endsWith(".jsonl")) continue;
    const file = fileText(join(folder, name));
    if (file.kind !== "text") continue;
    const [head = ""] = file.chunks;
    for (const line of head.split("\n").slice(0, linesMax)) {
      const cwd = textOf(fieldsOf(line), "cwd");
      if (cwd !== undefined) return cwd;
    }
  }
  return undefined;
}

function fieldsOf(line: string): Fields {
  try {
    const value: unknown = JSON.parse(line);
    return isFields(value) ? value : {};
  } catch {
    return {};
  }
}
