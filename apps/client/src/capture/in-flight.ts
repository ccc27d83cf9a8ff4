import type { AgentEvent } from "./event.ts";
import { oneLine } from "./payload/clip.ts";
import { requestTitle } from "./rules/request.ts";
import { sessionOutcome, type SessionOutcome } from "./session.ts";

/** What a session leaves in flight: all that the next one needs to go on. */
export interface InFlight {
  readonly task: string;
  /** How far it is. */
  readonly state: string;
  readonly next: string;
  readonly questions: readonly string[];
  readonly files: readonly string[];
  /** The last things said, oldest first, each with who said it. */
  readonly turns: readonly string[];
}

const filesMax = 24;
const turnsMax = 6;
const turnCharsMax = 280;
const questionsMax = 6;

/**
 * What a session's events say of its unfinished work, without a model: its last request, the last
 * words and checks, the failure that nothing made good, and what the agent asked last.
 */
export function inFlightOf(events: readonly AgentEvent[]): InFlight | undefined {
  const outcome = sessionOutcome(events);
  const task = lastRequest(events) ?? outcome.request;
  if (task === undefined) return undefined;
  const words = outcome.lastWords ?? "";
  return {
    task,
    state: [words, checksLine(outcome)].filter((part) => part !== "").join("\n"),
    next: nextOf(outcome),
    questions: questionsIn(words),
    files: outcome.filesChanged.slice(0, filesMax),
    turns: lastTurns(events),
  };
}

function lastRequest(events: readonly AgentEvent[]): string | undefined {
  const prompts = events.filter(({ event }) => event === "prompt");
  return prompts.map((event) => requestTitle([event])).findLast((title) => title !== undefined);
}

function checksLine({ checks, commits }: SessionOutcome): string {
  const told = checks.map(({ command, passed }) => `${command} ${passed ? "passed" : "failed"}`);
  const committed = commits.length === 0 ? [] : [`committed: ${commits.slice(-3).join("; ")}`];
  return [...told, ...committed].join("; ");
}

function nextOf({ unsolved }: SessionOutcome): string {
  return unsolved === undefined ? "" : `make ${unsolved.command} pass: ${unsolved.error}`;
}

function questionsIn(words: string): readonly string[] {
  const sentences = words.match(/[^.!?\n]+\?/gu) ?? [];
  return sentences.map((sentence) => sentence.trim()).slice(-questionsMax);
}

function lastTurns(events: readonly AgentEvent[]): readonly string[] {
  const said = events.flatMap(({ event, prompt, assistant }) => {
    if (event === "prompt" && prompt !== undefined) return [`asked: ${cut(prompt)}`];
    if (event === "turn-end" && assistant !== undefined) return [`answered: ${cut(assistant)}`];
    return [];
  });
  return said.slice(-turnsMax);
}

function cut(text: string): string {
  return oneLine(text, turnCharsMax);
}
