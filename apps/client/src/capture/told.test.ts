import { expect, test } from "vitest";

import type { Draft } from "./draft.ts";
import type { AgentEvent } from "./event.ts";
import { extract } from "./extract.ts";
import { sessionTitle } from "./session.ts";
import { edit, hook, prompt } from "./testing/session-events.ts";

const task = prompt("Add a login page");

function said(text: string, history: readonly AgentEvent[] = [task]): readonly string[] {
  return extract(history, prompt(text)).map(({ kind, title }) => `${kind}: ${title}`);
}

test.for([
  ["Remember that the payroll export runs at 3 am", "note: The payroll export runs at 3 am"],
  ["Remember: the staging host is db2.example", "note: The staging host is db2.example"],
  ["Please remember the staging host is db2", "note: The staging host is db2"],
  ["Note that pnpm is our package manager.", "note: pnpm is our package manager."],
  ["Also, keep in mind that CI has no network.", "note: CI has no network."],
  ['Remember: "the staging host is db2"', "note: The staging host is db2"],
  ["Please note: we use half-up rounding", "decision: We use half-up rounding"],
  ["Merke dir: der Export läuft um 3 Uhr", "note: Der Export läuft um 3 Uhr"],
  ["Bitte beachte, dass wir kaufmännisch runden", "note: dass wir kaufmännisch runden"],
])("[CP21] what a person tells the memory is kept without the words to it: %s", ([text, found]) => {
  expect(said(text ?? "")).toEqual([found]);
  expect(said(text ?? "", [])).toEqual([found]);
  expect(extract([task], prompt(text ?? ""))[0]?.origin).toBe("user");
});

test.for([
  ["Don't use mocks in the billing tests", "Don't use mocks in the billing tests"],
  ["Don’t add comments to tests", "Don’t add comments to tests"],
  ["always use pnpm", "Always use pnpm"],
  ["Please never push to main.", "Never push to main."],
  ["From now on run the linter first.", "From now on run the linter first."],
  ["From now on, please use pnpm.", undefined],
  ["When you write a migration, always add a down step.", undefined],
  ["In this repo we never use default exports.", undefined],
  ["I want you to always use tabs", undefined],
  ["Niemals direkt auf main pushen.", undefined],
  ["Verwende keine Mocks in den Tests", undefined],
  ["Wir verwenden pnpm in diesem Projekt.", undefined],
])("[CP22] a rule that a person gives is a decision: %s", ([text = "", title = text]) => {
  expect(said(text)).toEqual([`decision: ${title}`]);
});

test("[CP22] an agent's rules and notes are none", () => {
  const text = "Always use pnpm here. Remember that the export runs at 3 am. We use Jest.";
  expect(extract([task], hook("Stop", { last_assistant_message: text }))).toEqual([]);
});

test("[CP22] a rule within a longer sentence is told alone, and the task without it", () => {
  const text = "Please find out why it fails, and from now on always use pnpm to install.";
  expect(said(text, [])).toEqual([
    "request: Please find out why it fails",
    "decision: From now on always use pnpm to install.",
  ]);
  expect(said("We use Jest here, please speed up the tests", [])).toEqual([
    "request: please speed up the tests",
    "decision: We use Jest here",
  ]);
});

test.for([
  "Never mind the failing test",
  "Always the same error in CI",
  "It worked before, never failed.",
  "Don't commit yet",
  "Don't use it",
  "I remember that we had this bug last week",
  "Do you remember that the export runs at 3 am?",
  "Note the failing test in CI",
])("[CP22] what only sounds like a rule or a note is none: %s", (text) => {
  expect(said(text)).toEqual([]);
});

test.for([
  ["No, that is wrong: the port is 5433.", "note: The port is 5433."],
  ["That's wrong. The port is 5433, not 5432.", "note: The port is 5433, not 5432."],
  ["that's not right, invoices are rounded per line", "note: invoices are rounded per line"],
  ["Actually, the staging host is db3", "note: The staging host is db3"],
  ["No, use the v2 endpoint for invoices", "decision: Use the v2 endpoint for invoices"],
  ["No, that's not right, please use the v2 endpoint", "decision: Use the v2 endpoint"],
  ["Use vitest instead of jest", "decision: Use vitest instead of jest"],
  [
    "That breaks on Windows, use path.join instead.",
    "decision: That breaks on Windows, use path.join instead.",
  ],
  ["Das ist falsch: der Port ist 5433.", "note: Der Port ist 5433."],
])("[CP23] a correction is quoted: %s", ([text = "", found]) => {
  expect(said(text)).toEqual([found]);
});

test.for([
  "No, just fix the tests",
  "No, it still fails",
  "No, that is fine",
  "Actually, can you revert that",
  "This is wrong.",
  "Is this wrong? Should we use zod instead?",
])("[CP23] refusals, tasks and questions correct nothing: %s", (text) => {
  expect(said(text)).toEqual([]);
});

const questions = [
  { question: "Which database?", header: "Database", options: [{ label: "SQLite" }] },
  { question: 'Keep "strict" mode?', header: "Mode", options: [{ label: "Yes" }] },
];
const answers = { "Which database?": "SQLite", 'Keep "strict" mode?': "Yes, always" };
const chosen = ["Which database? → SQLite", 'Keep "strict" mode? → Yes, always'];

function asked(input: object, response: unknown): readonly Draft[] {
  const tool = { tool_name: "AskUserQuestion", tool_input: input, tool_response: response };
  return extract([task], hook("PostToolUse", tool));
}

test("[CP24] an answer to an agent's question is a decision, whatever shape the host tells it in", () => {
  const text =
    'User has answered your questions: "Which database?"="SQLite", "Keep "strict" mode?"="Yes, always". You can now continue with the user\'s answers in mind.';
  const found = asked({ questions }, { questions, answers });
  expect(found.map(({ title }) => title)).toEqual(chosen);
  expect(found[0]).toMatchObject({
    kind: "decision",
    origin: "user",
    narrative: "The agent asked: Which database?\nThe person answered: SQLite",
  });
  const shapes: readonly (readonly [object, unknown])[] = [
    [{ questions }, text],
    [{ questions }, { content: [{ type: "text", text }] }],
    [{ questions }, JSON.stringify({ answers })],
    [{ questions, answers }, undefined],
    [
      { questions },
      { answers: Object.entries(answers).map(([question, answer]) => ({ question, answer })) },
    ],
  ];
  for (const [input, response] of shapes) {
    expect(asked(input, response).map(({ title }) => title)).toEqual(chosen);
  }
});

test("[CP24] several choices are one answer; no answer is none", () => {
  const several = { answers: { "Which database?": ["SQLite", "Postgres"] } };
  expect(asked({ questions }, several).map(({ title }) => title)).toEqual([
    "Which database? → SQLite, Postgres",
  ]);
  expect(asked({ questions }, { answers: {} })).toEqual([]);
  expect(asked({ questions }, "The user declined to answer.")).toEqual([]);
  expect(asked({ questions: "?" }, { answers })).toEqual([]);
});

test("[CP25] a mere question is no request; what asks for work is", () => {
  const question = "Which package manager do we use here?";
  expect(said(question, [])).toEqual([]);
  expect(said("Welchen Paketmanager verwenden wir?", [])).toEqual([]);
  expect(said("Can you add a login page?", [])).toEqual(["request: Can you add a login page?"]);
  expect(said("Add a logout page", [prompt(question)])).toEqual(["request: Add a logout page"]);
  expect(sessionTitle([prompt(question)])).toBe(question);
  expect(sessionTitle([prompt(question), task])).toBe("Add a login page");
});

test("[CP26] a title is one sentence", () => {
  expect(said("Fix the bug. Then add a test for it.", [])).toEqual(["request: Fix the bug."]);
});

const ended = hook("Stop", { last_assistant_message: "" });

test("[CP27] names that are told as concepts carry no quote marks", () => {
  const change = edit("docs/guide.md", "## Old\ntext", "## Old\nother words");
  const [draft] = extract([task, change], ended);
  expect(draft).toMatchObject({ title: 'Changed "Old" in docs/guide.md', concepts: ["Old"] });
});

test("[CP28] a failure lists files of its turn and files its output names, no others", () => {
  const earlier = [
    edit("src/pay/old.ts", "let a = 1", "let a = 2"),
    edit("src/url.ts", "", "let b"),
  ];
  const turn = [prompt("Now the tests"), edit("src/new.ts", "", "let c = 1")];
  const error = "Exit code 1\nTypeError: Invalid URL\n    at parse (/home/u/app/src/url.ts:3:1)";
  const failed = hook("PostToolUseFailure", {
    tool_name: "Bash",
    tool_input: { command: "npm test" },
    error,
  });
  const drafts = extract([task, ...earlier, ...turn, failed], ended);
  const draft = drafts.find(({ kind }) => kind === "failure");
  expect(draft?.filesModified).toEqual(["src/url.ts", "src/new.ts"]);
});

test("[CP29] an edit in a turn that read the web is the tool's report without the agent's words", () => {
  const fetch = hook("PostToolUse", {
    tool_name: "WebFetch",
    tool_input: { url: "https://x.example" },
  });
  const words = hook("MessageDisplay", {
    assistant_message: "The page says that every key belongs into this file.",
  });
  const change = edit("src/a.ts", "let a = 1;", "let a = 2;");
  const [tainted] = extract([task, fetch, words, change], ended);
  expect(tainted).toMatchObject({ kind: "change", origin: "tool" });
  expect(tainted?.narrative).not.toContain("The page says");
  const [own] = extract([task, words, change], ended);
  expect(own?.origin).toBe("agent");
  expect([own?.narrative, ...(own?.facts ?? [])].join()).toContain("The page says");
});
