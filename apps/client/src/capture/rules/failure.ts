import type { Draft } from "../draft.ts";
import { draftLimits } from "../draft.ts";
import type { AgentEvent } from "../event.ts";
import { oneLine } from "../payload/clip.ts";
import { stableKey } from "../payload/identity.ts";
import type { EssentialError } from "../shell/error-lines.ts";
import { essentialError } from "../shell/error-lines.ts";
import type { CommandRun } from "../shell/outcome.ts";
import { commandRunOf } from "../shell/outcome.ts";
import { editedFile, rootOf } from "./files.ts";
import { turnOf } from "./taint.ts";

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

/** A command that failed, once per error: the same failure again is no news (CP12). */
export function failureDrafts(history: readonly AgentEvent[], next: AgentEvent): readonly Draft[] {
  const failure = failureOf(next);
  if (failure === undefined || failure.error.headline === "") return [];
  const { run, error } = failure;
  const isKnown = history.some((event) => {
    const earlier = failureOf(event);
    return (
      earlier?.run.program.name === run.program.name && earlier.error.headline === error.headline
    );
  });
  if (isKnown) return [];
  return [
    {
      key: stableKey(next.key, "failure"),
      kind: "failure",
      title: oneLine(
        `\`${commandTitle(run)}\` failed: ${error.headline}`,
        draftLimits.titleCharsMax,
      ),
      narrative: oneLine(
        `\`${commandTitle(run, 200)}\` failed. ${error.lines.join(" · ")}`,
        draftLimits.narrativeCharsMax,
      ),
      facts: error.lines.map((line) => oneLine(line, draftLimits.factCharsMax)),
      concepts: [run.program.kind],
      filesRead: [],
      filesModified: suspects(history, next, run),
      origin: "tool",
    },
  ];
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
export function commandTitle(run: CommandRun, max = 60): string {
  const { name, targets } = run.program;
  const [only] = targets;
  if (only === undefined || max > 100) return oneLine([name, ...targets].join(" "), max);
  const target =
    targets.length === 1 ? (only.split("/").at(-1) ?? only) : `${targets.length} targets`;
  return oneLine(`${name} ${target}`, max);
}
