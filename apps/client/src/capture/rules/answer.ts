import type { Draft } from "../draft.ts";
import { draftLimits } from "../draft.ts";
import type { AgentEvent } from "../event.ts";
import { isFields, textOf } from "../json.ts";
import { clipEnd, oneLine, unquoted } from "../payload/clip.ts";
import { stableKey } from "../payload/identity.ts";
import { askingTool, toolResponseText } from "../payload/tool-response.ts";

const questionsMax = 8;
const questionTitleCharsMax = 80;
const questionTitleCharsMin = 30;

/** A question that the agent put, with what the person chose or typed. */
interface Answer {
  readonly question: string;
  readonly answer: string;
}

/** What a person answered when the agent asked: one decision for each question (CP24). */
export function answerDrafts(_: readonly AgentEvent[], next: AgentEvent): readonly Draft[] {
  return answersOf(next).map(({ question, answer }, index) => ({
    key: stableKey(next.key, "answer", String(index)),
    kind: "decision",
    title: answerTitle(question, answer),
    narrative: clipEnd(
      `The agent asked: ${question}\nThe person answered: ${answer}`,
      draftLimits.narrativeCharsMax,
    ),
    facts: [],
    concepts: [],
    filesRead: [],
    filesModified: [],
    origin: "user",
  }));
}

function answersOf(event: AgentEvent): readonly Answer[] {
  const { tool } = event;
  if (event.event !== "tool" || tool?.name !== askingTool || !isFields(tool.input)) return [];
  const asked = Array.isArray(tool.input["questions"]) ? tool.input["questions"] : [];
  const questions = asked.slice(0, questionsMax).filter(isFields);
  const texts = [tool.response, toolResponseText(askingTool, tool.input)];
  const answers = texts.map((text) => (text === undefined ? [] : readAnswers(questions, text)));
  return answers.find((found) => found.length > 0) ?? [];
}

/** Reads `"Question"="Answer", "Question"="Answer". …`; both may hold quote marks themselves. */
function readAnswers(
  questions: readonly Readonly<Record<string, unknown>>[],
  text: string,
): readonly Answer[] {
  const places = questions
    .flatMap((fields) => {
      const question = textOf(fields, "question") ?? "";
      const marks = [question, textOf(fields, "header") ?? ""].map((name) => `"${name}"="`);
      const mark = marks.find((words) => words.length > 4 && text.includes(words));
      if (mark === undefined || question === "") return [];
      const at = text.indexOf(mark);
      return [{ question, at, from: at + mark.length }];
    })
    .toSorted((left, right) => left.at - right.at);
  return places.flatMap(({ question, from }, index) => {
    const answer = answerIn(text.slice(from, places[index + 1]?.at));
    return answer === "" ? [] : [{ question: question.trim(), answer }];
  });
}

/** An answer ends at the quote mark before what the host adds, else at the last one. */
function answerIn(text: string): string {
  const end = text.search(/"(?=\.? You\b|,\s*$|\.?\s*$| (?:user )?notes:| selected )/u);
  const last = end < 0 ? text.lastIndexOf('"') : end;
  return unquoted((last < 0 ? text : text.slice(0, last)).trim());
}

function answerTitle(question: string, answer: string): string {
  const told = oneLine(answer, draftLimits.titleCharsMax - questionTitleCharsMin - 3);
  const room = Math.min(questionTitleCharsMax, draftLimits.titleCharsMax - told.length - 3);
  return `${oneLine(question, room)} → ${told}`;
}
