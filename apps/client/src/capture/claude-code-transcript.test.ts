import fc from "fast-check";
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

import { lineCharsMax } from "./claude-code-line.ts";
import { parseTranscriptLine, readTranscript } from "./claude-code-transcript.ts";
import { parseClaudeCodeHook } from "./claude-code.ts";
import type { AgentEvent } from "./event.ts";

const fixtures = new URL("../../../../test/fixtures/", import.meta.url);
const recording = readFileSync(new URL("sessions/review-page.jsonl", fixtures), "utf8");

const origin = {
  sessionId: "s1",
  cwd: "/app",
  isSidechain: false,
  timestamp: "2026-02-11T20:40:51.230Z",
};

function line(type: string, content: unknown, more: object = {}): string {
  return JSON.stringify({ ...origin, type, message: { role: type, content }, ...more });
}

function said(text: string, id: string): string {
  return JSON.stringify({
    ...origin,
    type: "assistant",
    message: { id, content: [{ type: "text", text }] },
  });
}

function used(id: string, command: string, name = "Bash"): string {
  return line("assistant", [{ type: "tool_use", id, name, input: { command } }]);
}

function answered(id: string, content: unknown, isError = false): string {
  return line("user", [{ type: "tool_result", tool_use_id: id, content, is_error: isError }]);
}

function eventsOf(...lines: readonly string[]): readonly AgentEvent[] {
  return readTranscript(lines.join("\n")).events;
}

function told(...lines: readonly string[]): readonly string[] {
  return eventsOf(...lines).map((event) => event.event);
}

test("[CP6] a real session gives its prompts, tools and turns, and no damage", () => {
  const { events, skips } = readTranscript(recording);
  const counts = new Map<string, number>();
  for (const event of events) counts.set(event.event, (counts.get(event.event) ?? 0) + 1);
  expect(skips).toEqual([]);
  expect(Object.fromEntries(counts)).toEqual({
    "session-start": 1,
    prompt: 1,
    other: 52,
    tool: 108,
    "tool-failed": 6,
    "turn-end": 1,
    "session-end": 1,
  });
  expect(events[0]).toMatchObject({
    event: "session-start",
    cwd: expect.stringContaining("/spotter-gqc"),
  });
  expect(events[1]).toMatchObject({ event: "prompt", prompt: "Implement spotter-gqc" });
  expect(events.at(-1)?.event).toBe("session-end");
});

test("[CP6] the small recordings of other publishers are read, their damaged lines named", () => {
  const folder = new URL("claude-code-log/", fixtures);
  for (const name of readdirSync(folder)) {
    const { events } = readTranscript(readFileSync(new URL(name, folder), "utf8"));
    expect(events.filter((event) => event.event === "prompt").length).toBeGreaterThan(1);
  }
  const { skips } = readTranscript(readFileSync(new URL("edge_cases.jsonl", folder), "utf8"));
  expect(skips[0]).toEqual({ line: 10, reason: "no content" });
});

test("[CP3] an import and the hooks of one session give equal keys", () => {
  const command = "npm test";
  const imported = eventsOf(
    line("user", "Fix the tests", { promptId: "p1" }),
    used("toolu_1", command),
    answered("toolu_1", "Exit code 1\n1 failed", true),
    said("All done.", "m2"),
  );
  const common = { session_id: "s1", cwd: "/app" };
  const hooks: readonly (readonly [string, object])[] = [
    ["SessionStart", { source: "startup" }],
    ["UserPromptSubmit", { prompt: "Fix the tests", prompt_id: "p1" }],
    [
      "PostToolUseFailure",
      { tool_name: "Bash", tool_input: { command }, error: "Exit code 1", tool_use_id: "toolu_1" },
    ],
    ["Stop", { last_assistant_message: "All done." }],
    ["SessionEnd", { reason: "logout" }],
  ];
  const hooked = hooks.map(([name, fields]) => {
    const parsed = parseClaudeCodeHook(name, { ...common, hook_event_name: name, ...fields });
    return parsed.ok ? parsed.event.key : parsed.skip.reason;
  });
  expect(imported.map((event) => event.key)).toEqual(hooked);
});

test("[CP7] a use and its result are one event, in parallel too, failed where the host says so", () => {
  const events = eventsOf(
    used("t1", "ls"),
    used("t2", "false"),
    answered("t2", "Exit code 1", true),
    answered("t1", [{ type: "text", text: "a.ts" }]),
  ).filter((event) => event.tool !== undefined);
  expect(events.map(({ event, tool }) => [event, tool?.id, tool?.ok, tool?.response])).toEqual([
    ["tool-failed", "t2", false, "Exit code 1"],
    ["tool", "t1", true, "a.ts"],
  ]);
});

test("[CP7] lines of one reply are one message, and a copy counts once", () => {
  const events = eventsOf(
    said("The cause", "m1"),
    said("The cause is found.", "m1"),
    said("Now the fix.", "m1"),
    said("Now the fix.", "m1"),
  );
  expect(events.map((event) => event.assistant).filter(Boolean)).toEqual([
    "The cause is found.\nNow the fix.",
  ]);
  const copy = line("user", "Do it", { uuid: "u1" });
  expect(told(copy, copy)).toEqual(["session-start", "prompt", "session-end"]);
});

test("[CP7] only a turn's last words end it", () => {
  expect(
    told(
      line("user", "Do it"),
      said("First.", "m1"),
      used("t1", "ls"),
      answered("t1", "a.ts"),
      said("Done.", "m2"),
      JSON.stringify({ ...origin, type: "system", subtype: "stop_hook_summary" }),
      line("user", "More"),
      said("On it.", "m3"),
      line("user", [{ type: "text", text: "[Request interrupted by user]" }]),
    ),
  ).toEqual([
    "session-start",
    "prompt",
    "other",
    "tool",
    "turn-end",
    "prompt",
    "other",
    "session-end",
  ]);
});

test("[CP7] what nobody typed is no prompt", () => {
  expect(
    told(
      line("user", "meta", { isMeta: true }),
      line("user", "<local-command-stdout>ok</local-command-stdout>"),
      line("user", "<task-notification>done</task-notification>\nRead the output."),
      line("user", "<command-name>/clear</command-name><command-args></command-args>"),
      line("user", [{ type: "text", text: "<system-reminder>be good</system-reminder>" }]),
      line("user", "This session is being continued from…", { isCompactSummary: true }),
      JSON.stringify({ ...origin, type: "progress", data: { type: "hook_progress" } }),
      JSON.stringify({ type: "file-history-snapshot", snapshot: {} }),
    ),
  ).toEqual(["session-start", "compact", "session-end"]);
});

test("[CP7] a sub-agent's lines are its own and start no session", () => {
  const agent = { isSidechain: true, agentId: "a1" };
  const { events } = readTranscript(
    [
      line("user", "Look around", agent),
      line("assistant", [{ type: "text", text: "Found." }], agent),
    ].join("\n"),
    { agentType: "Explore" },
  );
  expect(events.map(({ event, agentId, agentType }) => [event, agentId, agentType])).toEqual([
    ["subagent-start", "a1", "Explore"],
    ["subagent-end", "a1", "Explore"],
  ]);
  expect(told(line("user", "Summarise", { isSidechain: true, agentId: "acompact-1" }))).toEqual([]);
});

test("[CP5] Tidemark's own tools are not captured from a transcript either", () => {
  expect(told(used("t1", "", "mcp__tidemark__search"), answered("t1", "memory"))).toEqual([
    "session-start",
    "session-end",
  ]);
});

test("[CP6] a byte order mark is taken off; damage is skipped by line number", () => {
  const lines = [
    `\uFEFF${line("user", "Hello there")}\r`,
    "not json",
    "",
    "\0\0\0\0",
    "[1,2]",
    '{"type":"user"}',
    JSON.stringify({ ...origin, type: "user" }),
    '{"type":"user","sessionId":"s1","message":{"content":"a\\ud800b"}}',
    line("user", "half").slice(0, 40),
  ];
  const { events, skips } = readTranscript(lines.join("\n"));
  expect(events.flatMap((event) => event.prompt ?? [])).toEqual(["Hello there", "a\uFFFDb"]);
  expect(skips).toEqual([
    { line: 2, reason: "not JSON" },
    { line: 4, reason: "not JSON" },
    { line: 5, reason: "not an object" },
    { line: 6, reason: "no session id" },
    { line: 7, reason: "no message" },
    { line: 9, reason: "not JSON" },
  ]);
});

test("[CP8] a line of 50 MB is passed over at once", () => {
  const before = performance.now();
  const parsed = parseTranscriptLine("x".repeat(50_000_000));
  expect(parsed).toEqual({ ok: false, skip: { reason: "line too long", fault: true } });
  expect(performance.now() - before).toBeLessThan(500);
  expect(lineCharsMax).toBeLessThan(50_000_000);
});

test("[CP2] any lines at all are read without a throw", () => {
  const block = fc.record(
    {
      type: fc.constantFrom("text", "tool_use", "tool_result", "image"),
      text: fc.anything(),
      id: fc.oneof(fc.constant("t1"), fc.anything()),
      tool_use_id: fc.constant("t1"),
      name: fc.oneof(fc.constant("Bash"), fc.anything()),
      input: fc.jsonValue(),
      content: fc.jsonValue(),
    },
    { requiredKeys: ["type"] },
  );
  const message = fc.record({
    sessionId: fc.constantFrom("s1", "s2"),
    type: fc.constantFrom("user", "assistant", "system", "progress"),
    subtype: fc.constantFrom("compact_boundary", "turn_duration", "x"),
    message: fc.oneof(fc.record({ id: fc.string(), content: fc.array(block) }), fc.jsonValue()),
    timestamp: fc.jsonValue(),
    isSidechain: fc.boolean(),
  });
  const text = fc.oneof(
    message.map((value) => JSON.stringify(value)),
    fc.string(),
    fc.json(),
  );
  fc.assert(
    fc.property(fc.array(text), (lines) => {
      const { events } = readTranscript(lines.join("\n"));
      return events.every((event) => event.key !== "");
    }),
    { seed: 11, numRuns: 500 },
  );
});
