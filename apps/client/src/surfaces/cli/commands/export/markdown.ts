import { fail, ok, type NamespaceId, type Result } from "@tidemark/protocol";
import { safeText } from "../../../../platform/terminal.ts";
import type { Observation } from "../../../../store/observation.ts";
import type { Outcome } from "../../command.ts";
import type { CliDeps } from "../../deps.ts";
import type { NewFolder } from "../../files.ts";
import { startProgress, type Progress } from "../../progress.ts";
import { counted } from "../../render/text.ts";
import { createStopLook } from "../../stop-look.ts";
import { trouble, type Trouble } from "../../trouble.ts";
import { documentsOf, indexText, type Document } from "./document.ts";
import { stoppedExport } from "./stopped.ts";

/** What is exported for people. */
interface MarkdownExport {
  readonly namespaces: readonly NamespaceId[];
  readonly project: string | undefined;
  /** A program reads what is printed. */
  readonly isRead: boolean;
}

/** How far work is, and whether somebody wants it to end. */
interface Work {
  readonly progress: Progress;
  readonly isStopped: () => Promise<boolean>;
}

/** Writes a file for each project into a new folder, for people to read (IM10). */
export async function exportMarkdown(
  deps: CliDeps,
  folder: string,
  wanted: MarkdownExport,
): Promise<Outcome> {
  const progress = startProgress(deps, { isRead: wanted.isRead });
  const work = { progress, isStopped: createStopLook(deps) };
  try {
    const items = await read(deps, wanted, work);
    if (!items.ok) return items;
    const made = deps.files.createFolder(folder);
    if (!made.ok) return fail(trouble(made.error));
    const documents = documentsOf(items.value);
    const written = await write(made.value, documents, work);
    // What is there of it would pass for the whole, and keep the name from the next try (IM19).
    if (!written.ok) made.value.drop();
    return written.ok ? done(folder, documents, items.value.length) : written;
  } finally {
    progress.end();
  }
}

async function read(
  deps: CliDeps,
  { namespaces, project }: MarkdownExport,
  { progress, isStopped }: Work,
): Promise<Result<readonly Observation[], Trouble>> {
  const { reads } = deps.memory().store;
  const filter = { namespaces, project, includeHidden: true, order: "newest" } as const;
  const { total, observations } = reads.walk(filter);
  const items: Observation[] = [];
  for (const item of observations) {
    if (await isStopped()) return fail(stoppedExport);
    items.push(item);
    progress.tell(`${items.length} of ${counted(total, "observation")} read`, items.length / total);
  }
  return ok(items);
}

/** The index comes last: where it is, all else is. */
async function write(
  folder: NewFolder,
  documents: readonly Document[],
  work: Work,
): Promise<Result<void, Trouble>> {
  const index = { name: "index.md", pieces: [indexText(documents)] };
  for (const [at, one] of [...documents, index].entries()) {
    const how = `${at} of ${counted(documents.length, "file")} written`;
    const written = await writeOne(folder, one, { how, ...work });
    if (!written.ok) return written;
  }
  return ok(undefined);
}

async function writeOne(
  folder: NewFolder,
  { name, pieces }: Pick<Document, "name" | "pieces">,
  { how, progress, isStopped }: Work & { readonly how: string },
): Promise<Result<void, Trouble>> {
  const made = folder.create(name);
  if (!made.ok) return fail(trouble(made.error));
  const file = made.value;
  for (const piece of pieces) {
    if (await isStopped()) {
      file.drop();
      return fail(stoppedExport);
    }
    const appended = file.append(piece);
    if (!appended.ok) return fail(trouble(appended.error));
    progress.tell(how);
  }
  const ended = file.end();
  return ended.ok ? ended : fail(trouble(ended.error));
}

function done(folder: string, documents: readonly Document[], observations: number): Outcome {
  const files = documents.map(({ name, project, observations: of }) => ({
    name,
    project,
    observations: of,
  }));
  const text = safeText(
    `wrote ${counted(observations, "observation")} to ${counted(files.length, "file")} in ${folder}; begin with index.md`,
  );
  return ok({ json: { folder, observations, files }, text });
}
