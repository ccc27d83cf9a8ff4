import { dirname, join, relative, resolve } from "node:path";
import type { BroughtProject, BroughtRow } from "../../../../capture/brought/brought.ts";
import { parseNote } from "../../../../capture/brought/note.ts";
import { createBringing } from "../../../../memory/bring.ts";
import { fileText, modifiedAt } from "../../../../platform/tree-files.ts";
import { transcriptFolder } from "./transcript-folder.ts";
import { placeOfBrought, takenOf, type ImportRun } from "./run.ts";
import type { Taken } from "./taken.ts";

/** Largest note that is taken, in characters: beyond it, it is no note. */
const noteCharsMax = 4_194_304;

/** Whether a path is that of a Markdown file. */
export function isNote(path: string): boolean {
  return /\.(?:md|markdown)$/iu.test(path);
}

/** Takes in a Markdown file: of Claude Code's memory, of basic-memory, or a note of any kind. */
export function takeNote(run: ImportRun, root: string, path: string): Taken {
  const source = sourceOf(path);
  const placeOf = placeOfBrought(run);
  const bringing = createBringing(run.memory, { source: "note", placeOf, isDry: run.isDry });
  bringing.take([rowOf(run, { root, path, source })]);
  return takenOf(source, bringing.report(), run.isDry);
}

function sourceOf(path: string): string {
  const isClaude = /(?:^|[/\\])(?:CLAUDE(?:\.local)?\.md$|\.claude[/\\])/u.test(resolve(path));
  return isClaude ? "Claude Code memory" : "note";
}

function rowOf(
  run: ImportRun,
  { root, path, source }: { readonly root: string; readonly path: string; readonly source: string },
): BroughtRow {
  const name = relative(root, path);
  const shown = name === "" ? path.replace(/^.*[/\\]/u, "") : name;
  const text = textOf(path);
  if (!text.ok) return { ok: false, from: `${source} ${shown}`, reason: text.reason };
  const atMs = modifiedAt(path);
  const project = projectOf(run, path);
  return parseNote({
    // Whole, before it is taken apart: a part could hold half a secret.
    text: run.memory.scrub.text(text.value),
    path: shown,
    source,
    ...(atMs === undefined ? {} : { atMs }),
    ...(project === undefined ? {} : { project }),
  });
}

type Text =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly reason: string };

function textOf(path: string): Text {
  const file = fileText(path);
  if (file.kind !== "text") {
    return { ok: false, reason: file.kind === "binary" ? "it is no text" : file.code };
  }
  let value = "";
  for (const chunk of file.chunks) {
    value += chunk;
    if (value.length > noteCharsMax) return { ok: false, reason: "it is too large for a note" };
  }
  return { ok: true, value };
}

/**
 * The project that a note is about: the working copy that it lies in; for Claude Code's own notes the
 * folder that the sessions beside them worked in.
 */
function projectOf({ home }: ImportRun, path: string): BroughtProject | undefined {
  const folder = dirname(resolve(path));
  const own = /^(.*[/\\]projects[/\\][^/\\]+)[/\\]memory(?:[/\\]|$)/u.exec(join(folder, "/"))?.[1];
  if (own !== undefined) {
    const worked = transcriptFolder(own);
    return worked === undefined
      ? undefined
      : { folder: worked, name: worked.replace(/^.*[/\\]/u, "") };
  }
  return home.projectAt(folder).startsWith("git:") ? { folder } : undefined;
}
