import type { Fields } from "./json.ts";

/** What a patch does to one file, as the input of the tool that would do the same. */
export interface PatchedFile {
  readonly tool: "Edit" | "Write";
  readonly input: Fields;
}

/** Files of one patch that are told of. */
const filesMax = 50;

const header = /^\*\*\* (Add|Update|Delete) File: (.+)$/u;

interface Hunk {
  readonly before: string[];
  readonly after: string[];
}

/**
 * Reads a patch in the form in which Codex writes them: `*** Update File: path`, hunks that begin
 * with `@@`, lines that begin with a blank, `-` or `+`. A file that is deleted says nothing.
 */
export function patchedFiles(patch: string): readonly PatchedFile[] {
  const files: PatchedFile[] = [];
  let path = "";
  let kind = "";
  let hunks: Hunk[] = [];
  const close = (): void => {
    if (kind === "Add") {
      const content = hunks.flatMap(({ after }) => after).join("\n");
      files.push({ tool: "Write", input: { file_path: path, content } });
    } else if (kind === "Update" && hunks.length > 0) {
      const edits = hunks.map(({ before, after }) => ({
        old_string: before.join("\n"),
        new_string: after.join("\n"),
      }));
      files.push({ tool: "Edit", input: { file_path: path, edits } });
    }
  };
  for (const line of patch.split("\n")) {
    const [, begun, named] = header.exec(line) ?? [];
    if (begun !== undefined && named !== undefined) {
      close();
      [kind, path, hunks] = [begun, named.trim(), []];
    } else if (kind !== "" && !line.startsWith("***")) take(hunks, line);
  }
  close();
  return files.slice(0, filesMax);
}

function take(hunks: Hunk[], line: string): void {
  if (line.startsWith("@@") || hunks.length === 0) hunks.push({ before: [], after: [] });
  const hunk = hunks.at(-1);
  if (line.startsWith("@@") || hunk === undefined) return;
  const text = line.slice(1);
  if (!line.startsWith("+")) hunk.before.push(text);
  if (!line.startsWith("-")) hunk.after.push(text);
}
