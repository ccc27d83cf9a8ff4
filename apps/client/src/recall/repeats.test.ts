import fc from "fast-check";
import { expect, test } from "vitest";
import { extract } from "../capture/extract.ts";
import { parseClaudeCodeHook } from "../capture/claude-code.ts";
import type { AgentEvent } from "../capture/event.ts";
import { withoutRepeats } from "./repeats.ts";

function hook(name: string, fields: object): AgentEvent {
  const common = { session_id: "s", cwd: "/home/u/app", hook_event_name: name, tool_use_id: "t" };
  const parsed = parseClaudeCodeHook(name, { ...common, ...fields });
  if (!parsed.ok) throw new Error(parsed.skip.reason);
  return parsed.event;
}

/** What is left of each draft that the rules of capture make of an event. */
function partsOf(
  name: string,
  fields: object,
  before: readonly AgentEvent[] = [],
): readonly (readonly string[])[] {
  return extract(before, hook(name, fields)).map(({ title, narrative, facts }) =>
    withoutRepeats(title, narrative, facts),
  );
}

test("[RC14] a check that passed is told once", () => {
  const tool_input = { command: "npm test -- --run" };
  const tool_response = { stdout: "Tests: 14 passed" };
  const parts = partsOf("PostToolUse", { tool_name: "Bash", tool_input, tool_response });
  expect(parts).toEqual([
    [
      "Tests run with `npm test`",
      "The command was: npm test -- --run",
      "It passed: Tests: 14 passed",
    ],
  ]);
});

test("[RC14] a change is told once, with what was before and after", () => {
  const old_string = "export function parse(text: string) {\n  return text;\n}";
  const new_string = old_string.replace("return text", "return new URL(text)");
  const tool_input = { file_path: "/home/u/app/src/auth.ts", old_string, new_string };
  const edit = hook("PostToolUse", { tool_name: "Edit", tool_input });
  expect(partsOf("Stop", { last_assistant_message: "" }, [edit])).toEqual([
    [
      "Changed parse in src/auth.ts",
      expect.stringMatching(/^Before: /u),
      expect.stringMatching(/^After: /u),
    ],
  ]);
});

test("[RC14] a statement is told once, and what follows it stays", () => {
  const decision = "We decided to keep the cache in `Redis` because it survives restarts.";
  const parts = partsOf("Stop", { last_assistant_message: `${decision} The TTL is one hour.` });
  expect(parts).toEqual([[decision, "The TTL is one hour."]]);
});

test("[RC14] case, backticks and white space make no other sentence", () => {
  const parts = withoutRepeats("Use `WAL` mode", "use WAL  mode. Readers go on.", [
    "Use wal mode",
    "`readers` go on",
    "It costs a file",
    "it costs a file.",
  ]);
  expect(parts).toEqual(["Use `WAL` mode", "Readers go on.", "It costs a file"]);
});

test("[RC14] a part of a word or of a number is no repetition", () => {
  const facts = ["1 file", "timeout is 5", "src/auth.ts"];
  expect(withoutRepeats("11 files, timeout is 5.5, lib/src/auth.tsx", "", facts)).toEqual([
    "11 files, timeout is 5.5, lib/src/auth.tsx",
    ...facts,
  ]);
});

test("[RC14] a title that was cut gives way to the sentence it was cut from", () => {
  const sentence = "The migration fails because SQLite cannot change a column.";
  expect(withoutRepeats("The migration fails because…", sentence, [])).toEqual([sentence]);
  expect(withoutRepeats("The migration fails because…", "", [])).toEqual([
    "The migration fails because…",
  ]);
});

test("[RC14] a story that repeats nothing keeps its lines as they are", () => {
  const story = "First.  Then:\n\n  if (x) {\n  }\n\nFirst.";
  expect(withoutRepeats("Title", story, [])).toEqual(["Title", story]);
});

/** The rule as it reads: between white space, quotes and brackets, or before a mark and a blank. */
function standsIn(known: string, text: string): boolean {
  const quoted = text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
  const behind = String.raw`(?=$|\s|[.,;:!?)\]"'”…]+(?:\s|$))`;
  return new RegExp(`(?<=^|[\\s("'“[])${quoted}${behind}`, "u").test(known);
}

test("[RC14] what stands by itself is found wherever it does, and nowhere else", () => {
  const texts = fc
    .array(fc.constantFrom("a", "b", " ", "(", ")", "'", '"', ".", "5", "…"), { maxLength: 12 })
    .map((characters) => `x ${characters.join("").replaceAll(/ +/g, " ").trim()} x`);
  const wanted = fc
    .array(fc.constantFrom("a", "b", "(", "'", " ", "5"), { minLength: 1, maxLength: 3 })
    .map((characters) => characters.join("").replaceAll(/ +/g, " ").trim())
    .filter((text) => text !== "");
  fc.assert(
    fc.property(texts, wanted, (title, fact) => {
      const isHeld = !withoutRepeats(title, "", [fact]).includes(fact);
      expect(isHeld).toBe(standsIn(title, fact));
    }),
    { numRuns: 20_000, seed: 20261127 },
  );
});
