import fc from "fast-check";
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

import { isClaudeCodeEvent, parseClaudeCodeHook } from "./claude-code.ts";
import { isOwnTool } from "./own-tool.ts";
import type { AgentEvent } from "./event.ts";

const folder = new URL("../../../../test/fixtures/hook-payloads/", import.meta.url);
const fixtures = readdirSync(folder).filter((name) => name.endsWith(".json"));

function fixture(name: string): Record<string, unknown> {
  return JSON.parse(readFileSync(new URL(name, folder), "utf8")) as Record<string, unknown>;
}

function eventOf(payload: unknown, event = ""): AgentEvent {
  const parsed = parseClaudeCodeHook(event, payload);
  if (!parsed.ok) throw new Error(`skipped: ${parsed.skip.reason}`);
  return parsed.event;
}

function reasonOf(payload: unknown, event = ""): string {
  const parsed = parseClaudeCodeHook(event, payload);
  return parsed.ok ? "" : parsed.skip.reason;
}

const base = { session_id: "s1", cwd: "/home/u/app", hook_event_name: "PostToolUse" };
const bash = { ...base, tool_name: "Bash", tool_input: { command: "npm test" } };

test("[CP1] every recorded payload gives an event or a reason", () => {
  expect(fixtures.length).toBeGreaterThan(25);
  for (const name of fixtures) {
    const payload = fixture(name);
    const parsed = parseClaudeCodeHook("", payload);
    if (parsed.ok) {
      expect(parsed.event.name).toBe(payload["hook_event_name"]);
      expect(parsed.event.key).not.toBe("");
    } else {
      expect(parsed.skip.reason).not.toBe("");
      expect(name).toMatch(/^_edge-cases__(?:empty|wrong-types)/u);
    }
  }
});

test.each([
  ["session-start__startup.json", "session-start"],
  ["user-prompt-submit__slash-command.json", "prompt"],
  ["post-tool-use__edit-success.json", "tool"],
  ["post-tool-use-failure__interrupted.json", "tool-failed"],
  ["stop__with-assistant-message.json", "turn-end"],
  ["stop-failure__rate-limit.json", "turn-failed"],
  ["subagent-stop__typical.json", "subagent-end"],
  ["pre-compact__auto.json", "compact"],
  ["session-end__logout.json", "session-end"],
  ["pre-tool-use__bash.json", "other"],
  ["cwd-changed__canonical.json", "other"],
])("[CP1] %s is a %s", (name, kind) => {
  expect(eventOf(fixture(name)).event).toBe(kind);
});

test("[CP1] all hook events of the host's reference are known by name", () => {
  const names = fixtures.map((name) => fixture(name)["hook_event_name"]).filter(Boolean);
  expect(names.filter((name) => !isClaudeCodeEvent(String(name)))).toEqual([]);
});

test("[CP1] an event that is not known yet is accepted as other", () => {
  const event = eventOf({ ...base, hook_event_name: "MoonRise", phase: 3 });
  expect(event).toMatchObject({ event: "other", name: "MoonRise", sessionId: "s1" });
});

test("[CP2] anything at all is read without a throw", () => {
  const names = fc.constantFrom("PostToolUse", "Stop", "UserPromptSubmit", "");
  const payload = fc.record(
    {
      session_id: fc.oneof(fc.string(), fc.anything()),
      hook_event_name: fc.oneof(names, fc.anything()),
      tool_name: fc.oneof(fc.constant("Bash"), fc.anything()),
      tool_input: fc.oneof(fc.object(), fc.anything()),
      tool_response: fc.anything(),
      error: fc.anything(),
      prompt: fc.anything(),
      cwd: fc.anything(),
      duration_ms: fc.anything(),
    },
    { requiredKeys: [] },
  );
  const anything = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
  });
  fc.assert(
    fc.property(names, fc.oneof(payload, fc.jsonValue(), anything), (event, value) => {
      const parsed = parseClaudeCodeHook(event, value);
      return parsed.ok ? parsed.event.key !== "" : parsed.skip.reason !== "";
    }),
    { seed: 7, numRuns: 2000 },
  );
});

test.each([
  [null, "not an object"],
  [[1], "not an object"],
  ["half a li", "not an object"],
  [{}, "no event name"],
  [{ hook_event_name: "Stop" }, "no session id"],
  [{ ...base, session_id: 12 }, "no session id"],
  [{ ...base }, "no tool name"],
  [{ ...bash, tool_input: "npm test" }, "tool input is not an object"],
  [{ ...base, hook_event_name: "UserPromptSubmit", prompt: 4 }, "no prompt"],
])("[CP2] %j is skipped: %s", (payload, reason) => {
  expect(reasonOf(payload)).toBe(reason);
});

test("[CP2] a payload that names another event than its hook is skipped", () => {
  expect(reasonOf(bash, "Stop")).toBe("another event");
  expect(reasonOf(bash, "PostToolUse")).toBe("");
});

test.each([
  [{ tool_response: { stdout: "ok", stderr: "warn" } }, "ok\nwarn"],
  [{ tool_response: "ok" }, "ok"],
  [{ tool_output: "ok" }, "ok"],
  [
    {
      tool_response: [
        { type: "text", text: "a" },
        { type: "text", text: "b" },
      ],
    },
    "a\nb",
  ],
  [{ tool_response: { content: [{ type: "text", text: "a" }] } }, "a"],
])("[CP1] the response of %j is its text", (response, text) => {
  expect(eventOf({ ...bash, ...response }).tool?.response).toBe(text);
});

test("[CP1] older member names mean the same", () => {
  const stop = { ...base, hook_event_name: "Stop" };
  const words = eventOf({ ...stop, assistant_message: " Done. " });
  expect(words).toEqual(eventOf({ ...stop, last_assistant_message: "Done." }));
  const prompt = { ...base, hook_event_name: "UserPromptSubmit" };
  expect(eventOf({ ...prompt, prompt_text: "Fix it" })).toEqual(
    eventOf({ ...prompt, prompt: "Fix it" }),
  );
  const failed = { ...bash, hook_event_name: "PostToolUseFailure" };
  expect(eventOf({ ...failed, error_message: "Exit code 1" })).toEqual(
    eventOf({ ...failed, error: "Exit code 1" }),
  );
});

test("[CP1] the error text of a failed turn is not taken for the assistant's words", () => {
  const event = eventOf({
    ...base,
    hook_event_name: "StopFailure",
    error: "rate_limit",
    last_assistant_message: "API Error",
  });
  expect(event).toMatchObject({ event: "turn-failed", error: "rate_limit" });
  expect(event.assistant).toBeUndefined();
});

test("[CP3] the same use delivered twice has one key, another use has another", () => {
  const one = eventOf({ ...bash, tool_use_id: "toolu_1", duration_ms: 5 });
  expect(eventOf({ ...bash, tool_use_id: "toolu_1", duration_ms: 9 }).key).toBe(one.key);
  expect(eventOf({ ...bash, tool_use_id: "toolu_2" }).key).not.toBe(one.key);
  expect(eventOf({ ...bash, session_id: "s2", tool_use_id: "toolu_1" }).key).not.toBe(one.key);
  const unnamed = eventOf({ ...bash, tool_response: "ok" });
  expect(eventOf({ ...bash, tool_response: "ok" }).key).toBe(unnamed.key);
  expect(eventOf({ ...bash, tool_response: "not ok" }).key).not.toBe(unnamed.key);
});

test.each([
  { agent_action_name: "post_write_code" },
  { clineVersion: "3.1" },
  { cursor_version: "2.0" },
  { conversation_id: "c" },
  { hookEventName: "PostToolUse" },
  { turn_id: "t" },
  { transcript_path: "/home/u/.codex/sessions/x.jsonl" },
  { hook_event_name: "BeforeAgent" },
])("[CP4] another host that calls with Claude Code's settings is left alone: %j", (sign) => {
  expect(reasonOf({ ...bash, ...sign })).toBe("another host");
});

test("[CP4] Copilot CLI is told by a number as timestamp and no event name", () => {
  expect(reasonOf({ timestamp: 1, session_id: "s1" }, "Stop")).toBe("another host");
});

test("[CP5] Tidemark's own tools are not captured", () => {
  expect(reasonOf({ ...bash, tool_name: "mcp__tidemark__search" })).toBe("own tool");
  expect(isOwnTool("mcp__plugin_tidemark_tidemark__save")).toBe(true);
  expect(isOwnTool("mcp__plugin_acme-tidemark_memory__save")).toBe(true);
  expect(isOwnTool("mcp__plugin_acme_db__tidemark")).toBe(false);
  expect(isOwnTool("mcp__tidemarket__buy")).toBe(false);
});

test("[CP1] a sub-agent's events carry its name", () => {
  const event = eventOf({ ...bash, agent_id: "a1", agent_type: "Explore" });
  expect(event).toMatchObject({ agentId: "a1", agentType: "Explore" });
});

test("[CP8] text that stores cannot hold is mended, polluting keys are dropped", () => {
  const input = JSON.parse('{"command":"a\\u0000b\\ud800c","__proto__":{"admin":true}}') as object;
  const { tool } = eventOf({ ...bash, tool_input: input });
  expect(tool?.input).toEqual({ command: "a\uFFFDb\uFFFDc" });
  expect(Object.getPrototypeOf(tool?.input)).toBe(Object.prototype);
});

test("[CP8] a payload of 50 MB is read in bounded time into an event of bounded size (abuse 182)", () => {
  const big = "x".repeat(50_000_000);
  const before = performance.now();
  const event = eventOf({ ...bash, tool_response: big, tool_input: { command: big } });
  const prompt = eventOf({ ...base, hook_event_name: "UserPromptSubmit", prompt: big });
  expect(performance.now() - before).toBeLessThan(2000);
  expect(JSON.stringify([event, prompt]).length).toBeLessThan(1_000_000);
});

test("[CP9] a prompt that nobody typed is no prompt", () => {
  const prompt = "<task-notification>\n<task-id>b1</task-id>\n</task-notification>";
  expect(eventOf({ ...base, hook_event_name: "UserPromptSubmit", prompt }).event).toBe("other");
});
