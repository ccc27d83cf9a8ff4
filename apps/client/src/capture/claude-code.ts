import type { AgentEvent, EventKind, Parsed, ToolUse } from "./event.ts";
import { skipped } from "./event.ts";
import type { Fields } from "./json.ts";
import { isFields, present, textOf, toJsonValue } from "./json.ts";
import { detectHost } from "./payload/host.ts";
import { contentHash, stableKey } from "./payload/identity.ts";
import { typedText } from "./payload/prompt-text.ts";
import { responseText, toolResponseText } from "./payload/tool-response.ts";

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

/** Whether a tool is Tidemark's own: capturing its answers would feed memory with itself (CP5). */
export function isOwnTool(name: string): boolean {
  return (
    name.startsWith("mcp__") && /^mcp__(?:tidemark__|plugin_(?:(?!__)[\w-])*tidemark)/u.test(name)
  );
}

/** The key of a tool's use, the same from a hook and from a transcript (CP3). */
export function toolKey(sessionId: string, tool: Omit<ToolUse, "ok">, at?: string): string {
  const identity =
    tool.id ??
    contentHash(`${at ?? ""} ${tool.name} ${JSON.stringify(tool.input)} ${tool.response ?? ""}`);
  return stableKey(claudeCode, sessionId, "tool", identity);
}

/** The key of an event that is not a tool's use, the same from a hook and from a transcript (CP3). */
export function momentKey(event: Omit<AgentEvent, "key">): string {
  const { sessionId, event: kind, agentId } = event;
  switch (kind) {
    case "session-start":
      return stableKey(claudeCode, sessionId, kind, ...startIdentity(event));
    case "session-end":
      return stableKey(claudeCode, sessionId, kind);
    case "prompt":
      return stableKey(
        claudeCode,
        sessionId,
        kind,
        event.promptId ?? contentHash(event.prompt ?? ""),
      );
    case "turn-end":
      return stableKey(
        claudeCode,
        sessionId,
        kind,
        textIdentity(event.assistant) ?? event.promptId,
      );
    case "subagent-start":
    case "subagent-end":
      return stableKey(claudeCode, sessionId, kind, agentId ?? textIdentity(event.assistant));
    default:
      return stableKey(
        claudeCode,
        sessionId,
        kind,
        event.name,
        event.promptId,
        contentHash(wordsOf(event)),
      );
  }
}

function withTool(payload: Fields, name: string, sessionId: string): Parsed {
  const kind = eventKinds.get(name) ?? "other";
  const toolName = textOf(payload, "tool_name");
  if (toolName !== undefined && isOwnTool(toolName)) return skipped("own tool");
  if (kind !== "tool" && kind !== "tool-failed") return built(payload, name, kind, sessionId);
  if (toolName === undefined) return skipped("no tool name");
  if (!isFields(payload["tool_input"])) return skipped("tool input is not an object");
  const tool = toolUse(payload, toolName, kind === "tool");
  const key = toolKey(sessionId, tool, textOf(payload, "prompt_id"));
  return { ok: true, event: { ...common(payload, name, kind, sessionId), tool, key } };
}

function built(payload: Fields, name: string, kind: EventKind, sessionId: string): Parsed {
  const event = common(payload, name, kind, sessionId);
  if (kind !== "prompt") return { ok: true, event: { ...event, key: momentKey(event) } };
  if (event.prompt === undefined) return skipped("no prompt");
  const typed: Omit<AgentEvent, "key"> =
    typedText(event.prompt) === undefined ? { ...event, event: "other" } : event;
  return { ok: true, event: { ...typed, key: momentKey(typed) } };
}

function toolUse(payload: Fields, name: string, ok: boolean): ToolUse {
  const { tool_response: answer, tool_output: output, error, error_message: message } = payload;
  const response = toolResponseText(name, ok ? (answer ?? output) : (error ?? message ?? answer));
  const id = textOf(payload, "tool_use_id");
  const ms = payload["duration_ms"];
  return {
    name,
    input: toJsonValue(payload["tool_input"]),
    ok,
    ...(response === undefined ? {} : { response }),
    ...(id === undefined ? {} : { id }),
    ...(typeof ms === "number" && ms >= 0 ? { ms } : {}),
  };
}

function common(
  payload: Fields,
  name: string,
  kind: EventKind,
  sessionId: string,
): Omit<AgentEvent, "key"> {
  const isPrompt = kind === "prompt";
  return {
    agent: claudeCode,
    event: kind,
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

/** A session starts once; it may be resumed, cleared or compacted at several prompts. */
function startIdentity(event: Omit<AgentEvent, "key">): readonly (string | undefined)[] {
  const isFirst = event.source === undefined || event.source === "startup";
  return isFirst ? [] : [event.source, event.promptId];
}

function textIdentity(text: string | undefined): string | undefined {
  return text === undefined ? undefined : contentHash(text);
}

function wordsOf(event: Omit<AgentEvent, "key">): string {
  return [event.prompt, event.assistant, event.source, event.error].join("\n");
}
