import fc from "fast-check";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

import { readTranscript } from "./claude-code-transcript.ts";
import { parseClaudeCodeHook } from "./claude-code.ts";
import type { Draft } from "./draft.ts";
import { draftLimits } from "./draft.ts";
import type { AgentEvent } from "./event.ts";
import { extract } from "./extract.ts";

const fixture = new URL("../../../../test/fixtures/sessions/review-page.jsonl", import.meta.url);
const recorded = extractAll(readTranscript(readFileSync(fixture, "utf8")).events);

/** All drafts of a session, each key once, as a caller stores them. */
function extractAll(events: readonly AgentEvent[]): readonly Draft[] {
  const drafts = new Map<string, Draft>();
  for (const [index, next] of events.entries()) {
    for (const draft of extract(events.slice(Math.max(0, index - 200), index), next)) {
      if (!drafts.has(draft.key)) drafts.set(draft.key, draft);
    }
  }
  return [...drafts.values()];
}

let uses = 0;

function hook(name: string, fields: object): AgentEvent {
  uses += 1;
  const parsed = parseClaudeCodeHook(name, {
    session_id: "s1",
    cwd: "/home/u/app",
    hook_event_name: name,
    tool_use_id: `toolu_${uses}`,
    ...fields,
  });
  if (!parsed.ok) throw new Error(parsed.skip.reason);
  return parsed.event;
}

function prompt(text: string): AgentEvent {
  return hook("UserPromptSubmit", { prompt: text });
}

function stop(text: string): AgentEvent {
  return hook("Stop", { last_assistant_message: text });
}

function bash(command: string, stdout = ""): AgentEvent {
  return hook("PostToolUse", {
    tool_name: "Bash",
    tool_input: { command },
    tool_response: { stdout },
  });
}

function failed(command: string, error: string): AgentEvent {
  return hook("PostToolUseFailure", { tool_name: "Bash", tool_input: { command }, error });
}

function edit(path: string, oldText: string, newText: string): AgentEvent {
  const input = { file_path: `/home/u/app/${path}`, old_string: oldText, new_string: newText };
  return hook("PostToolUse", { tool_name: "Edit", tool_input: input });
}

function multiEdit(path: string, edits: readonly (readonly [string, string])[]): AgentEvent {
  const all = edits.map(([old_string, new_string]) => ({ old_string, new_string }));
  const input = { file_path: `/home/u/app/${path}`, edits: all };
  return hook("PostToolUse", { tool_name: "MultiEdit", tool_input: input });
}

/** What a turn of these events leaves, its end included. */
function turn(...events: readonly AgentEvent[]): readonly string[] {
  return titles(...events, stop("Done."));
}

function titles(...events: readonly AgentEvent[]): readonly string[] {
  return extractAll(events).map((draft) => `${draft.kind}: ${draft.title}`);
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

test("[CP13] a fix names the error, what was changed after it and what did not help", () => {
  const events = [
    failed("npm test -- url.test.ts", "Exit code 1\nTypeError: Invalid URL"),
    edit("src/a.ts", "const depth = 1;", "const depth = 2;"),
    failed("npm test -- url.test.ts", "Exit code 1\nTypeError: Invalid URL"),
    edit("src/url.ts", "return text", "return new URL(text)"),
    bash("npm test 2>&1", "Tests: 3 passed, 3 total"),
  ];
  const fixes = extractAll(events).filter((draft) => draft.kind === "fix");
  expect(fixes).toHaveLength(1);
  expect(fixes[0]).toMatchObject({
    title: "TypeError: Invalid URL fixed by changing src/url.ts",
    filesModified: ["src/url.ts"],
    facts: [
      "Error: TypeError: Invalid URL",
      "Done: Edited src/url.ts: return new URL(text)",
      "Did not help: Changed depth in src/a.ts",
    ],
  });
});

test("[CP13] a pass without changes, of fewer tests or told twice is no fix", () => {
  const error = "Exit code 1\nTypeError: no";
  const fixes = (...events: readonly AgentEvent[]): number =>
    extractAll(events).filter((draft) => draft.kind === "fix").length;
  const change = (): AgentEvent => edit("src/a.ts", "let a = 1", "let a = 2");
  expect(fixes(failed("npm test", error), bash("npm test", "1 passed"))).toBe(0);
  expect(fixes(failed("npm test", error), change(), bash("npm test a.test.ts", "1 passed"))).toBe(
    0,
  );
  expect(fixes(failed("npm test", error), change(), bash("npm run build", "built in 2s"))).toBe(0);
  const twice = [
    failed("npm test", error),
    change(),
    bash("npm test", "1 passed"),
    change(),
    bash("npm test", "1 passed"),
  ];
  expect(fixes(...twice)).toBe(1);
});

test("[CP13] a wider pass proves only what no narrower one has proven before", () => {
  const events = [
    failed("npm test", "Exit code 1\nTypeError: one"),
    edit("src/one.ts", "let a = 1", "let a = 2"),
    failed("npm test two.test.ts", "Exit code 1\nTypeError: two"),
    edit("src/two.ts", "let b = 1", "let b = 2"),
    bash("npm test two.test.ts", "1 passed"),
    bash("npm test", "9 passed"),
  ];
  const fixes = events.map((event, index) =>
    extract(events.slice(0, index), event).flatMap((draft) =>
      draft.kind === "fix" ? draft.title : [],
    ),
  );
  expect(fixes.slice(-2)).toEqual([
    ["TypeError: two fixed by changing src/two.ts"],
    ["TypeError: one fixed by changing src/one.ts"],
  ]);
});

test("[CP13] installing what was missing fixes too", () => {
  const drafts = titles(
    failed("npm test", "Exit code 1\nError: Cannot find module 'zod'"),
    bash("npm install zod", "added 1 package"),
    bash("npm test", "1 passed"),
  );
  expect(drafts).toContain(
    "fix: Error: Cannot find module 'zod' fixed by running `npm install zod`",
  );
  expect(drafts).toContain("command: Installed zod with `npm install`");
});

/** The one fix that a session leaves. */
function onlyFix(...events: readonly AgentEvent[]): Draft | undefined {
  const fixes = extractAll(events).filter((draft) => draft.kind === "fix");
  expect(fixes.length).toBeLessThan(2);
  return fixes[0];
}

const invalid = (): AgentEvent => failed("npm test", "Exit code 1\nError: Invalid URL");
const passes = (): AgentEvent => bash("npm test", "Tests: 3 passed, 3 total");
const guess = (): AgentEvent => edit("src/a.ts", "const depth = 1;", "const depth = 2;");
const cure = (): AgentEvent => edit("src/url.ts", "return text", "return new URL(text)");

test.each([
  ["an edit", edit("src/a.ts", "const depth = 2;", "const depth = 1;")],
  ["git", bash("git checkout -- src/a.ts")],
  ["git, by the folder", bash("git restore ./src/")],
  ["git, where it stands", bash("git checkout .")],
  ["git, all of it", bash("git reset --hard")],
])(
  "[CP13] what was taken back by %s is no part of a fix, and told as what did not help",
  (_, back) => {
    const takenBack = "Did not help: Changed depth in src/a.ts";
    for (const events of [
      [invalid(), guess(), back, cure(), passes()],
      [invalid(), guess(), invalid(), back, cure(), passes()],
    ]) {
      const fix = onlyFix(...events);
      expect(fix).toMatchObject({
        title: "Error: Invalid URL fixed by changing src/url.ts",
        filesModified: ["src/url.ts"],
      });
      expect(fix?.facts).toContain("Done: Edited src/url.ts: return new URL(text)");
      expect(fix?.facts.filter((fact) => fact.includes("depth"))).toEqual([takenBack]);
    }
  },
);

test("[CP13] where all was taken back there is no fix to tell", () => {
  const back = edit("src/a.ts", "const depth = 2;", "const depth = 1;");
  expect(onlyFix(invalid(), guess(), back, passes())).toBeUndefined();
  expect(onlyFix(invalid(), guess(), bash("git reset --hard"), passes())).toBeUndefined();
});

test.each([
  ["another file", edit("src/b.ts", "const depth = 2;", "const depth = 1;")],
  ["another place", edit("src/a.ts", "let depth = 2;", "let depth = 1;")],
  ["a branch", bash("git checkout main")],
  ["another file of git's", bash("git checkout -- src/b.ts")],
  ["what failed", failed("git checkout -- src/a.ts", "Exit code 1\nerror: pathspec")],
  ["the index alone", bash("git restore --staged src/a.ts")],
  [
    "one of two places",
    multiEdit("src/a.ts", [
      ["const depth = 2;", "const depth = 1;"],
      ["a", "b"],
    ]),
  ],
])("[CP13] an edit stands after %s was set back", (_, other) => {
  const fix = onlyFix(invalid(), guess(), other, passes());
  expect(fix?.facts).toContain("Done: Changed depth in src/a.ts");
});

test.each([
  ["sed -i 's/http:/https:/' src/url.ts"],
  ["sed -E -i.bak 's/http:/https:/' src/url.ts"],
  ["perl -pi -e 's/http:/https:/' src/url.ts"],
  ["rm -rf node_modules/.cache"],
  ["cp .env.example .env"],
  ["docker compose up -d db"],
  ["git apply fix.patch"],
])("[CP13] %s is told as what was done, before the next run and in its line", (command) => {
  const title = `Error: Invalid URL fixed by running \`${command}\``;
  expect(onlyFix(invalid(), bash(command), passes())?.title).toBe(title);
  const inLine = bash(`${command} && npm test`, "Tests: 3 passed, 3 total");
  expect(onlyFix(invalid(), inLine)?.title).toBe(title);
});

test("[CP13] a command by which nothing changed, that ran with the failure or beside an edit is no fix", () => {
  expect(onlyFix(invalid(), bash("sed -n 1,20p src/url.ts"), passes())).toBeUndefined();
  expect(onlyFix(invalid(), bash("rm -f /tmp/out.log"), passes())).toBeUndefined();
  const both = (): string => "rm -rf dist && npm test";
  const again = bash(both(), "Tests: 3 passed, 3 total");
  expect(onlyFix(failed(both(), "Exit code 1\nError: Invalid URL"), again)).toBeUndefined();
  const tidied = onlyFix(invalid(), bash("rm -rf dist"), cure(), passes());
  expect(tidied?.facts.filter((fact) => fact.startsWith("Done: "))).toEqual([
    "Done: Edited src/url.ts: return new URL(text)",
  ]);
});

test("[CP13] what failed itself, or came after the check, is no fix", () => {
  const sed = failed("sed -i s/a/b/ src/none.ts", "Exit code 2\nsed: can't read src/none.ts");
  expect(onlyFix(invalid(), sed, passes())).toBeUndefined();
  const after = bash("npm test && rm -rf coverage", "Tests: 3 passed, 3 total");
  expect(onlyFix(invalid(), after)).toBeUndefined();
});

test("[CP13] what was committed is a fix, whatever git sets back after it", () => {
  const commit = bash('git commit -am "Parse it"', "[main 1a2b3c4] Parse it");
  const fix = onlyFix(invalid(), cure(), commit, bash("git reset --hard"), passes());
  expect(fix?.filesModified).toEqual(["src/url.ts"]);
});

test("[CP13] what was done in the line that failed again did not help", () => {
  const again = failed("sed -i s/a/b/ src/url.ts && npm test", "Exit code 1\nError: Invalid URL");
  const fix = onlyFix(invalid(), again, cure(), passes());
  expect(fix?.facts).toContain("Did not help: running `sed -i s/a/b/ src/url.ts`");
});

test("[CP13] an error that names itself is not called one twice", () => {
  expect(onlyFix(invalid(), cure(), passes())?.facts[0]).toBe("Error: Invalid URL");
});

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
