import { fail, isEncryptedId, ok, type Result } from "@tidemark/protocol";
import { isDatabaseFile, isFolder, filesBelow } from "../../../platform/tree-files.ts";
import { isThere } from "../../../platform/settings-file.ts";
import { safeText } from "../../../platform/terminal.ts";
import { UnreadableFileError } from "../../../platform/text-file.ts";
import type { Differing } from "../../../memory/import.ts";
import { isSure, stopped } from "../ask.ts";
import type { Call, Command, Outcome } from "../command.ts";
import type { CliDeps } from "../deps.ts";
import { progressOfPart, startProgress, type Progress } from "../progress.ts";
import type { Replica } from "../../../store/replica-store.ts";
import type { Memory } from "../../../wiring/memory.ts";
import { askForKey } from "../render/sealing.ts";
import { counted } from "../render/text.ts";
import { findNamespace, projectOf } from "../scope.ts";
import { createStopLook } from "../stop-look.ts";
import { interrupted, misuse, trouble, type Trouble } from "../trouble.ts";
import { takeDatabase } from "./import/database.ts";
import { foundHere } from "./import/found.ts";
import { takeLines, unknownFormat } from "./import/lines.ts";
import { isNote, takeNote } from "./import/note.ts";
import type { ImportRun } from "./import/run.ts";
import { takenText, type Taken } from "./import/taken.ts";

/** Takes in what other memories and transcripts hold; doing it twice changes nothing. */
export const importFile: Command = {
  arguments: [
    {
      syntax: "[paths...]",
      help: "files or folders; `-` is standard input; none lists what is here",
    },
  ],
  options: [
    { flags: "-n, --namespace <name>", help: "into this namespace (name or id)" },
    { flags: "-p, --project <project>", help: "of this project; else told by what is imported" },
    { flags: "--dry-run", help: "say what would be added, and change nothing" },
    {
      flags: "--differing <which>",
      help: "of an export, where a record here says something else: keep (default), newer, file",
    },
    {
      flags: "--forget",
      help: "forget here, for ever, what was forgotten where the export was made",
    },
    { flags: "-y, --yes", help: "do not ask" },
  ],
  notes:
    "Told apart by content: the databases of claude-mem and engrm, the JSONL file of the MCP memory\n" +
    "server, Markdown notes (basic-memory, Claude Code's CLAUDE.md and memory folder, any others),\n" +
    "transcripts of Claude Code and Codex, and what `tidemark export` wrote. Secrets are taken out of\n" +
    "all of it, nothing is written to where it came from, and what this device has, or has forgotten,\n" +
    "stays as it is.\n\n" +
    "Where an export says something else of a record that is here, or had forgotten it, that is told\n" +
    "and ends with 1. --differing newer takes what the file has of a later change in the same\n" +
    "namespace, --differing file all that differs; both are ordinary edits, and `tidemark history`\n" +
    "keeps what they replace.",
  run: async (deps, call) => {
    if (call.words.length === 0) return foundHere(deps, call);
    const progress = startProgress(deps, { isRead: call.isJson });
    const run = runOf(deps, call, progress);
    if (!run.ok) return run;
    if (run.value.wanted.forgets === true && !run.value.isDry) {
      const question = "Forget for ever, on every device, what the file says was forgotten?";
      if (!(await isSure(deps, call, question))) return stopped;
    }
    try {
      return await takeAll(deps, call, run.value, progress);
    } finally {
      progress.end();
    }
  },
};

function runOf(deps: CliDeps, call: Call, progress: Progress): Result<ImportRun, Trouble> {
  const memory = deps.memory();
  const name = call.text("namespace");
  const wanted = name === undefined ? undefined : findNamespace(memory, name);
  if (wanted?.ok === false) return wanted;
  const keyless = wanted === undefined ? undefined : keylessTrouble(memory, wanted.value);
  if (keyless !== undefined) return fail(keyless);
  const home = deps.home();
  const differing = differingWords.find((word) => word === (call.text("differing") ?? "keep"));
  if (differing === undefined) {
    return fail(misuse("--differing is keep, newer or file", "tidemark import --help"));
  }
  return ok({
    memory,
    home,
    into: wanted?.value.namespace,
    project: projectOf(home, call.text("project")),
    isDry: call.isOn("dryRun"),
    wanted: { differing, forgets: call.isOn("forget"), toldForgotten: new Set() },
    progress,
    isStopped: createStopLook(deps),
  });
}

/** What is there already could not be compared, and would be in conflict once the key is here. */
function keylessTrouble(
  { store: { replicas } }: Memory,
  { namespace, name }: Replica,
): Trouble | undefined {
  if (!isEncryptedId(namespace) || replicas.sealing(namespace)?.hasKey === true) return undefined;
  return trouble({
    code: "no-key",
    message: `the key of ${safeText(name, 64)} is not here yet, so nothing was compared or taken`,
    hint: `${askForKey(namespace)}; then tidemark sync, and import again`,
  });
}

const differingWords: readonly Differing[] = ["keep", "newer", "file"];

/** One file that came in, and where it lay. */
interface Item {
  readonly path: string;
  readonly taken: Taken;
}

async function takeAll(
  deps: CliDeps,
  call: Call,
  all: ImportRun,
  progress: Progress,
): Promise<Outcome> {
  const items: Item[] = [];
  const failed: { path: string; trouble: Trouble }[] = [];
  const [only, second] = call.words;
  const isOne = only !== undefined && second === undefined && !isFolder(only);
  const found = call.words.flatMap((root) => pathsOf(root).map((path) => ({ root, path })));
  for (const [part, { root, path }] of found.entries()) {
    const run = { ...all, progress: progressOfPart(progress, part, found.length) };
    const taken = await takePath(deps, run, { root, path });
    if (taken.ok) items.push({ path, taken: taken.value });
    else failed.push({ path, trouble: taken.error });
    const isCut = taken.ok && taken.value.isCut === true;
    // What is done to its end is told as that, also where a signal came meanwhile.
    if (isCut || (part + 1 < found.length && (await all.isStopped())))
      return fail(stoppedTrouble(items, all.isDry));
  }
  const [first] = items;
  if (isOne && first !== undefined) return single(first.taken, all.isDry);
  return summed(call, items, failed, all.isDry);
}

function summed(
  call: Call,
  items: readonly Item[],
  failed: readonly { readonly path: string; readonly trouble: Trouble }[],
  isDry: boolean,
): Outcome {
  if (items.length === 0) return fail(failed[0]?.trouble ?? nothingIn(call.words));
  return several(items, failed, isDry);
}

/** What is here of it stays, and a second run finds it (CL65). */
function stoppedTrouble(items: readonly Item[], isDry: boolean): Trouble {
  if (isDry) return interrupted("stopped before the end; nothing was changed", "run it again");
  const kept = items.reduce((sum, { taken }) => sum + taken.added, 0);
  return interrupted(
    `stopped before the end: ${counted(kept, "record")} came in and ${kept === 1 ? "stays" : "stay"}`,
    "the same `tidemark import` again takes in the rest; what is here counts as known",
  );
}

/** What can be read of a folder; a file that a person names is read whatever it is called. */
function pathsOf(root: string): readonly string[] {
  if (root === "-" || !isFolder(root)) return [root];
  return filesBelow(root).filter((path) => /\.(?:md|markdown|jsonl|db|sqlite3?)$/iu.test(path));
}

async function takePath(
  deps: CliDeps,
  run: ImportRun,
  { root, path }: { readonly root: string; readonly path: string },
): Promise<Result<Taken, Trouble>> {
  if (path === "-") return await takeLines(run, deps.io.stdinLines(deps.signal));
  if (isDatabaseFile(path)) return await takeDatabase(run, path);
  run.progress.tell(`reading ${safeText(path, 60)}`);
  if (isNote(path) && isThere(path)) return ok(takeNote(run, root, path));
  const lines = deps.files.lines(path, deps.signal);
  if (!lines.ok) return fail(trouble(lines.error));
  try {
    return await takeLines(run, lines.value, deps.files.bytes(path));
  } catch (cause) {
    // One file that cannot be read, or not to its end, keeps no other one back (IM7).
    if (!(cause instanceof UnreadableFileError)) throw cause;
    return fail(trouble(cause.error));
  }
}

function single(taken: Taken, isDry: boolean): Outcome {
  const text = takenText(taken, isDry);
  return ok({
    json: taken.json,
    text,
    ...(taken.trouble === undefined ? {} : { trouble: taken.trouble }),
  });
}

function several(
  items: readonly Item[],
  failed: readonly { readonly path: string; readonly trouble: Trouble }[],
  isDry: boolean,
): Outcome {
  const sum = (of: (taken: Taken) => number): number =>
    items.reduce((total, { taken }) => total + of(taken), 0);
  const counts = {
    added: sum(({ added }) => added),
    known: sum(({ known }) => known),
    refused: sum(({ refused }) => refused),
  };
  // Files of a folder that are something else altogether are no trouble; files that are damaged are.
  const passed = failed.map(({ path, trouble: { code, message } }) => ({ path, code, message }));
  const skipped = [
    ...items.flatMap(({ path, taken }) =>
      taken.skipped.map(({ from, reason }) => ({ from: `${path}: ${from}`, reason })),
    ),
    ...passed.map(({ path, message }) => ({ from: path, reason: message })),
  ];
  const one = isDry ? "would be added" : "added";
  const events = isDry ? transcriptNote(items) : "";
  const headline = `${counted(items.length, "file")} read: ${counted(counts.added, "observation")} ${one}, ${counts.known} known before${events}`;
  const titles = items.flatMap(({ taken }) => taken.titles);
  const notes = items.flatMap(({ path, taken }) =>
    (taken.notes ?? []).map((note) => `${safeText(path, 60)}: ${note}`),
  );
  const json = {
    kind: "several",
    dryRun: isDry,
    ...counts,
    items: items.map(({ path, taken }) => ({ path, ...taken.json })),
    failed: passed,
  };
  const whole = { kind: "several", ...counts, skipped, json, headline, notes, titles };
  const broken =
    items.find(({ taken }) => taken.trouble !== undefined)?.taken.trouble ??
    failed.find(({ trouble: { code } }) => code === "no-file")?.trouble;
  return single(broken === undefined ? whole : { ...whole, trouble: broken }, isDry);
}

function transcriptNote(items: readonly Item[]): string {
  const count = items.filter(({ taken }) => taken.kind === "transcript").length;
  return count === 0
    ? ""
    : `; what ${counted(count, "transcript")} would add shows when it is done`;
}

function nothingIn(paths: readonly string[]): Trouble {
  return { ...unknownFormat, message: `nothing in ${paths.join(", ")} can be imported` };
}
