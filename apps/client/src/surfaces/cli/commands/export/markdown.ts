import { join } from "node:path";
import { fail, ok, type NamespaceId } from "@tidemark/protocol";
import { safeText } from "../../../../platform/terminal.ts";
import type { Outcome } from "../../command.ts";
import type { CliDeps } from "../../deps.ts";
import { startProgress } from "../../progress.ts";
import { counted } from "../../render/text.ts";
import { trouble } from "../../trouble.ts";
import { documentsOf, indexText } from "./document.ts";

/** Writes a file for each project into a new folder, for people to read (IM10). */
export function exportMarkdown(
  deps: CliDeps,
  folder: string,
  {
    namespaces,
    project,
    isRead,
  }: {
    readonly namespaces: readonly NamespaceId[];
    readonly project: string | undefined;
    /** A program reads what is printed. */
    readonly isRead: boolean;
  },
): Outcome {
  const { reads } = deps.memory().store;
  const filter = { namespaces, project, includeHidden: true, order: "newest" } as const;
  const progress = startProgress(deps, { isRead });
  const items = reads.list(filter, (done, of) => {
    progress.tell(`${done} of ${counted(of, "observation")} read`, done / of);
  });
  progress.end();
  const documents = documentsOf(items);
  const made = deps.files.createFolder(folder);
  if (!made.ok) return fail(trouble(made.error));
  const texts = [...documents, { name: "index.md", text: indexText(documents) }];
  for (const { name, text } of texts) {
    const file = deps.files.create(join(folder, name));
    const appended = file.ok ? file.value.append(text) : file;
    const written = file.ok && appended.ok ? file.value.end() : appended;
    if (!written.ok) return fail(trouble(written.error));
  }
  const files = documents.map(({ name, project: of, observations }) => ({
    name,
    project: of,
    observations,
  }));
  const count = counted(items.length, "observation");
  const text = safeText(
    `wrote ${count} to ${counted(files.length, "file")} in ${folder}; begin with index.md`,
  );
  return ok({ json: { folder, observations: items.length, files }, text });
}
