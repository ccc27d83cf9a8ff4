import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseClaudeCodeHook } from "./claude-code.ts";
import { parseClineHook } from "./cline.ts";
import { parseCodexHook } from "./codex.ts";
import { parseCursorHook } from "./cursor.ts";
import type { AgentEvent, Parsed } from "./event.ts";
import { parseGeminiHook } from "./gemini.ts";
import { parseOpenCodeHook } from "./opencode.ts";
import { parseVsCodeHook } from "./vscode.ts";
import { parseWindsurfHook } from "./windsurf.ts";

type Parse = (event: string, payload: unknown) => Parsed;

const parsers: Readonly<Record<string, Parse>> = {
  "claude-code": parseClaudeCodeHook,
  codex: parseCodexHook,
  gemini: parseGeminiHook,
  cursor: parseCursorHook,
  windsurf: parseWindsurfHook,
  vscode: parseVsCodeHook,
  cline: parseClineHook,
  opencode: parseOpenCodeHook,
};

function parse(agent: string, payload: unknown): Parsed {
  const parser = parsers[agent];
  if (parser === undefined) throw new Error(`no agent ${agent}`);
  return parser("", payload);
}

function eventsOf(agent: string, payload: object): readonly AgentEvent[] {
  const parsed = parse(agent, payload);
  if (!parsed.ok) throw new Error(parsed.skip.reason);
  return [parsed.event, ...(parsed.more ?? [])];
}

function reasonOf(agent: string, payload: unknown): string {
  const parsed = parse(agent, payload);
  return parsed.ok ? "" : parsed.skip.reason;
}

const codexTurn = { session_id: "s", turn_id: "t", cwd: "/app", model: "m", permission_mode: "x" };
const geminiBase = { session_id: "s", cwd: "/app", timestamp: "2026-11-01T10:00:00Z" };
const cursorBase = {
  conversation_id: "s",
  generation_id: "g",
  cursor_version: "2.1",
  workspace_roots: ["/app"],
  user_email: "dana@acme.example",
};
const windsurfBase = { trajectory_id: "s", execution_id: "e", timestamp: "2026-11-01T10:00:00Z" };
const vsCodeBase = { sessionId: "s", cwd: "/app", timestamp: "2026-11-01T10:00:00Z" };

const clineBase = {
  clineVersion: "4.1",
  taskId: "s",
  timestamp: "t1",
  workspaceRoots: ["/app"],
  userId: "dana@acme.example",
};
const openCodeBase = { opencode: 1, sessionID: "s", directory: "/app" };

const patch = `*** Begin Patch
*** Update File: src/a.ts
@@ function a() {
 const x = 1;
-const y = 2;
+const y = 3;
*** Add File: src/b.ts
+export const b = 1;
+
*** Delete File: src/old.ts
*** End Patch`;

/** What each host tells, by host, and what it comes to. */
const told: readonly (readonly [agent: string, payload: object, event: object])[] = [
  [
    "codex",
    { session_id: "s", cwd: "/app", hook_event_name: "SessionStart", source: "startup" },
    { event: "session-start", agent: "codex", source: "startup", cwd: "/app" },
  ],
  [
    "codex",
    { ...codexTurn, hook_event_name: "UserPromptSubmit", prompt: "Fix it" },
    { event: "prompt", prompt: "Fix it", promptId: "t" },
  ],
  [
    "codex",
    {
      ...codexTurn,
      hook_event_name: "PostToolUse",
      tool_name: "Bash",
      tool_use_id: "c1",
      tool_input: { command: ["bash", "-lc", "npm test"] },
      tool_response: '{"output":"1 failed","metadata":{"exit_code":1}}',
    },
    {
      event: "tool-failed",
      tool: { name: "Bash", input: { command: "npm test" }, response: "1 failed", ok: false },
    },
  ],
  [
    "codex",
    { ...codexTurn, hook_event_name: "Stop", last_assistant_message: "Done." },
    { event: "turn-end", assistant: "Done." },
  ],
  [
    "gemini",
    { ...geminiBase, hook_event_name: "SessionStart", source: "resume" },
    { event: "session-start", source: "resume" },
  ],
  [
    "gemini",
    { ...geminiBase, hook_event_name: "BeforeAgent", prompt: "Fix it" },
    { event: "prompt", prompt: "Fix it" },
  ],
  [
    "gemini",
    {
      ...geminiBase,
      hook_event_name: "AfterTool",
      tool_name: "run_shell_command",
      tool_input: { command: "npm test" },
      tool_response: {
        llmContent:
          "<untrusted_context>\nOutput: 1 failed\nat x\nExit Code: 1\nProcess Group PGID: 7\n</untrusted_context>",
        returnDisplay: "1 failed",
      },
    },
    {
      event: "tool-failed",
      tool: { name: "Bash", input: { command: "npm test" }, response: "1 failed\nat x", ok: false },
    },
  ],
  [
    "gemini",
    {
      ...geminiBase,
      hook_event_name: "AfterTool",
      tool_name: "replace",
      tool_input: { file_path: "/app/a.ts", old_string: "a", new_string: "b" },
      tool_response: { llmContent: "ok" },
    },
    { event: "tool", tool: { name: "Edit", input: { file_path: "/app/a.ts", new_string: "b" } } },
  ],
  [
    "gemini",
    { ...geminiBase, hook_event_name: "AfterAgent", prompt: "Fix it", prompt_response: "Done." },
    { event: "turn-end", assistant: "Done." },
  ],
  [
    "cursor",
    { ...cursorBase, hook_event_name: "sessionStart" },
    { event: "session-start", cwd: "/app" },
  ],
  [
    "cursor",
    { ...cursorBase, hook_event_name: "beforeSubmitPrompt", prompt: "Fix it", attachments: [] },
    { event: "prompt", prompt: "Fix it", promptId: "g" },
  ],
  [
    "cursor",
    {
      ...cursorBase,
      hook_event_name: "afterShellExecution",
      command: "npm test",
      output: "1 passed",
      duration: 12,
    },
    {
      event: "tool",
      tool: { name: "Bash", input: { command: "npm test" }, response: "1 passed", ms: 12 },
    },
  ],
  [
    "cursor",
    {
      ...cursorBase,
      hook_event_name: "afterFileEdit",
      file_path: "/app/a.ts",
      edits: [{ old_string: "a", new_string: "b" }],
    },
    { tool: { name: "Edit", input: { file_path: "/app/a.ts", edits: [{ new_string: "b" }] } } },
  ],
  [
    "cursor",
    { ...cursorBase, hook_event_name: "afterAgentResponse", text: "Done." },
    { event: "turn-end", assistant: "Done." },
  ],
  [
    "windsurf",
    { ...windsurfBase, agent_action_name: "pre_user_prompt", tool_info: { user_prompt: "Fix it" } },
    { event: "prompt", prompt: "Fix it", promptId: "e" },
  ],
  [
    "windsurf",
    {
      ...windsurfBase,
      agent_action_name: "post_run_command",
      tool_info: { command_line: "npm test", cwd: "/app" },
    },
    { event: "tool", cwd: "/app", tool: { name: "Bash", input: { command: "npm test" } } },
  ],
  [
    "windsurf",
    {
      ...windsurfBase,
      agent_action_name: "post_write_code",
      tool_info: { file_path: "/app/a.ts", edits: [{ old_string: "a", new_string: "b" }] },
    },
    { tool: { name: "Edit", input: { file_path: "/app/a.ts" } } },
  ],
  [
    "windsurf",
    {
      ...windsurfBase,
      agent_action_name: "post_cascade_response",
      tool_info: { response: "Done." },
    },
    { event: "turn-end", assistant: "Done." },
  ],
  [
    "vscode",
    { ...vsCodeBase, hookEventName: "SessionStart", source: "new" },
    { event: "session-start", source: "startup" },
  ],
  [
    "vscode",
    { ...vsCodeBase, hookEventName: "UserPromptSubmit", prompt: "Fix it" },
    { event: "prompt", prompt: "Fix it" },
  ],
  [
    "vscode",
    {
      ...vsCodeBase,
      hookEventName: "PostToolUse",
      tool_name: "run_in_terminal",
      tool_input: { command: "npm test", explanation: "x" },
      tool_response: "1 passed",
      tool_use_id: "v1",
    },
    { tool: { name: "Bash", input: { command: "npm test" }, response: "1 passed", id: "v1" } },
  ],
  [
    "vscode",
    {
      ...vsCodeBase,
      hookEventName: "PostToolUse",
      tool_name: "replace_string_in_file",
      tool_input: { filePath: "/app/a.ts", oldString: "a", newString: "b" },
      tool_response: "done",
      tool_use_id: "v2",
    },
    { tool: { name: "Edit", input: { file_path: "/app/a.ts", old_string: "a", new_string: "b" } } },
  ],
  [
    "cline",
    { ...clineBase, hookName: "UserPromptSubmit", userPromptSubmit: { prompt: "Fix it" } },
    { event: "prompt", prompt: "Fix it", promptId: "t1" },
  ],
  [
    "cline",
    {
      ...clineBase,
      hookName: "PostToolUse",
      postToolUse: {
        toolName: "execute_command",
        parameters: { command: "npm test" },
        result: "1 failed",
        success: false,
        executionTimeMs: 12,
      },
    },
    { event: "tool-failed", tool: { name: "Bash", input: { command: "npm test" }, ms: 12 } },
  ],
  [
    "opencode",
    { ...openCodeBase, event: "prompt", messageID: "m", prompt: "Fix it" },
    { event: "prompt", prompt: "Fix it", promptId: "m" },
  ],
  [
    "opencode",
    {
      ...openCodeBase,
      event: "tool",
      tool: "edit",
      callID: "c",
      args: { filePath: "/app/a.ts", oldString: "a", newString: "b" },
      output: "ok",
    },
    { tool: { name: "Edit", input: { file_path: "/app/a.ts", old_string: "a", new_string: "b" } } },
  ],
  [
    "opencode",
    { ...openCodeBase, event: "turn-end", text: "Done." },
    { event: "turn-end", assistant: "Done." },
  ],
];

test.each(told)(
  "[CP1] %s: %j is told in the words that all agents share",
  (agent, payload, event) => {
    const [read, ...more] = eventsOf(agent, payload);
    expect(read).toMatchObject({ ...event, agent, sessionId: "s" });
    expect(read?.key).toMatch(new RegExp(`^${agent}/s/`));
    expect(more).toEqual([]);
    expect(JSON.stringify(read)).not.toContain("dana@acme.example");
  },
);

test("[CP1] a patch of several files is an event for each, and what is deleted is none", () => {
  const events = eventsOf("codex", {
    ...codexTurn,
    hook_event_name: "PostToolUse",
    tool_name: "apply_patch",
    tool_use_id: "c2",
    tool_input: { command: patch },
    tool_response: "Success. Updated the following files:\nM src/a.ts\nA src/b.ts",
  });
  expect(events.map(({ tool }) => [tool?.name, tool?.input])).toEqual([
    [
      "Edit",
      {
        file_path: "src/a.ts",
        edits: [
          {
            old_string: "const x = 1;\nconst y = 2;",
            new_string: "const x = 1;\nconst y = 3;",
          },
        ],
      },
    ],
    ["Write", { file_path: "src/b.ts", content: "export const b = 1;\n" }],
  ]);
  expect(new Set(events.map(({ key }) => key)).size).toBe(2);
});

test("[CP1] a replacement in several files is an event for each", () => {
  const replacements = ["/a", "/b", "/a"].map((filePath) => ({
    filePath,
    oldString: "1",
    newString: "2",
  }));
  const events = eventsOf("vscode", {
    ...vsCodeBase,
    hookEventName: "PostToolUse",
    tool_name: "multi_replace_string_in_file",
    tool_input: { replacements },
    tool_use_id: "v3",
  });
  expect(events.map(({ tool }) => tool?.input)).toMatchObject([
    { file_path: "/a", edits: [{ old_string: "1" }, { old_string: "1" }] },
    { file_path: "/b", edits: [{ new_string: "2" }] },
  ]);
});

test.each([
  [
    "codex",
    {
      ...codexTurn,
      hook_event_name: "PostToolUse",
      tool_name: "mcp__tidemark__save",
      tool_input: {},
    },
  ],
  [
    "gemini",
    {
      ...geminiBase,
      hook_event_name: "AfterTool",
      tool_name: "mcp_tidemark_search",
      tool_input: {},
    },
  ],
  [
    "gemini",
    {
      ...geminiBase,
      hook_event_name: "AfterTool",
      tool_name: "search",
      mcp_context: { server_name: "tidemark" },
      tool_input: {},
    },
  ],
  [
    "cursor",
    {
      ...cursorBase,
      hook_event_name: "afterMCPExecution",
      tool_name: "save",
      tool_input: "{}",
      command: "/h/bin/tidemark mcp",
    },
  ],
  [
    "windsurf",
    {
      ...windsurfBase,
      agent_action_name: "post_mcp_tool_use",
      tool_info: { mcp_server_name: "tidemark", mcp_tool_name: "save", mcp_tool_arguments: {} },
    },
  ],
  [
    "vscode",
    {
      ...vsCodeBase,
      hookEventName: "PostToolUse",
      tool_name: "mcp_tidemark_save",
      tool_input: {},
    },
  ],
])("[CP5] %s: Tidemark's own tools are not captured", (agent, payload) => {
  expect(reasonOf(agent, payload)).toBe("own tool");
});

const byHost = new Map(told.map(([agent, payload]) => [agent, payload]));

test("[CP4] a hook that another host calls says nothing", () => {
  for (const [host, payload] of byHost) {
    for (const agent of ["cursor", "windsurf", "vscode", "claude-code"]) {
      if (agent !== host)
        expect([agent, host, reasonOf(agent, payload)]).toEqual([agent, host, "another host"]);
    }
  }
});

test("[CP3] the same moment has the same key, and another turn another", () => {
  for (const [agent, payload] of told) {
    const keys = [payload, structuredClone(payload)].map((each) => eventsOf(agent, each)[0]?.key);
    expect(keys[0]).toBe(keys[1]);
  }
  const [, prompt] = told.find(([agent, , event]) => agent === "gemini" && "prompt" in event) ?? [];
  const later = { ...prompt, timestamp: "2026-11-01T10:05:00Z" };
  expect(eventsOf("gemini", later)[0]?.key).not.toBe(eventsOf("gemini", prompt ?? {})[0]?.key);
});

test("[CP2] whatever a host sends is an event or a reason, and nothing throws", () => {
  const names = [...new Set(told.flatMap(([, payload]) => Object.keys(payload)))];
  const values = fc.oneof(
    fc.constantFrom(...told.flatMap(([, payload]) => Object.values(payload) as unknown[])),
    fc.anything(),
  );
  const payloads = fc.oneof(fc.dictionary(fc.constantFrom(...names), values), fc.anything());
  fc.assert(
    fc.property(payloads, fc.constantFrom(...Object.keys(parsers)), (payload, agent) => {
      const parsed = parse(agent, payload);
      return parsed.ok ? parsed.event.key !== "" : parsed.skip.reason !== "";
    }),
    { seed: 11, numRuns: 3_000 },
  );
});

test("[CP1] Cline's own payloads: commands that it ran together are an event each", () => {
  const url = new URL("../../../../test/fixtures/cline/hooks.jsonl", import.meta.url);
  const events = readFileSync(url, "utf8")
    .trimEnd()
    .split("\n")
    .flatMap((line) => {
      const { event, payload } = JSON.parse(line) as { event: string; payload: object };
      const parsed = parseClineHook(event, payload);
      if (!parsed.ok) throw new Error(parsed.skip.reason);
      return [parsed.event, ...(parsed.more ?? [])];
    });
  expect(events).toMatchObject([
    { event: "session-start", cwd: "/home/dev/shop" },
    {
      event: "tool-failed",
      tool: { name: "Bash", input: { command: "echo hi; false" }, response: "hi", ok: false },
    },
    { event: "turn-end", assistant: "The root cause was a missing await in the queue." },
  ]);
});
