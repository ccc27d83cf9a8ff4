import type { EventKind, Parsed } from "./event.ts";
import { skipped } from "./event.ts";
import { eventOf, type HookReport, type ReportedTool } from "./hook-report.ts";
import type { Fields } from "./json.ts";
import { isFields, present, textOf } from "./json.ts";
import { detectHost } from "./payload/host.ts";
import { responseText } from "./payload/tool-response.ts";

/** The agent's name in events, on the command line and in records. */
export const claudeCode = "claude-code";

/** Every hook event Claude Code is known to send, and what it is to us. */
const eventKinds: ReadonlyMap<string, EventKind> = new Map<string, EventKind>([
  ["SessionStart", "session-start"],
  ["UserPromptSubmit", "prompt"],
  ["PostToolUse", "tool"],
  ["PostToolUseFailure", "tool-failed"],
  ["Stop", "turn-end"],
  ["StopFailure", "turn-failed"],
  ["SubagentStart", "subagent-start"],
  ["SubagentStop", "subagent-end"],
  ["PreCompact", "compact"],
  ["PostCompact", "compact"],
  ["SessionEnd", "session-end"],
  ["Setup", "other"],
  ["InstructionsLoaded", "other"],
  ["UserPromptExpansion", "other"],
  ["MessageDisplay", "other"],
  ["PreToolUse", "other"],
  ["PermissionRequest", "other"],
  ["PermissionDenied", "other"],
  ["PostToolBatch", "other"],
  ["Notification", "other"],
  ["TaskCreated", "other"],
  ["TaskCompleted", "other"],
  ["TeammateIdle", "other"],
  ["ConfigChange", "other"],
  ["CwdChanged", "other"],
  ["DirectoryAdded", "other"],
  ["FileChanged", "other"],
  ["WorktreeCreate", "other"],
  ["WorktreeRemove", "other"],
  ["Elicitation", "other"],
  ["ElicitationResult", "other"],
]);

/** Whether Claude Code is known to send this hook event. */
export function isClaudeCodeEvent(name: string): boolean {
  return eventKinds.has(name);
}

/**
 * Reads one hook payload of Claude Code (CP1, CP2).
 *
 * Takes any value and never throws: what cannot be an event is skipped with a reason. Unknown
 * members are ignored, unknown events are "other". Both the documented and the older member names
 * are read (`tool_response` and `tool_output`, …).
 */
export function parseClaudeCodeHook(event: string, payload: unknown): Parsed {
  if (!isFields(payload)) return skipped("not an object");
  if (detectHost(payload) !== "claude-code") return skipped("another host");
  const named = textOf(payload, "hook_event_name");
  if (named !== undefined && event !== "" && named !== event) return skipped("another event");
  const name = named ?? event;
  if (!/^\w{1,64}$/u.test(name)) return skipped("no event name");
  const sessionId = textOf(payload, "session_id");
  if (sessionId === undefined) return skipped("no session id");
  return withTool(payload, name, sessionId);
}

function withTool(payload: Fields, name: string, sessionId: string): Parsed {
  const kind = eventKinds.get(name) ?? "other";
  const moment = common(payload, name, kind, sessionId);
  const tool = textOf(payload, "tool_name") === undefined ? undefined : toolOf(payload, kind);
  return eventOf({ ...moment, ...present({ tool }) });
}

function toolOf(payload: Fields, kind: EventKind): ReportedTool {
  const ok = kind === "tool";
  const { tool_response: answer, tool_output: output, error, error_message: message } = payload;
  return {
    name: textOf(payload, "tool_name"),
    input: payload["tool_input"],
    response: ok ? (answer ?? output) : (error ?? message ?? answer),
    ok,
    id: textOf(payload, "tool_use_id"),
    ms: payload["duration_ms"],
  };
}

function common(
  payload: Fields,
  name: string,
  kind: EventKind,
  sessionId: string,
): Omit<HookReport, "tool"> {
  const isPrompt = kind === "prompt";
  return {
    agent: claudeCode,
    kind,
    name,
    sessionId,
    ...present({
      promptId: textOf(payload, "prompt_id"),
      agentId: textOf(payload, "agent_id"),
      agentType: textOf(payload, "agent_type"),
      cwd: textOf(payload, "cwd"),
      transcriptPath: textOf(payload, "agent_transcript_path", "transcript_path"),
      prompt: isPrompt ? textOf(payload, "prompt", "prompt_text") : undefined,
      assistant: assistantText(payload, kind),
      source: textOf(payload, "source", "trigger"),
      reason: textOf(payload, "reason"),
      error: kind === "turn-failed" || kind === "tool-failed" ? errorText(payload) : undefined,
    }),
  };
}

/** The last words; on a failed turn the host puts the error's text there, so none are taken. */
function assistantText(payload: Fields, kind: EventKind): string | undefined {
  if (kind === "turn-failed") return undefined;
  const text = textOf(
    payload,
    "last_assistant_message",
    "assistant_message",
    "summary",
    "compact_summary",
  );
  const words = text?.trim();
  return words === "" ? undefined : words;
}

function errorText(payload: Fields): string | undefined {
  return responseText(payload["error"] ?? payload["error_message"] ?? payload["error_type"]);
}
