import type { Draft } from "../draft.ts";
import { draftLimits } from "../draft.ts";
import type { AgentEvent } from "../event.ts";
import { clipEnd, oneLine } from "../payload/clip.ts";
import { stableKey } from "../payload/identity.ts";
import { isSlashCommand, typedText } from "../payload/prompt-text.ts";
import { allCues } from "./cues.ts";
import { sentencesOf } from "./sentences.ts";
import { isMereQuestion, toldIn } from "./told.ts";

/** Prompts that start nothing: greetings, consent, a nudge. */
const nudge = (): RegExp =>
  /^(?:hi|hello|hey|thanks?|thank you|yes|no|ok(?:ay)?|go on|continue|proceed|please continue|try again|check again|done|stop|never mind)\b.{0,12}$/iu;

/** Orders of the moment, and words that only hand something over: they say nothing of what is wanted. */
const momentary = (): RegExp =>
  /^(?:please )?(?:(?:re-?)?run|inspect|list|show|read|open|print|commit|push|pull|look at|check) .{0,30}$|^(?:please )?(?:create|make) (?:an?|one|the)(?: \w+)? commit\b.{0,12}$|^here(?:'s| is| are) (?:an?|the|my|some)\b|^let(?:'s|’s| us) see\b/iu;

const requestCharsMin = 8;
const taskCharsMin = 12;

/** What the user wanted of the session: its first prompt that asks for something (CP15). */
export function requestDrafts(history: readonly AgentEvent[], next: AgentEvent): readonly Draft[] {
  const text = requestText(next);
  const tasks = tasksOf(next);
  if (text === undefined || tasks.length === 0) return [];
  if (history.some((event) => tasksOf(event).length > 0)) return [];
  return [
    {
      key: stableKey(next.agent, next.sessionId, "request"),
      kind: "request",
      title: taskTitle(tasks),
      narrative: clipEnd(text, draftLimits.narrativeCharsMax),
      facts: [],
      concepts: [],
      filesRead: [],
      filesModified: [],
      origin: "user",
    },
  ];
}

/** What a session was asked for, in one line; where only questions were put, the first of them. */
export function requestTitle(events: readonly AgentEvent[]): string | undefined {
  const prompts = events.filter((event) => requestText(event) !== undefined);
  const task = prompts.map(tasksOf).find((tasks) => tasks.length > 0);
  if (task !== undefined) return taskTitle(task);
  const [first] = prompts;
  const text = first === undefined ? undefined : requestText(first);
  return text === undefined ? undefined : taskTitle([...sentencesOf(text), firstLine(text)]);
}

/** The parts of a prompt that are neither mere questions nor words for the memory (CP25). */
function tasksOf(event: AgentEvent): readonly string[] {
  const text = requestText(event);
  if (text === undefined) return [];
  const languages = allCues();
  const sentences = sentencesOf(text);
  if (sentences.length === 0) return isNoTask(text) ? [] : [firstLine(text)];
  return sentences.flatMap((sentence, index) => {
    if (isNoTask(sentence) || isMereQuestion(sentence, languages)) return [];
    const told = toldIn(sentence, sentences[index + 1], languages);
    const task = told === undefined ? sentence : told.task;
    return /\w{2}/u.test(task) ? [task] : [];
  });
}

function isNoTask(sentence: string): boolean {
  return nudge().test(sentence) || momentary().test(sentence);
}

/** The words of a prompt that is no command and no nudge, or `undefined`. */
function requestText(event: AgentEvent): string | undefined {
  if (event.event !== "prompt" || event.prompt === undefined) return undefined;
  const text = typedText(event.prompt);
  if (text === undefined || text.length < requestCharsMin) return undefined;
  return isSlashCommand(text) || nudge().test(text) ? undefined : text;
}

/** The first sentence that is long enough to say something; two are never made one. */
function taskTitle(tasks: readonly string[]): string {
  const task = tasks.find((words) => words.length >= taskCharsMin) ?? tasks[0] ?? "";
  return oneLine(task, draftLimits.titleCharsMax);
}

function firstLine(text: string): string {
  const line = text.split("\n").find((part) => /\w{2}/u.test(part)) ?? text;
  return line.replace(/^[\s#>*-]+/u, "");
}
