import type { Draft, ObservationKind } from "../draft.ts";
import { draftLimits } from "../draft.ts";
import type { AgentEvent } from "../event.ts";
import { isFields, textOf } from "../json.ts";
import { oneLine } from "../payload/clip.ts";
import { stableKey } from "../payload/identity.ts";
import type { CommandRun } from "../shell/outcome.ts";
import { commandRunOf } from "../shell/outcome.ts";
import { isCheck } from "../shell/programs.ts";
import { distinct, editedFile, rootOf } from "./files.ts";
import { agentOrigin } from "./taint.ts";

/** A command line is searched for a commit's message up to this many characters. */
const commandCharsMax = 8000;

/** Commands worth knowing: how to check the work, what was installed, migrated, committed (CP16). */
export function commandDrafts(history: readonly AgentEvent[], next: AgentEvent): readonly Draft[] {
  const run = commandRunOf(next);
  if (run === undefined || run.outcome !== "passed") return [];
  return [
    ...checkDraft(history, next, run),
    ...installDraft(next, run),
    ...migrationDraft(next, run),
    ...commitDraft(history, next, run),
  ];
}

/** The subject of the commit that an event made, or `undefined`. */
export function commitSubject(run: CommandRun): string | undefined {
  if (!run.programs.some((program) => program.kind === "commit")) return undefined;
  const printed = /^\[[^\]\n]+ [0-9a-f]{7,40}\] (.+)$/mu.exec(run.response)?.[1];
  return printed?.trim();
}

/** A check is remembered when it first passes in a session: this is how one checks here. */
function checkDraft(
  history: readonly AgentEvent[],
  next: AgentEvent,
  run: CommandRun,
): readonly Draft[] {
  const { kind, name } = run.program;
  if (!isCheck(kind)) return [];
  const isKnown = history.some((event) => {
    const earlier = commandRunOf(event);
    return earlier?.outcome === "passed" && earlier.program.name === name;
  });
  if (isKnown) return [];
  const result = resultLine(run.response);
  const title = `\`${oneLine(name, 60)}\` passes${result === undefined ? "" : `: ${result}`}`;
  const key = stableKey(next.agent, next.sessionId, "check", name);
  return [commandDraft(key, title, run, [kind])];
}

function installDraft(next: AgentEvent, run: CommandRun): readonly Draft[] {
  const packages = run.program.targets.filter((target) => !/^[./]|^https?:/u.test(target));
  if (run.program.kind !== "install" || packages.length === 0) return [];
  const title = `Installed ${packages.slice(0, 5).join(", ")} with \`${run.program.name}\``;
  return [commandDraft(stableKey(next.key, "install"), title, run, packages)];
}

function migrationDraft(next: AgentEvent, run: CommandRun): readonly Draft[] {
  if (run.program.kind !== "migrate") return [];
  const named =
    /\b(?:Running|Applying|Migrating:?|migration) (\d{6,}[\w.]*(?: [\w.]+)?|\w+\.\d{4}_\w+)/u;
  const migration = named.exec(run.response)?.[1];
  const title = `Ran \`${run.program.name}\`${migration === undefined ? "" : `: ${migration}`}`;
  return [commandDraft(stableKey(next.key, "migrate"), title, run, ["migration"])];
}

function commitDraft(
  history: readonly AgentEvent[],
  next: AgentEvent,
  run: CommandRun,
): readonly Draft[] {
  const subject = commitSubject(run);
  if (subject === undefined) return [];
  const since = history.slice(history.findLastIndex(isCommit) + 1);
  const root = rootOf([...history, next]);
  const stat = /^ ?\d+ files? changed.*$/mu.exec(run.response)?.[0].trim();
  const hash = /^\[([^\]\n]+) ([0-9a-f]{7,40})\]/mu.exec(run.response);
  return [
    {
      ...draftOf(stableKey(next.key, "commit"), "change", `Committed: ${subject}`),
      narrative: commitMessage(next) ?? `Committed: ${subject}`,
      facts: [
        ...(hash === null ? [] : [`Commit ${hash[2] ?? ""} on ${hash[1] ?? ""}`]),
        ...(stat === undefined ? [] : [stat]),
      ],
      concepts: ["commit"],
      filesModified: distinct(
        since.map((event) => editedFile(event, root)),
        draftLimits.filesMax,
      ),
      origin: agentOrigin(history),
    },
  ];
}

function isCommit(event: AgentEvent): boolean {
  const run = commandRunOf(event);
  return run !== undefined && commitSubject(run) !== undefined;
}

/** The message as it was typed: from a here document or from `-m "…"`. */
function commitMessage(event: AgentEvent): string | undefined {
  const input = event.tool?.input;
  const line = isFields(input) ? (textOf(input, "command") ?? "").slice(0, commandCharsMax) : "";
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

/** The line by which a check adds up its run. */
function resultLine(response: string): string | undefined {
  const line = response
    .split("\n")
    .slice(-60)
    .map((text) => text.trim())
    .findLast((text) =>
      /^(?:\d+ doctests?, )?\d+ (?:tests?|examples?), 0 failures|^Tests:? +.*passed|^=+ .*passed.*=+$|^test result: ok|\bno issues\b|\bno errors\b|^ok\s+\S+|^\d+ passed|^\d+ passing|^Found 0 errors|\b0 errors?\b/iu.test(
        text,
      ),
    );
  return line === undefined ? undefined : oneLine(line.replaceAll(/^=+ | =+$|\.$/gu, ""), 70);
}

function commandDraft(
  key: string,
  title: string,
  run: CommandRun,
  concepts: readonly string[],
): Draft {
  const line = oneLine(run.line, draftLimits.factCharsMax);
  return {
    ...draftOf(key, "command", title),
    narrative: `${oneLine(title, draftLimits.titleCharsMax)}. The command was: ${line}`,
    facts: [line],
    concepts: concepts.slice(0, draftLimits.conceptsMax),
  };
}

function draftOf(key: string, kind: ObservationKind, title: string): Draft {
  return {
    key,
    kind,
    title: oneLine(title, draftLimits.titleCharsMax),
    narrative: title,
    facts: [],
    concepts: [],
    filesRead: [],
    filesModified: [],
    origin: "tool",
  };
}
