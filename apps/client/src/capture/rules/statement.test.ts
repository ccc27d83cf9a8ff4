import { expect, test } from "vitest";
import { extractAll, prompt, stop, titles } from "../testing/session-events.ts";

test("[CP14] decisions and causes are quoted from those who stated them", () => {
  const text = [
    "I've looked at the queue.",
    "The root cause was that the worker never acknowledged the job.",
    "I'll use SQLite instead of Redis because the tool has to work offline.",
    "Should we decide on a cache? Let me check the tests.",
    "```\nalways use tabs instead of spaces because\n```",
  ].join("\n");
  const drafts = extractAll([stop(text)]);
  expect(drafts.map(({ kind, title, origin }) => [kind, title, origin])).toEqual([
    ["discovery", "The root cause was that the worker never acknowledged the job.", "agent"],
    ["decision", "I'll use SQLite instead of Redis because the tool has to work offline.", "agent"],
  ]);
});

test("[CP14] decisions and causes are quoted in German too, guesses are not", () => {
  const stated = [
    "Die Ursache war, dass der Worker den Auftrag nie bestätigt hat.",
    "Das lag daran, dass die Migration vor dem Seed läuft.",
    "Der Build schlug auf der CI fehl, weil der Cache veraltet war.",
    "Wir verwenden SQLite statt Redis, weil das Werkzeug offline laufen muss.",
    "Wir haben uns für Postgres 17 und gegen MySQL entschieden.",
  ];
  expect(stated.flatMap((text) => titles(stop(text)))).toEqual([
    `discovery: ${stated[0]}`,
    `discovery: ${stated[1]}`,
    `discovery: ${stated[2]}`,
    `decision: ${stated[3]}`,
    `decision: ${stated[4]}`,
  ]);
  const guessed = [
    "Vermutlich ist die Ursache der Worker, der nie bestätigt.",
    "Das Problem ist wahrscheinlich der veraltete Cache der CI.",
    "Das Problem könnte der veraltete Cache der CI sein.",
    "Wir verwenden SQLite statt Redis, oder?",
  ];
  expect(guessed.flatMap((text) => titles(stop(text)))).toEqual([]);
});

test.each([
  "It looks like the root cause is the worker that never acknowledges.",
  "I suspect the issue is the worker that never acknowledges.",
  "The problem is most likely the worker that never acknowledges.",
  "The root cause was, I believe, the worker that never acknowledges.",
  "The root cause may be that the worker never acknowledges.",
])("[CP14] a guess is no cause: %s", (text) => {
  expect(titles(stop(text))).toEqual([]);
});

test("[CP14] what opens a list or a block is told with what comes next, or not at all", () => {
  const opened = "The root cause of the failing deploy was this:";
  expect(titles(stop(`${opened}\n- the worker never acknowledged the job.`))).toEqual([
    `discovery: ${opened} the worker never acknowledged the job.`,
  ]);
  expect(titles(stop(`${opened}\n\`\`\`\nack()\n\`\`\``))).toEqual([]);
});

test("[CP14] a rule that a person gives is a decision, the same words of an agent are none", () => {
  const rule = "Never commit without running the linter.";
  expect(titles(prompt(`Add the endpoint please. ${rule}`))).toContain(`decision: ${rule}`);
  expect(titles(stop(rule))).toEqual([]);
});
