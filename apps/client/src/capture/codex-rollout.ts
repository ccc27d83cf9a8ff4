import { parseCodexHook } from "./codex.ts";
import type { AgentEvent } from "./event.ts";
import { isFields, present, textOf, type Fields } from "./json.ts";
import { isoToMs } from "./payload/timestamp.ts";
import { skipsMax, type TranscriptReader, type TranscriptSkip } from "./transcript.ts";

/** Kinds of lines that a rollout consists of, as far as they say anything. */
const lineTypes = new Set(["session_meta", "turn_context", "response_item", "event_msg"]);
/** Tools that run a command, by the names that builds of Codex have given them. */
const shellNames = new Set([
  "exec_command",
  "shell",
  "shell_command",
  "local_shell",
  "container.exec",
]);
/** What Codex itself puts into a person's mouth: its surroundings, instructions, skills. */
const ownWords = /^\s*(?:<[a-z][a-z_-]*(?:\s[^>]*)?>|# AGENTS\.md instructions)/u;

interface State {
  lineNumber: number;
  sessionId: string | undefined;
  cwd: string | undefined;
  turnId: string | undefined;
  /** The assistant's last words of the turn, while nothing follows them. */
  said: string | undefined;
  atMs: number | undefined;
  readonly calls: Map<string, { readonly name: string; readonly input: unknown }>;
  readonly skips: TranscriptSkip[];
}

/** Whether a line is one of a rollout, which is what Codex calls its transcripts. */
export function isRolloutLine(line: Fields): boolean {
  return lineTypes.has(textOf(line, "type") ?? "") && isFields(line["payload"]);
}

/**
 * A reader that turns the lines of one of Codex's rollouts into events. Each is told to the parser of
 * its hooks, so it has the key that the hook's would have: what hooks captured is not captured twice
 * (IM6). Of commands a rollout tells how they ended, which hooks do not.
 */
export function createRolloutReader(): TranscriptReader {
  const state: State = {
    lineNumber: 0,
    sessionId: undefined,
    cwd: undefined,
    turnId: undefined,
    said: undefined,
    atMs: undefined,
    calls: new Map(),
    skips: [],
  };
  return {
    readLine: (text) => readLine(state, text),
    end: () => turnEnd(state),
    skips: state.skips,
  };
}

function readLine(state: State, text: string): readonly AgentEvent[] {
  state.lineNumber += 1;
  if (text.trim() === "") return [];
  const line = parse(text);
  if (line === undefined) {
    if (state.skips.length < skipsMax) {
      state.skips.push({ line: state.lineNumber, reason: "not json" });
    }
    return [];
  }
  const { payload } = line;
  if (!isFields(payload)) return [];
  state.atMs = isoToMs(line["timestamp"]) ?? state.atMs;
  switch (line["type"]) {
    case "session_meta":
      return sessionStart(state, payload);
    case "turn_context":
      state.cwd = textOf(payload, "cwd") ?? state.cwd;
      state.turnId = textOf(payload, "turn_id") ?? state.turnId;
      return [];
    case "event_msg":
      return message(state, payload);
    case "response_item":
      return item(state, payload);
    default:
      return [];
  }
}

function sessionStart(state: State, payload: Fields): readonly AgentEvent[] {
  const sessionId = textOf(payload, "session_id", "id");
  // A session that was forked has the other's head in its file.
  if (state.sessionId !== undefined || sessionId === undefined) return [];
  state.sessionId = sessionId;
  state.cwd = textOf(payload, "cwd");
  return told(state, { hook_event_name: "SessionStart", source: "startup" });
}

function message(state: State, payload: Fields): readonly AgentEvent[] {
  switch (payload["type"]) {
    case "task_started":
    case "turn_started":
      state.turnId = textOf(payload, "turn_id") ?? state.turnId;
      return [];
    case "task_complete":
    case "turn_complete":
      state.said = textOf(payload, "last_agent_message") ?? state.said;
      return turnEnd(state);
    default:
      return [];
  }
}

function item(state: State, payload: Fields): readonly AgentEvent[] {
  switch (payload["type"]) {
    case "function_call":
    case "custom_tool_call":
    case "local_shell_call":
      return callBegun(state, payload);
    case "function_call_output":
    case "custom_tool_call_output":
      return callEnded(state, payload);
    // The oldest messages have no type.
    case "message":
    case undefined:
      return spoken(state, payload);
    default:
      return [];
  }
}

function spoken(state: State, payload: Fields): readonly AgentEvent[] {
  const text = wordsIn(payload["content"]);
  if (text === "") return [];
  if (payload["role"] === "assistant") {
    state.said = text;
    return [];
  }
  if (payload["role"] !== "user" || ownWords.test(text)) return [];
  const before = turnEnd(state);
  const passed = payload["internal_chat_message_metadata_passthrough"];
  state.turnId = (isFields(passed) ? textOf(passed, "turn_id") : undefined) ?? state.turnId;
  return [...before, ...told(state, { hook_event_name: "UserPromptSubmit", prompt: text })];
}

function callBegun(state: State, payload: Fields): readonly AgentEvent[] {
  const id = textOf(payload, "call_id");
  const action = isFields(payload["action"]) ? payload["action"] : undefined;
  const name = action === undefined ? textOf(payload, "name") : "local_shell";
  // What an assistant says before it goes on are not its last words.
  state.said = undefined;
  if (id === undefined || name === undefined) return [];
  const input = action ?? argumentsIn(payload["arguments"] ?? payload["input"]);
  state.calls.set(id, { name, input });
  return [];
}

function callEnded(state: State, payload: Fields): readonly AgentEvent[] {
  const id = textOf(payload, "call_id");
  const call = id === undefined ? undefined : state.calls.get(id);
  if (id === undefined || call === undefined) return [];
  state.calls.delete(id);
  const isShell = shellNames.has(call.name);
  const input = typeof call.input === "string" ? { input: call.input } : call.input;
  return told(state, {
    hook_event_name: "PostToolUse",
    tool_name: isShell ? "Bash" : call.name,
    tool_use_id: id,
    tool_input: input,
    tool_response: outcomeIn(payload["output"]),
  });
}

/** What a tool gave back and how it ended, out of the text that the model is shown. */
function outcomeIn(output: unknown): unknown {
  const text = typeof output === "string" ? output : wordsIn(output);
  if (text.startsWith("{")) {
    const fields = argumentsIn(text);
    if (isFields(fields)) return fields;
  }
  const code = /^(?:Process exited with code|Exit code:) (-?\d+)\s*$/mu.exec(text)?.[1];
  const printed = /^Output:\n([^]*)$/mu.exec(text)?.[1];
  if (code === undefined) return text;
  return { output: printed ?? text, exit_code: Number(code) };
}

function turnEnd(state: State): readonly AgentEvent[] {
  const { said } = state;
  state.said = undefined;
  if (said === undefined) return [];
  return told(state, { hook_event_name: "Stop", last_assistant_message: said });
}

/** The events that a hook would have told with this payload. */
function told(state: State, payload: Fields): readonly AgentEvent[] {
  const { sessionId, cwd, turnId, atMs } = state;
  const whole = { session_id: sessionId, cwd, ...payload };
  const isStart = payload["hook_event_name"] === "SessionStart";
  const parsed = parseCodexHook("", isStart ? whole : { ...whole, turn_id: turnId });
  if (!parsed.ok) return [];
  return [parsed.event, ...(parsed.more ?? [])].map((event) => ({
    ...event,
    ...present({ atMs }),
  }));
}

function wordsIn(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part: unknown) => (isFields(part) ? (textOf(part, "text") ?? "") : ""))
    .filter((text) => text !== "")
    .join("\n");
}

function argumentsIn(given: unknown): unknown {
  if (typeof given !== "string") return given;
  try {
    return JSON.parse(given);
  } catch {
    return given;
  }
}

function parse(text: string): Fields | undefined {
  const value = argumentsIn(text);
  return isFields(value) ? value : undefined;
}
