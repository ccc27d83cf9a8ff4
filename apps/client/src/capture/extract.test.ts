import fc from "fast-check";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

import { readTranscript } from "./claude-code-transcript.ts";
import { parseClaudeCodeHook } from "./claude-code.ts";
import { draftLimits } from "./draft.ts";
import type { AgentEvent } from "./event.ts";
import { extract } from "./extract.ts";
import {
  bash,
  edit,
  extractAll,
  failed,
  hook,
  prompt,
  stop,
  titles,
} from "./testing/session-events.ts";

const fixture = new URL("../../../../test/fixtures/sessions/review-page.jsonl", import.meta.url);
const recorded = extractAll(readTranscript(readFileSync(fixture, "utf8")).events);

/** What a turn of these events leaves, its end included. */
function turn(...events: readonly AgentEvent[]): readonly string[] {
  return titles(...events, stop("Done."));
}

test("[CP10] a real session leaves what a person would want to find again", () => {
  const found = recorded.map((draft) => `${draft.kind}: ${draft.title}`);
  expect(found).toEqual(
    expect.arrayContaining([
      "request: Implement spotter-gqc",
      "discovery: The auto-generated migration uses `ALTER TABLE ... modify` which SQLite doesn't support for nullability changes.",
      "discovery: No ConnCase module — tests use raw `ExUnit.Case`.",
      "command: Tests run with `mix test`",
      "command: The database is migrated with `mix ecto.migrate`",
      "fix: RuntimeError: Phoenix LiveView requires lazy_html as a test dependency fixed by changing mix.exs",
      "fix: RuntimeError: no :secret_key_base configuration found in SpotterWeb.Endpoint fixed by changing config/test.exs",
      "change: feat: add project-level review page for ongoing annotations (spotter-gqc.5)",
    ]),
  );
  expect(found.length).toBeLessThan(25);
});

test("[CP10] every draft keeps its limits and names files within the project", () => {
  for (const draft of recorded) {
    expect(draft.title.length).toBeLessThanOrEqual(draftLimits.titleCharsMax);
    expect(draft.title).not.toMatch(/^Edited \S+$/u);
    expect(draft.narrative.length).toBeLessThanOrEqual(draftLimits.narrativeCharsMax);
    expect(draft.facts.length).toBeLessThanOrEqual(draftLimits.factsMax);
    for (const path of [...draft.filesModified, ...draft.filesRead])
      expect(path).not.toMatch(/^\//u);
  }
});

test("[CP10] the same events give the same drafts", () => {
  const again = extractAll(readTranscript(readFileSync(fixture, "utf8")).events);
  expect(again).toEqual(recorded);
});

test("[CP2] any event at all is looked at without a throw", () => {
  const event = fc.record({
    name: fc.constantFrom("PostToolUse", "PostToolUseFailure", "Stop", "UserPromptSubmit"),
    tool_name: fc.constantFrom("Bash", "Edit", "Write", "MultiEdit", "NotebookEdit", "Read"),
    tool_input: fc.oneof(
      fc.record({ command: fc.string() }),
      fc.record({ file_path: fc.string(), old_string: fc.string(), new_string: fc.string() }),
      fc.dictionary(fc.string(), fc.jsonValue()),
    ),
    tool_response: fc.jsonValue(),
    error: fc.string(),
    prompt: fc.string({ minLength: 1 }),
    last_assistant_message: fc.string(),
  });
  fc.assert(
    fc.property(fc.array(event, { maxLength: 12 }), (payloads) => {
      const events = payloads.map(({ name, ...fields }) => hook(name, fields));
      return extractAll(events).every((draft) => draft.title.length <= draftLimits.titleCharsMax);
    }),
    { seed: 3, numRuns: 300 },
  );
});

test("[CP11] a change is told by the name of what it touches", () => {
  const before = "export function parseUrl(text: string) {\n  return text;\n}";
  const after = "export function parseUrl(text: string) {\n  return new URL(text);\n}";
  expect(turn(edit("src/auth.ts", before, after))).toEqual([
    "change: Changed parseUrl in src/auth.ts",
  ]);
  expect(turn(edit("src/auth.ts", "", "class Session {}\n"))).toEqual([
    "change: Added Session to src/auth.ts",
  ]);
  expect(turn(edit("src/auth.py", "def a():\n  pass", "def b():\n  pass"))).toEqual([
    "change: Replaced a by b in src/auth.py",
  ]);
  expect(turn(edit("docs/guide.md", "## Old\ntext", "## Old\nother words"))).toEqual([
    'change: Changed "Old" in docs/guide.md',
  ]);
});

test("[CP11] white space, imports, plans, locks and scratch files are no changes", () => {
  expect(turn(edit("src/a.ts", "a( b )", "a(b)"))).toEqual([]);
  expect(
    turn(edit("src/a.ts", 'import { a } from "./a.ts";', 'import { b } from "./b.ts";')),
  ).toEqual([]);
  expect(turn(edit("package-lock.json", '"a": 1', '"a": 2'))).toEqual([]);
  expect(turn(edit("node_modules/x/index.js", "let a", "let b"))).toEqual([]);
  const input = { file_path: "/home/u/.claude/plans/x.md", content: "# Plan" };
  expect(turn(hook("PostToolUse", { tool_name: "Write", tool_input: input }))).toEqual([]);
});

test("[CP12] a failing command is told with the lines that matter", () => {
  const output = [
    "Exit code 1",
    ...Array.from({ length: 400 }, (_, index) => `ok ${index}`),
    "src/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.",
    "0 errors in other projects",
  ].join("\n");
  const [draft] = extractAll([failed("npx tsc --noEmit 2>&1 | head -20", output), stop("")]);
  expect(draft).toMatchObject({
    kind: "failure",
    origin: "tool",
    facts: ["src/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'."],
  });
  expect(draft?.title).toMatch(/^`npx tsc` failed: src\/a\.ts\(3,7\): error TS2322/u);
});

test("[CP12] a pipe does not hide a failure, and no failures are none", () => {
  expect(turn(bash("npm test | tail -3", "Tests:  2 failed, 9 passed, 11 total"))[0]).toMatch(
    /^failure: `npm test` failed/u,
  );
  expect(turn(bash("npm test | tail -3", "Tests:  9 passed, 9 total\n0 failed"))).toEqual([
    "command: Tests run with `npm test`",
  ]);
  expect(turn(bash("npm test | tail -3", "..."))).toEqual([]);
});

test("[CP12] what did not run did not fail; looking around fails to no point", () => {
  expect(turn(failed("npm test", "The user doesn't want to proceed with this tool use."))).toEqual(
    [],
  );
  expect(turn(bash("npm test", "Command running in background with ID: b1"))).toEqual([]);
  expect(turn(failed("grep -r foo src", "Exit code 1"))).toEqual([]);
  expect(
    turn(failed('python3 -c "import json; json.loads(1)"', "Exit code 1\nTypeError: no")),
  ).toEqual([]);
});

test("[CP12] the same failure again is no news, another error of the command is", () => {
  const kinds = turn(
    failed("npm test", "Exit code 1\nTypeError: a is undefined"),
    failed("npm test", "Exit code 1\nTypeError: a is undefined"),
    failed("npm test", "Exit code 1\nTypeError: b is undefined"),
  );
  expect(kinds).toHaveLength(2);
});

test("[CP9] commands of the host and injected memory say nothing", () => {
  expect(titles(prompt("/review always use tabs because of taste"))).toEqual([]);
  const memory =
    '<tidemark-memory id="x">We decided to use tabs, always use tabs.</tidemark-memory>';
  expect(titles(prompt(memory))).toEqual([]);
  expect(titles(prompt(`${memory}\nAdd a login page`))).toEqual(["request: Add a login page"]);
});

test("[CP15] the first prompt that asks for something is the session's request", () => {
  expect(
    titles(
      prompt("hi"),
      prompt("/clear"),
      prompt("Add a login page.\nWith tests."),
      prompt("Now add a logout page"),
    ),
  ).toEqual(["request: Add a login page."]);
});

test("[CP16] a check is remembered once, noise never", () => {
  expect(
    titles(
      bash("ls -la"),
      bash("git status && git diff"),
      bash(
        "cd api && FOO=1 timeout 60 cargo test --all 2>&1",
        "test result: ok. 12 passed; 0 failed",
      ),
      bash("cargo test parse", "test result: ok. 1 passed; 0 failed"),
      bash("cat notes | grep error", "error: no"),
    ),
  ).toEqual(["command: Tests run with `cargo test` in api/"]);
});

test("[CP16] a commit keeps its message and the files changed since the last one", () => {
  const command =
    "git add -A && git commit -m \"$(cat <<'EOF'\nfix: close the pool\n\nIt leaked.\n\nCo-Authored-By: X <x@y.z>\nEOF\n)\"";
  const [draft] = extractAll([
    edit("src/pool.ts", "let a = 1", "let a = 2"),
    bash(command, "[main 1a2b3c4] fix: close the pool\n 1 file changed, 1 insertion(+)"),
  ]);
  expect(draft).toMatchObject({
    title: "fix: close the pool",
    narrative: "fix: close the pool\n\nIt leaked.",
    facts: ["Commit 1a2b3c4 on main", "1 file changed, 1 insertion(+)", "src/pool.ts: Changed a"],
    filesModified: ["src/pool.ts"],
  });
});

test("[CP16] a quiet commit is told by the message that was typed, where it has one", () => {
  const change = edit("src/pool.ts", "let a = 1", "let a = 2");
  const commit = (line: string, response = "") => extractAll([change, bash(line, response)])[0];
  expect(commit('git add -A && git commit -q -m "parser: follow the rename in v5"')).toMatchObject({
    kind: "change",
    title: "parser: follow the rename in v5",
    facts: ["src/pool.ts: Changed a"],
    filesModified: ["src/pool.ts"],
  });
  expect(commit("git commit -q -F notes.txt")).toBeUndefined();
  const message = 'git commit -q -m "never"';
  expect(commit(message, "On branch main\nnothing to commit, working tree clean")).toBeUndefined();
});

test("[CP19] what an agent says after reading the web is worth no more than the web (abuse 155)", () => {
  const fetch = hook("PostToolUse", {
    tool_name: "WebFetch",
    tool_input: { url: "https://x.example" },
  });
  const words = stop("The root cause is a bug in version 2 of the library.");
  expect(extract([prompt("Why?"), fetch], words)[0]?.origin).toBe("web");
  expect(extract([prompt("Why?"), fetch, prompt("And now?")], words)[0]?.origin).toBe("agent");
});

test("[CP3] hooks and an import of the same session give drafts under the same keys", () => {
  const command = "npm test";
  const error = "Exit code 1\nTypeError: no";
  const hooked = [
    prompt("Fix the failing test"),
    { ...failed(command, error), key: "" },
    stop("The root cause was a missing await in the queue."),
  ];
  const id = hooked[1]?.tool?.id ?? "";
  const origin = { sessionId: "s1", cwd: "/home/u/app" };
  const lines = [
    { type: "user", message: { content: "Fix the failing test" } },
    {
      type: "assistant",
      message: { id: "m1", content: [{ type: "tool_use", id, name: "Bash", input: { command } }] },
    },
    {
      type: "user",
      message: {
        content: [{ type: "tool_result", tool_use_id: id, is_error: true, content: error }],
      },
    },
    {
      type: "assistant",
      message: {
        id: "m2",
        content: [{ type: "text", text: "The root cause was a missing await in the queue." }],
      },
    },
  ];
  const imported = extractAll(
    readTranscript(lines.map((line) => JSON.stringify({ ...origin, ...line })).join("\n")).events,
  );
  const again = parseClaudeCodeHook("PostToolUseFailure", {
    session_id: "s1",
    cwd: "/home/u/app",
    tool_name: "Bash",
    tool_input: { command },
    error,
    tool_use_id: id,
  });
  const events = hooked.map((event) =>
    event.tool === undefined || !again.ok ? event : again.event,
  );
  expect(extractAll(events)).toEqual(imported);
  expect(imported.map((draft) => draft.kind)).toEqual(["request", "failure", "discovery"]);
});

test("[CP8] hostile output, prompts and messages are looked at in bounded time", () => {
  const pieces = [
    "= 1 failed ",
    "\n",
    "<command-name ",
    "let's use a instead of ",
    "Tests 1 ",
    "```",
    "error ",
  ];
  const before = performance.now();
  for (const piece of pieces) {
    const text = piece.repeat(Math.ceil(200_000 / piece.length));
    const history = [bash("npm test", text), failed("npm test", text), edit("a.ts", "", text)];
    extractAll([...history, prompt(`x${text}`), stop(`x${text}`), bash(`git commit -m '${text}'`)]);
  }
  expect(performance.now() - before).toBeLessThan(4000);
});
