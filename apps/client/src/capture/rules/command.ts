import type { Draft, ObservationKind } from "../draft.ts";
import { draftLimits } from "../draft.ts";
import type { AgentEvent } from "../event.ts";
import { oneLine } from "../payload/clip.ts";
import { stableKey } from "../payload/identity.ts";
import type { CommandRun } from "../shell/outcome.ts";
import { commandRunOf } from "../shell/outcome.ts";
import { folderOf } from "../shell/place.ts";
import { rootOf } from "./files.ts";

/** Commands worth knowing: how to check the work and to migrate, and what was installed (CP16). */
export function commandDrafts(history: readonly AgentEvent[], next: AgentEvent): readonly Draft[] {
  const run = commandRunOf(next);
  if (run === undefined || run.outcome !== "passed") return [];
  return [...checkDraft(history, next, run), ...installDraft(next, run)];
}

const whatRuns: Readonly<Record<string, string>> = {
  test: "Tests run",
  build: "It is built",
  lint: "It is linted",
  migrate: "The database is migrated",
};

/** A check is remembered when it first passes in a session: this is how one checks here. */
function checkDraft(
  history: readonly AgentEvent[],
  next: AgentEvent,
  run: CommandRun,
): readonly Draft[] {
  const { kind, name } = run.program;
  const does = whatRuns[kind];
  if (does === undefined) return [];
  const isKnown = history.some((event) => {
    const earlier = commandRunOf(event);
    return earlier?.outcome === "passed" && earlier.program.name === name;
  });
  if (isKnown) return [];
  const result = resultLine(run.response);
  const folder = folderOf({ run, event: next });
  const root = rootOf([...history, next]) ?? folder;
  const place = folder.startsWith(`${root}/`) ? ` in ${folder.slice(root.length + 1)}/` : "";
  const title = `${does} with \`${oneLine(name, 60)}\`${place}`;
  const key = stableKey(next.agent, next.sessionId, "check", name);
  const draft = commandDraft(key, title, run, [kind]);
  return result === undefined
    ? [draft]
    : [{ ...draft, facts: [...draft.facts, `It passed: ${result}`] }];
}

function installDraft(next: AgentEvent, run: CommandRun): readonly Draft[] {
  const packages = run.program.targets.filter((target) => !/^[./]|^https?:/u.test(target));
  if (run.program.kind !== "install" || packages.length === 0) return [];
  const title = `Installed ${packages.slice(0, 5).join(", ")} with \`${run.program.name}\``;
  return [commandDraft(stableKey(next.key, "install"), title, run, packages)];
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
