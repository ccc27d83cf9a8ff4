import type { Draft } from "../draft.ts";
import { draftLimits } from "../draft.ts";
import type { AgentEvent } from "../event.ts";
import { oneLine } from "../payload/clip.ts";
import { stableKey } from "../payload/identity.ts";
import type { CommandRun } from "../shell/outcome.ts";
import { commandRunOf } from "../shell/outcome.ts";
import type { Program } from "../shell/programs.ts";
import { covers } from "../shell/programs.ts";
import { folderOf, isElsewhere } from "../shell/place.ts";
import { editsOf } from "./edit.ts";
import { commandTitle, failureOf } from "./failure.ts";
import { distinct, editedFile, readFile, rootOf } from "./files.ts";
import { reasonsIn } from "./reasons.ts";
import { statementDrafts } from "./statement.ts";
import { agentOrigin, turnOf } from "./taint.ts";
import { openStep, type OpenStep, type Step } from "./step.ts";
import { failureKey } from "./turn.ts";
import { undoneEdits } from "./undone.ts";

/** An error with the steps that ended it: the last one, and what had been tried before. */
interface Solved {
  readonly first: Step;
  readonly last: Step;
  readonly all: readonly Step[];
  readonly tried: readonly string[];
}

/** Most fixes that one passing run is taken to prove. */
const fixesMax = 5;
/** Lines of an error that a fix keeps: it stands in the failure's place. */
const errorLinesMax = 6;

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
  const root = rootOf([...history, next]);
  const [first] = openFailures(history, run);
  if (first === undefined) return elsewhereDrafts(history, next, run);
  const failing = history.slice(history.indexOf(first));
  const filesRead = distinct(
    failing.map((event) => readFile(event, root)),
    draftLimits.filesMax,
  );
  const isTainted = agentOrigin(history) === "web";
  return solvedBy(history, next)
    .slice(-fixesMax)
    .map((error) => {
      const causes = isTainted ? [] : saidCauses(failing, error);
      const draft = fixDraft(run, error, causes);
      const replaces = [...(draft.replaces ?? []), ...toldBefore(failing, causes)];
      return { ...draft, replaces, filesRead };
    });
}

/** The edits of a history that its fixes tell of. */
export function remediesIn(history: readonly AgentEvent[]): ReadonlySet<AgentEvent> {
  const edits = history.flatMap((event, index) =>
    commandRunOf(event)?.outcome === "passed"
      ? solvedBy(history.slice(0, index), event).flatMap(({ last, all }) => [
          ...last.edits,
          ...all.flatMap((step) => step.edits),
        ])
      : [],
  );
  return new Set(edits);
}

/** The errors that an event is the first to prove gone. */
function solvedBy(history: readonly AgentEvent[], next: AgentEvent): readonly Solved[] {
  const run = commandRunOf(next);
  if (run?.outcome !== "passed" || run.program.kind === "quiet") return [];
  const open = openFailures(history, run);
  const [first] = open;
  if (first === undefined) return [];
  const failing = history.slice(history.indexOf(first));
  const root = rootOf([...history, next]);
  const steps = stepsOf([...failing, next], run, root).filter((step) => open.has(step.event));
  return solvedErrors(steps).filter(({ last }) => !isTestText(last, root));
}

/** A program file that failed in one folder and passes in another: where it is to be run (CP13). */
function elsewhereDrafts(
  history: readonly AgentEvent[],
  next: AgentEvent,
  run: CommandRun,
): readonly Draft[] {
  const event = turnOf(history).findLast((earlier) => failureOf(earlier) !== undefined);
  const failure = event === undefined ? undefined : failureOf(event);
  if (event === undefined || failure === undefined || failure.error.headline === "") return [];
  if (!isElsewhere({ run: failure.run, event }, { run, event: next })) return [];
  const folder = folderOf({ run, event: next }).split("/").at(-1) ?? "";
  const failing = history.slice(history.indexOf(event));
  const causes = agentOrigin(history) === "web" ? [] : distinct(reasonsIn(failing), 2);
  const first: Step = { event, failure, remedies: [], undone: [], files: [], edits: [] };
  const last = { ...first, remedies: [`running \`${commandTitle(run)}\` in ${folder}/`] };
  const solved: Solved = { first, last, all: [], tried: [] };
  const draft = fixDraft(run, solved, causes);
  return [{ ...draft, replaces: [...(draft.replaces ?? []), ...toldBefore(failing, causes)] }];
}

/** The keys of discoveries that a fix quotes as its cause: it tells them with what was done. */
function toldBefore(events: readonly AgentEvent[], causes: readonly string[]): readonly string[] {
  if (causes.length === 0) return [];
  return events
    .flatMap((event) => statementDrafts([], event))
    .filter(
      ({ kind, narrative }) =>
        kind === "discovery" && causes.some((cause) => narrative.includes(cause)),
    )
    .map(({ key }) => key);
}

/** Whether an error went away only because what a test expects was written anew. */
function isTestText({ edits }: Step, root: string | undefined): boolean {
  return (
    edits.length > 0 &&
    edits.every((edit) => isTestFile(editedFile(edit, root) ?? "") && isAssertion(edit))
  );
}

function isTestFile(path: string): boolean {
  return /(?:^|\/)(?:tests?|spec|__tests__)\/|[._-](?:test|spec)\.\w+$/u.test(path);
}

function isAssertion(edit: AgentEvent): boolean {
  const lines = editsOf(edit).flatMap(({ before, after }) => [...before, ...after]);
  return lines.some((line) => /^\s*(?:assert|refute|expect|test[\s(]|it\()/u.test(line));
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
      ...lines.slice(0, errorLinesMax).map((line) => `Error: ${line.replace(/^error: /iu, "")}`),
      ...did.map((done) => `Done: ${done}`),
      ...solved.tried.map((done) => `Did not help: ${done}`),
    ]
      .map((fact) => oneLine(fact, draftLimits.factCharsMax))
      .slice(0, draftLimits.factsMax),
    concepts: [run.program.kind],
    filesRead: [],
    filesModified: distinct(files, draftLimits.filesMax),
    origin: "tool",
    replaces: [...new Set([solved.first, ...solved.all])].map(({ event }) => failureKey(event)),
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
  const undone = undoneEdits(events, root);
  const steps: OpenStep[] = [];
  for (const event of events) {
    steps.at(-1)?.add(event);
    const failure = failureOf(event);
    if (failure !== undefined && covers(passed.program, failure.run.program)) {
      steps.push(openStep(event, failure, { undone, root }));
    }
  }
  return steps.map((step) => step.close());
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
    const tried = [
      ...same.slice(0, -1).flatMap((step) => step.remedies),
      ...same.flatMap((step) => step.undone),
    ];
    return [{ first, last, all: same, tried: distinct(tried, 4) }];
  });
}

/** What the agent said to be the cause between an error's last sight and the next run. */
function saidCauses(events: readonly AgentEvent[], solved: Solved): readonly string[] {
  const from = events.indexOf(solved.last.event) + 1;
  const length = events.slice(from).findIndex((event) => commandRunOf(event)?.outcome === "failed");
  return distinct(reasonsIn(events.slice(from, length < 0 ? undefined : from + length)), 2);
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
