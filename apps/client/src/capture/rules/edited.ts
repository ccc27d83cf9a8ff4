import { draftLimits } from "../draft.ts";
import type { AgentEvent } from "../event.ts";
import { oneLine } from "../payload/clip.ts";
import { changedNames, changeWords, isChange } from "./change.ts";
import { distinct, editedFile } from "./files.ts";
import { announcedBefore } from "./said.ts";
import { undoneEdits } from "./undone.ts";

const factCharsMax = 800;

/** What was done to one file over several edits. */
export interface EditedFile {
  readonly path: string;
  readonly edits: readonly AgentEvent[];
}

/**
 * The files that events changed by more than white space or imports, in order (CP11), by edits that
 * were not taken back.
 */
export function editedFiles(
  events: readonly AgentEvent[],
  root: string | undefined,
): readonly EditedFile[] {
  const undone = undoneEdits(events, root);
  const editsByPath = new Map<string, AgentEvent[]>();
  for (const event of events) {
    const path = editedFile(event, root);
    if (path !== undefined && isChange(event) && !undone.has(event)) {
      editsByPath.set(path, [...(editsByPath.get(path) ?? []), event]);
    }
  }
  return [...editsByPath].map(([path, edits]) => ({ path, edits }));
}

/**
 * One line for each file: what was done to it, and what the agent said it was about to do.
 *
 * @param said where the agent's words may be looked up; empty where they must not be quoted (CP29)
 */
export function fileFacts(
  files: readonly EditedFile[],
  said: readonly AgentEvent[],
): readonly string[] {
  return files.map(({ path, edits }) => {
    const done = distinct(
      edits.map((edit) => changeWords(edit, path)),
      edits.length,
    );
    const words = distinct(
      edits.map((edit) => announcedBefore(said.slice(0, Math.max(0, said.indexOf(edit))))),
      3,
    );
    const why = words.length === 0 ? "" : ` (${words.join(" ")})`;
    return oneLine(`${path}: ${done.join("; ")}${why}`, factCharsMax);
  });
}

/** The names that edits added or touched, most telling first: each once. */
export function namesOf(files: readonly EditedFile[]): readonly string[] {
  return distinct(
    files.flatMap(({ path, edits }) => edits.flatMap((edit) => changedNames(edit, path))),
    draftLimits.conceptsMax,
  );
}
