import { fail, ok, type NamespaceId, type Result } from "@tidemark/protocol";
import { safeText } from "../../../platform/terminal.ts";
import type { Memory } from "../../../wiring/memory.ts";
import type { Call, Command, Output } from "../command.ts";
import type { CliDeps } from "../deps.ts";
import { exportMarkdown } from "./export/markdown.ts";
import { stoppedExport } from "./export/stopped.ts";
import { startProgress, type Progress } from "../progress.ts";
import { askForKey, waysToKeys } from "../render/sealing.ts";
import { counted } from "../render/text.ts";
import { findNamespace, projectOf } from "../scope.ts";
import { takeAllSpooled } from "../spooled.ts";
import { createStopLook } from "../stop-look.ts";
import { misuse, trouble, type Trouble } from "../trouble.ts";

const pieceCharsMin = 262_144;
/** The end of a line and of its record: a file that was not written to its end has no whole last line. */
const heldBackChars = 2;

/** Writes all records, forgotten ones as tombstones; or what a person reads of them. */
export const exportRecords: Command = {
  options: [
    { flags: "-n, --namespace <name>", help: "of this namespace alone (name or id)" },
    { flags: "-o, --output <file>", help: "into a new file that only you can read" },
    { flags: "--format <format>", help: "jsonl (default), or markdown to read" },
    { flags: "--out <folder>", help: "for markdown: into a new folder that only you can read" },
    {
      flags: "-p, --project <project>",
      help: "for markdown: of this project alone; `.` is this folder's",
    },
  ],
  notes:
    "JSONL is one record a line, and `tidemark import` reads it. Markdown is a file for each project,\n" +
    "newest first, archived and superseded observations marked. Without --namespace: all of them,\n" +
    "`local` too.",
  run: async (deps, call) => {
    const misused = misuseOf(call);
    if (misused !== undefined) return fail(misused);
    const memory = deps.memory();
    const namespaces = namespacesOf(memory, call);
    if (!namespaces.ok) return namespaces;
    const spooled = await takeAllSpooled(deps, startProgress(deps, { isRead: call.isJson }));
    const done = await exportFrom(deps, call, { memory, namespaces: namespaces.value });
    if (!done.ok) return done;
    return ok({ ...done.value, trouble: spooled ?? closedIn(memory, namespaces.value) });
  },
};

async function exportFrom(
  deps: CliDeps,
  call: Call,
  { memory, namespaces }: { readonly memory: Memory; readonly namespaces: readonly NamespaceId[] },
): Promise<Result<Output, Trouble>> {
  const folder = call.text("out");
  if (folder !== undefined) {
    const project = projectOf(deps.home(), call.text("project"));
    return await exportMarkdown(deps, folder, { namespaces, project, isRead: call.isJson });
  }
  const path = call.text("output");
  // Lines that run over a terminal are progress enough.
  const isSeen = path === undefined && deps.io.isOutTty;
  const progress = startProgress(deps, { isRead: call.isJson || isSeen });
  const lines = linesOf(memory, namespaces, isSeen ? undefined : progress);
  if (path === undefined) {
    if (call.isJson) return await document(deps, lines);
    const count = await write(deps, lines, (text) => {
      deps.io.out(text);
      return ok(undefined);
    });
    return count.ok ? ok({ json: undefined, text: undefined }) : count;
  }
  const count = await writeFile(deps, lines, path);
  if (!count.ok) return count;
  const text = safeText(`wrote ${counted(count.value, "record")} to ${path}`);
  return ok({ json: { records: count.value, file: path }, text });
}

/** All of it as the one document that `--json` prints; nothing is printed before its end. */
async function document(deps: CliDeps, lines: Iterable<string>): Promise<Result<Output, Trouble>> {
  const isStopped = createStopLook(deps);
  const items: unknown[] = [];
  for (const line of lines) {
    if (await isStopped()) return fail(stoppedExport);
    items.push(JSON.parse(line));
  }
  return ok({ json: { items, total: items.length }, text: undefined });
}

/** Into a new file, which is gone where it was not written to its end (IM19). */
async function writeFile(
  deps: CliDeps,
  lines: Iterable<string>,
  path: string,
): Promise<Result<number, Trouble>> {
  const made = deps.files.create(path);
  if (!made.ok) return fail(trouble(made.error));
  const file = made.value;
  const count = await write(deps, lines, (text) => {
    const appended = file.append(text);
    return appended.ok ? appended : fail(trouble(appended.error));
  });
  if (!count.ok) {
    file.drop();
    return count;
  }
  const ended = file.end();
  return ended.ok ? count : fail(trouble(ended.error));
}

/** What an export lacks because its keys are not here (EE28). */
function closedIn(
  { store: { reads, replicas } }: Memory,
  namespaces: readonly NamespaceId[],
): Trouble | undefined {
  const lacking = namespaces
    .map((namespace) => ({ namespace, count: reads.closedRecords(namespace).count }))
    .filter(({ count }) => count > 0);
  const [first] = lacking;
  if (first === undefined) return undefined;
  const all = lacking.reduce((sum, { count }) => sum + count, 0);
  const hasNewest = replicas.sealing(first.namespace)?.hasKey === true;
  return trouble({
    code: "sealed",
    message: `keys are not here: values in ${counted(all, "record")} are sealed under them and not part of this`,
    hint: hasNewest ? waysToKeys(first.namespace) : askForKey(first.namespace),
  });
}

function misuseOf(call: Call): Trouble | undefined {
  const format = call.text("format") ?? "jsonl";
  const isMarkdown = format === "markdown";
  if (!isMarkdown && format !== "jsonl") {
    return misuse(`there is no format ${format}`, "--format jsonl, or --format markdown");
  }
  if (isMarkdown && call.text("out") === undefined) {
    return misuse("markdown is written into a folder", "add --out FOLDER");
  }
  const stray = (isMarkdown ? ["output"] : ["out", "project"]).find(
    (name) => call.text(name) !== undefined,
  );
  if (stray === undefined) return undefined;
  const hint = isMarkdown ? "name a folder: --out FOLDER" : "add --format markdown";
  return misuse(`--${stray} is not for ${format}`, hint);
}

function namespacesOf(memory: Memory, call: Call): Result<readonly NamespaceId[], Trouble> {
  const name = call.text("namespace");
  if (name === undefined) {
    return ok(memory.store.replicas.replicas().map(({ namespace }) => namespace));
  }
  const found = findNamespace(memory, name);
  return found.ok ? ok([found.value.namespace]) : found;
}

function* linesOf(
  memory: Memory,
  namespaces: readonly NamespaceId[],
  progress: Progress | undefined,
): Iterable<string> {
  const { reads } = memory.store;
  const counts = namespaces.map((namespace) => reads.countExportLines(namespace));
  const total = counts.reduce((sum, count) => sum + count, 0);
  let done = 0;
  try {
    for (const namespace of namespaces) {
      for (const line of reads.exportLines(namespace)) {
        yield line;
        done += 1;
        progress?.tell(`${done} of ${counted(total, "record")} written`, done / total);
      }
    }
  } finally {
    progress?.end();
  }
}

async function write(
  deps: CliDeps,
  lines: Iterable<string>,
  append: (text: string) => Result<void, Trouble>,
): Promise<Result<number, Trouble>> {
  const isStopped = createStopLook(deps);
  let count = 0;
  let piece = "";
  for (const line of lines) {
    count += 1;
    piece += `${line}\n`;
    if (piece.length < pieceCharsMin) continue;
    const done = append(piece.slice(0, -heldBackChars));
    if (!done.ok) return done;
    piece = piece.slice(-heldBackChars);
    if (await isStopped()) return fail(stoppedExport);
  }
  const done = append(piece);
  return done.ok ? ok(count) : done;
}
