import type { Draft } from "../draft.ts";
import { draftLimits } from "../draft.ts";
import type { AgentEvent } from "../event.ts";
import { oneLine } from "../payload/clip.ts";
import { stableKey } from "../payload/identity.ts";
import type { CommandRun } from "../shell/outcome.ts";
import { commandRunOf } from "../shell/outcome.ts";
import type { Program } from "../shell/programs.ts";
import { covers } from "../shell/programs.ts";
import { changeTitle } from "./change.ts";
import type { Failure } from "./failure.ts";
import { commandTitle, failureOf } from "./failure.ts";
import { distinct, editedFile, readFile, rootOf } from "./files.ts";
import { statementDrafts } from "./statement.ts";

/** A failure on the way to a pass, and what was done about it until the next run. */
interface Step {
  readonly event: AgentEvent;
  readonly failure: Failure;
  readonly remedies: readonly string[];
  readonly files: readonly string[];
}

/** An error with the steps that ended it: the last one, and what had been tried before. */
interface Solved {
  readonly first: Step;
  readonly last: Step;
  readonly tried: readonly string[];
}

/** Most fixes that one passing run is taken to prove. */
const fixesMax = 5;

/**
 * The errors of a command that failed and now passes, each with what was changed after it (CP13).
 *
 * Says what happened, not why: an error was there, these files changed, the next run did not have
 * it, and now the command passes. Where nothing was changed or installed, the command was flaky and
 * there is no fix to tell.
 */
export function fixDrafts(history: readonly AgentEvent[], next: AgentEvent): readonly Draft[] {
  const run = commandRunOf(next);
  if (run?.outcome !== "passed" || run.program.kind === "quiet") return [];
  const open = openFailures(history, run);
  const [first] = open;
  if (first === undefined) return [];
  const failing = history.slice(history.indexOf(first));
  const root = rootOf([...history, next]);
  const solved = solvedErrors(stepsOf(failing, run, root).filter((step) => open.has(step.event)));
  const filesRead = distinct(
    failing.map((event) => readFile(event, root)),
    draftLimits.filesMax,
  );
  return solved
    .slice(-fixesMax)
    .map((error) => ({ ...fixDraft(run, error, saidCauses(failing, error)), filesRead }));
}

function fixDraft(run: CommandRun, solved: Solved, causes: readonly string[]): Draft {
  const { failure, remedies, files } = solved.last;
  const { headline, lines } = failure.error;
  const remedy =
    files.length > 0 ? `changing ${shownFiles(files)}` : distinct(remedies, 2).join(", ");
  const said = causes.length === 0 ? "" : ` The agent said: ${causes.join(" ")}`;
  const did = distinct(remedies, 6);
  return {
    key: stableKey(solved.first.event.key, "fix"),
    kind: "fix",
    title: fixTitle(headline, remedy),
    narrative: oneLine(
      `\`${commandTitle(failure.run, 200)}\` failed: ${headline.replace(/[.:]$/u, "")}. It was gone after: ${did.join("; ")}. ` +
        `\`${commandTitle(run, 200)}\` passes since.${said}`,
      draftLimits.narrativeCharsMax,
    ),
    facts: [
      ...lines.slice(0, 3).map((line) => `Error: ${line}`),
      ...did.map((done) => `Done: ${done}`),
      ...solved.tried.map((done) => `Did not help: ${done}`),
    ]
      .map((fact) => oneLine(fact, draftLimits.factCharsMax))
      .slice(0, draftLimits.factsMax),
    concepts: [run.program.kind],
    filesRead: [],
    filesModified: distinct(files, draftLimits.filesMax),
    origin: "tool",
  };
}

/** The failures, in order, that this pass is the first to make good. */
function openFailures(history: readonly AgentEvent[], passed: CommandRun): ReadonlySet<AgentEvent> {
  const passes: Program[] = [];
  const open: AgentEvent[] = [];
  for (const event of history.toReversed()) {
    const run = commandRunOf(event);
    if (run?.outcome === "passed") {
      if (covers(run.program, passed.program)) break;
      passes.push(run.program);
    } else if (run?.outcome === "failed" && covers(passed.program, run.program)) {
      const isSolved = passes.some((program) => covers(program, run.program));
      if (!isSolved) open.push(event);
    }
  }
  return new Set(open.toReversed());
}

/** Every failure of the command in order, solved or not, for what was done after which. */
function stepsOf(
  events: readonly AgentEvent[],
  passed: CommandRun,
  root: string | undefined,
): readonly Step[] {
  const steps: { event: AgentEvent; failure: Failure; remedies: string[]; files: string[] }[] = [];
  for (const event of events) {
    const failure = failureOf(event);
    const path = editedFile(event, root);
    const step = steps.at(-1);
    if (failure !== undefined && covers(passed.program, failure.run.program)) {
      steps.push({ event, failure, remedies: [], files: [] });
    } else if (step !== undefined && path !== undefined) {
      step.files.push(path);
      step.remedies.push(changeTitle(event, path));
    } else step?.remedies.push(...ranRemedy(event));
  }
  return steps;
}

/** Steps with the same error are one error: what followed its last sight ended it. */
function solvedErrors(steps: readonly Step[]): readonly Solved[] {
  const stepsByError = new Map<string, Step[]>();
  for (const step of steps) {
    const { headline } = step.failure.error;
    stepsByError.set(headline, [...(stepsByError.get(headline) ?? []), step]);
  }
  return [...stepsByError.values()].flatMap((same) => {
    const [first] = same;
    const last = same.at(-1);
    if (first === undefined || last === undefined || last.remedies.length === 0) return [];
    const tried = same.slice(0, -1).flatMap((step) => step.remedies);
    return [{ first, last, tried: distinct(tried, 4) }];
  });
}

/** What the agent said to be the cause between an error's first sight and the next run. */
function saidCauses(events: readonly AgentEvent[], solved: Solved): readonly string[] {
  const from = events.indexOf(solved.last.event) + 1;
  const length = events.slice(from).findIndex((event) => commandRunOf(event)?.outcome === "failed");
  const said = events
    .slice(from, length < 0 ? undefined : from + length)
    .flatMap((event) => statementDrafts([], event))
    .filter((draft) => draft.kind === "discovery")
    .map((draft) => `"${draft.narrative}"`);
  return distinct(said, 2);
}

/** Installing and migrating change the world as edits do. */
function ranRemedy(event: AgentEvent): readonly string[] {
  const run = commandRunOf(event);
  const isRemedy = run?.program.kind === "install" || run?.program.kind === "migrate";
  return isRemedy && run.outcome !== "failed" ? [`running \`${commandTitle(run)}\``] : [];
}

function fixTitle(headline: string, remedy: string): string {
  const end = ` fixed by ${remedy}`;
  const room = Math.max(50, draftLimits.titleCharsMax - end.length);
  return oneLine(`${oneLine(headline, room).replace(/\.$/u, "")}${end}`, draftLimits.titleCharsMax);
}

function shownFiles(files: readonly string[]): string {
  const paths = distinct(files, draftLimits.filesMax);
  const names = paths.slice(0, 2).map((path) => path.split("/").slice(-2).join("/"));
  return paths.length > 2
    ? `${names.join(", ")} and ${paths.length - 2} more`
    : names.join(" and ");
}
