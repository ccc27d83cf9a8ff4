import type { Draft } from "../draft.ts";
import { draftLimits } from "../draft.ts";
import type { AgentEvent } from "../event.ts";
import { oneLine } from "../payload/clip.ts";
import type { EssentialError } from "../shell/error-lines.ts";
import { essentialError } from "../shell/error-lines.ts";
import type { CommandRun } from "../shell/outcome.ts";
import { commandRunOf } from "../shell/outcome.ts";
import { isElsewhere } from "../shell/place.ts";
import { covers, type Program } from "../shell/programs.ts";
import { editedFile, rootOf } from "./files.ts";
import { turnOf } from "./taint.ts";
import { failureKey, isClosing, openTurn } from "./turn.ts";

const editsMax = 20;
const filesMax = 8;

/** A run that failed, and what its output says of why. */
export interface Failure {
  readonly run: CommandRun;
  readonly error: EssentialError;
}

/** The failure that an event tells of. Commands that only look around do not fail to any point. */
export function failureOf(event: AgentEvent): Failure | undefined {
  const run = commandRunOf(event);
  if (run?.outcome !== "failed" || run.program.kind === "quiet") return undefined;
  return { run, error: essentialError(run.response) };
}

/**
 * The commands that failed in a turn and that nothing in it made good, once per error: the same
 * failure again is no news, and one that was made good is told by its fix (CP12, CP31).
 */
export function failureDrafts(history: readonly AgentEvent[], next: AgentEvent): readonly Draft[] {
  if (!isClosing(next)) return [];
  const start = history.length - openTurn(history).length;
  return history.flatMap((event, index) => {
    const failure = index < start ? undefined : failureOf(event);
    if (failure === undefined || failure.error.headline === "") return [];
    const before = history.slice(0, index);
    const isKnown = before.some((earlier) => isSameFailure(failureOf(earlier), failure));
    if (isKnown || isMadeGood(event, failure, history.slice(index + 1))) return [];
    return [failureDraft(failure, event, before)];
  });
}

function isSameFailure(earlier: Failure | undefined, { run, error }: Failure): boolean {
  return (
    earlier?.run.program.name === run.program.name && earlier.error.headline === error.headline
  );
}

/** Whether the same command passed later, or the same program from another folder. */
export function isMadeGood(
  event: AgentEvent,
  { run }: Failure,
  later: readonly AgentEvent[],
): boolean {
  return later.some((after) => {
    const passed = commandRunOf(after);
    return (
      passed?.outcome === "passed" &&
      (covers(passed.program, run.program) ||
        isElsewhere({ run, event }, { run: passed, event: after }))
    );
  });
}

function failureDraft(
  { run, error }: Failure,
  event: AgentEvent,
  before: readonly AgentEvent[],
): Draft {
  return {
    key: failureKey(event),
    kind: "failure",
    title: oneLine(`\`${commandTitle(run)}\` failed: ${error.headline}`, draftLimits.titleCharsMax),
    narrative: oneLine(
      `\`${commandTitle(run, 200)}\` failed. ${error.lines.join(" · ")}`,
      draftLimits.narrativeCharsMax,
    ),
    facts: error.lines.map((line) => oneLine(line, draftLimits.factCharsMax)),
    concepts: [run.program.kind],
    filesRead: [],
    filesModified: suspects(before, event, run),
    origin: "tool",
  };
}

/** Files edited in this turn or named by the output: what was edited long before is not at fault. */
function suspects(
  history: readonly AgentEvent[],
  next: AgentEvent,
  run: CommandRun,
): readonly string[] {
  const root = rootOf([...history, next]);
  const turn = new Set(turnOf(history).slice(-editsMax));
  const files = history.flatMap((event) => {
    const path = editedFile(event, root);
    return path !== undefined && (turn.has(event) || isNamed(path, run.response)) ? [path] : [];
  });
  return [...new Set(files)].slice(-filesMax);
}

/** Whether an output names a file by its path, or by its last two names. */
function isNamed(path: string, output: string): boolean {
  return output.includes(path.split("/").slice(-2).join("/"));
}

/** A command as a person would name it: the program, and its one target by its last name. */
export function commandTitle({ program }: CommandRun, max = 60): string {
  return programTitle(program, max);
}

/** See {@link commandTitle}. */
export function programTitle({ name, targets }: Program, max = 60): string {
  const [only] = targets;
  if (only === undefined || max > 100) return oneLine([name, ...targets].join(" "), max);
  const target =
    targets.length === 1 ? (only.split("/").at(-1) ?? only) : `${targets.length} targets`;
  return oneLine(`${name} ${target}`, max);
}
