import type { AgentEvent } from "./event.ts";
import { oneLine } from "./payload/clip.ts";
import { commitSubject } from "./rules/commit.ts";
import { commandTitle, failureOf, isMadeGood } from "./rules/failure.ts";
import { distinct, editedFile, readFile, rootOf } from "./rules/files.ts";
import { requestTitle } from "./rules/request.ts";
import { sentencesOf } from "./rules/sentences.ts";
import { commandRunOf } from "./shell/outcome.ts";
import { isCheck } from "./shell/programs.ts";

/** What a session came to, for its record (CP20). */
export interface SessionOutcome {
  readonly request?: string;
  readonly filesChanged: readonly string[];
  readonly commits: readonly string[];
  /** Checks that were run, each with how it ended last. */
  readonly checks: readonly { readonly command: string; readonly passed: boolean }[];
  /** The last failure that no later run of the same command made good. */
  readonly unsolved?: { readonly command: string; readonly error: string };
  /** Files that were read and not changed. */
  readonly filesRead: readonly string[];
  /** What the last words name as left to do. */
  readonly next: readonly string[];
  /** The last words of the last turn. */
  readonly lastWords?: string;
}

/** How much of each an outcome holds. */
export const sessionOutcomeMax = {
  filesMax: 64,
  filesReadMax: 32,
  commitsMax: 32,
  checksMax: 16,
} as const;
const { filesMax, filesReadMax, commitsMax, checksMax } = sessionOutcomeMax;
const lastWordsCharsMax = 600;
const nextMax = 5;
const nextCharsMax = 240;

/** Words by which an agent names what is left. */
const left = (): RegExp =>
  /^(?:next(?: steps?)?\b|remaining\b|todo\b|open\b|follow-ups?\b)|\b(?:next step|still (?:to do|needs?|missing|open|fails?)|not (?:yet )?(?:done|implemented|covered|fixed)|left (?:to do|for later)|as a follow-up|remains? to be)\b/iu;

/** One line that names a session: what was asked for, else what was committed, else where it was. */
export function sessionTitle(events: readonly AgentEvent[]): string {
  const request = requestTitle(events);
  if (request !== undefined) return request;
  const [commit] = commitsOf(events);
  if (commit !== undefined) return oneLine(commit, 120);
  const folder = rootOf(events)?.split("/").findLast(Boolean);
  return folder === undefined ? "Session" : `Session in ${oneLine(folder, 80)}`;
}

/** What a session changed, checked, committed and left undone. */
export function sessionOutcome(events: readonly AgentEvent[]): SessionOutcome {
  const root = rootOf(events);
  const request = requestTitle(events);
  const unsolved = unsolvedOf(events);
  const lastWords = events.findLast((event) => event.event === "turn-end")?.assistant;
  const filesChanged = distinct(
    events.map((event) => editedFile(event, root)),
    filesMax,
  );
  const read = events.map((event) => readFile(event, root));
  return {
    filesChanged,
    filesRead: distinct(
      read.filter((path) => path !== undefined && !filesChanged.includes(path)),
      filesReadMax,
    ),
    next: nextIn(lastWords),
    commits: commitsOf(events),
    checks: checksOf(events),
    ...(request === undefined ? {} : { request }),
    ...(unsolved === undefined ? {} : { unsolved }),
    ...(lastWords === undefined ? {} : { lastWords: oneLine(lastWords, lastWordsCharsMax) }),
  };
}

function nextIn(words: string | undefined): readonly string[] {
  const named = sentencesOf(words ?? "").filter((sentence) => left().test(sentence));
  return distinct(
    named.map((sentence) => oneLine(sentence, nextCharsMax)),
    nextMax,
  );
}

function commitsOf(events: readonly AgentEvent[]): readonly string[] {
  const subjects = events.map((event) => {
    const run = commandRunOf(event);
    return run === undefined ? undefined : commitSubject(run);
  });
  return distinct(subjects, commitsMax);
}

function checksOf(events: readonly AgentEvent[]): SessionOutcome["checks"] {
  const passedByCommand = new Map<string, boolean>();
  for (const event of events) {
    const run = commandRunOf(event);
    if (run !== undefined && isCheck(run.program.kind) && run.outcome !== "unknown") {
      passedByCommand.set(run.program.name, run.outcome === "passed");
    }
  }
  return [...passedByCommand].slice(-checksMax).map(([command, passed]) => ({ command, passed }));
}

function unsolvedOf(events: readonly AgentEvent[]): SessionOutcome["unsolved"] {
  const index = events.findLastIndex((event) => failureOf(event) !== undefined);
  const event = events[index];
  const failure = event === undefined ? undefined : failureOf(event);
  if (event === undefined || failure === undefined) return undefined;
  const isSolved = isMadeGood(event, failure, events.slice(index + 1));
  return isSolved
    ? undefined
    : { command: commandTitle(failure.run), error: failure.error.headline };
}
