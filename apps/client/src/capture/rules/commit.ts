import type { Draft } from "../draft.ts";
import { draftLimits } from "../draft.ts";
import type { AgentEvent } from "../event.ts";
import { oneLine } from "../payload/clip.ts";
import { stableKey } from "../payload/identity.ts";
import type { CommandRun } from "../shell/outcome.ts";
import { commandRunOf } from "../shell/outcome.ts";
import { editedFiles, fileFacts, namesOf } from "./edited.ts";
import { rootOf } from "./files.ts";
import { whyLines } from "./reasons.ts";
import { agentOrigin } from "./taint.ts";
import { isClosing, turnChangeKey } from "./turn.ts";

/** A command line is searched for a commit's message up to this many characters. */
const commandCharsMax = 8000;

/**
 * A commit, with all the edits that it explains folded into it: what was done to which file and
 * what the agent said of why (CP30). What a turn told of these edits before gives way to it.
 */
export function commitDrafts(history: readonly AgentEvent[], next: AgentEvent): readonly Draft[] {
  const run = commandRunOf(next);
  if (run === undefined || run.outcome !== "passed") return [];
  const subject = commitSubject(run);
  if (subject === undefined) return [];
  const since = history.slice(history.findLastIndex(isCommit) + 1);
  const files = editedFiles(since, rootOf([...history, next]));
  const origin = agentOrigin(history);
  const said = origin === "web" ? [] : since;
  const message = commitMessage(run.line) ?? subject;
  return [
    {
      key: stableKey(next.key, "commit"),
      kind: "change",
      title: oneLine(subject, draftLimits.titleCharsMax),
      narrative: oneLines([message, ...whyLines(said)]),
      facts: [...printedFacts(run), ...fileFacts(files, said)].slice(0, draftLimits.changeFactsMax),
      concepts: ["commit", ...namesOf(files)].slice(0, draftLimits.conceptsMax),
      filesRead: [],
      filesModified: files.map(({ path }) => path).slice(0, draftLimits.filesMax),
      origin,
      replaces: since.filter(isClosing).map(turnChangeKey),
    },
  ];
}

/** The subject of the commit that an event made, or `undefined`: as git printed it, else as it was typed. */
export function commitSubject(run: CommandRun): string | undefined {
  if (!run.programs.some((program) => program.kind === "commit")) return undefined;
  const printed = /^\[[^\]\n]+ [0-9a-f]{7,40}\] (.+)$/mu.exec(run.response)?.[1];
  if (printed !== undefined) return printed.trim();
  // Git prints nothing of a commit that was to be quiet and that it made.
  const isQuiet = run.outcome === "passed" && run.response.trim() === "";
  return isQuiet ? commitMessage(run.line)?.split("\n")[0] : undefined;
}

/** Whether an event made a commit. */
export function isCommit(event: AgentEvent): boolean {
  const run = commandRunOf(event);
  return run !== undefined && commitSubject(run) !== undefined;
}

function oneLines(lines: readonly string[]): string {
  return lines.join("\n\n").slice(0, draftLimits.narrativeCharsMax);
}

function printedFacts(run: CommandRun): readonly string[] {
  const stat = /^ ?\d+ files? changed.*$/mu.exec(run.response)?.[0].trim();
  const hash = /^\[([^\]\n]+) ([0-9a-f]{7,40})\]/mu.exec(run.response);
  return [
    ...(hash === null ? [] : [`Commit ${hash[2] ?? ""} on ${hash[1] ?? ""}`]),
    ...(stat === undefined ? [] : [stat]),
  ];
}

/** The message as it was typed: from a here document or from `-m "…"`. */
function commitMessage(command: string): string | undefined {
  const line = command.slice(0, commandCharsMax);
  const document = /<<-?[ \t]*['"]?(\w+)['"]?\n([\s\S]*?)\n[ \t]*\1/u.exec(line)?.[2];
  const flags = [
    ...line.matchAll(/(?:^|\s)(?:-m|-am|--message)[ =](?:"((?:\\.|[^"\\])*)"|'([^']*)')/gu),
  ];
  const message = document ?? flags.map((match) => match[1] ?? match[2] ?? "").join("\n\n");
  const kept = message
    .split("\n")
    .filter((text) => !/^(?:Co-Authored-By|Signed-off-by):|Generated with \[/iu.test(text.trim()))
    .join("\n")
    .trim();
  return kept === "" || kept.includes("$(")
    ? undefined
    : kept.slice(0, draftLimits.narrativeCharsMax);
}
