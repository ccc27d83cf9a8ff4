import { expect, test } from "vitest";
import type { AgentEvent } from "./event.ts";
import { inFlightOf } from "./in-flight.ts";

const base = { agent: "a", name: "x", sessionId: "s", cwd: "/app", key: "" };
const prompt = (text: string): AgentEvent => ({ ...base, event: "prompt", prompt: text });
const said = (text: string): AgentEvent => ({ ...base, event: "turn-end", assistant: text });
const ran = (command: string, ok: boolean, response: string): AgentEvent => ({
  ...base,
  event: ok ? "tool" : "tool-failed",
  tool: { name: "Bash", input: { command }, ok, response },
});
const edited = (path: string): AgentEvent => ({
  ...base,
  event: "tool",
  tool: {
    name: "Edit",
    input: { file_path: path, old_string: "a = 1", new_string: "a = 2" },
    ok: true,
  },
});

test("[HO6] what is in flight is the last request, what came of it, and what is open", () => {
  const found = inFlightOf([
    prompt("Fix the login bug"),
    said("Fixed."),
    prompt("Now make the queue keep its jobs"),
    edited("/app/src/queue.ts"),
    ran("npm test", false, "Exit code 1\nTypeError: jobs is undefined"),
    said("The jobs are kept, but one test fails. Should old jobs be dropped?"),
  ]);
  expect(found).toMatchObject({
    task: "Now make the queue keep its jobs",
    state: expect.stringContaining("npm test failed"),
    next: expect.stringContaining("TypeError: jobs is undefined"),
    questions: ["Should old jobs be dropped?"],
    files: ["src/queue.ts"],
  });
  expect(found?.turns.at(-1)).toMatch(/^answered: The jobs are kept/u);
  expect(found?.turns[0]).toBe("asked: Fix the login bug");
});

test("[HO6] where nothing was asked for nothing is in flight", () => {
  expect(inFlightOf([])).toBeUndefined();
  expect(inFlightOf([said("Hello.")])).toBeUndefined();
});

test("[HO6] long turns are cut, and only the last are kept", () => {
  const many = Array.from({ length: 30 }, (_, index) => prompt(`Fix ${index} ${"x".repeat(900)}`));
  const { turns = [] } = inFlightOf(many) ?? {};
  expect(turns).toHaveLength(6);
  expect(Math.max(...turns.map(({ length }) => length))).toBeLessThan(300);
});
