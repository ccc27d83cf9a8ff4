import type { EventKind, Parsed } from "./event.ts";
import { eventOf, eventsOf, type HookReport, type ReportedTool } from "./hook-report.ts";
import type { Fields } from "./json.ts";
import { isFields, present, textOf } from "./json.ts";
import { readOpening, type HostForm } from "./opening.ts";

/** The agent's name in events, on the command line and in records. */
export const cline = "cline";

/** By the names of its hook files. */
const eventKinds: ReadonlyMap<string, EventKind> = new Map<string, EventKind>([
  ["TaskStart", "session-start"],
  ["TaskResume", "session-start"],
  ["UserPromptSubmit", "prompt"],
  ["PostToolUse", "tool"],
  ["TaskComplete", "turn-end"],
  ["SessionShutdown", "session-end"],
  ["TaskCancel", "other"],
  ["TaskError", "other"],
  ["PreToolUse", "other"],
  ["PreCompact", "other"],
]);

/** Newer builds tell what happened by another name than their hook files have. */
const fileNames: Readonly<Record<string, string>> = {
  agent_start: "TaskStart",
  agent_resume: "TaskResume",
  prompt_submit: "UserPromptSubmit",
  tool_call: "PreToolUse",
  tool_result: "PostToolUse",
  agent_end: "TaskComplete",
  agent_abort: "TaskCancel",
  agent_error: "TaskError",
  pre_compact: "PreCompact",
  session_shutdown: "SessionShutdown",
};

/** The rules' names of its tools, of the extension and of the command line. */
const toolNames: ReadonlyMap<string, string> = new Map([
  ["execute_command", "Bash"],
  ["write_to_file", "Write"],
  ["replace_in_file", "Edit"],
  ["read_file", "Read"],
  ["read_files", "Read"],
  ["list_files", "LS"],
  ["search_files", "Grep"],
  ["search_codebase", "Grep"],
  ["web_fetch", "WebFetch"],
  ["fetch_web_content", "WebFetch"],
  ["web_search", "WebSearch"],
]);

const form: HostForm = { hosts: [cline], event: "hookName", session: ["taskId"] };

/** Whether Cline is known to have this hook. */
export function isClineEvent(name: string): boolean {
  return eventKinds.has(name);
}

/** Reads one hook payload of Cline (CP1, CP2). Commands that it ran together are an event each. */
export function parseClineHook(event: string, told: unknown): Parsed {
  const opening = readOpening(event, withFileName(told), form);
  if (!opening.ok) return opening;
  const { fields: payload, name, sessionId } = opening;
  const moment = eventKinds.get(name) ?? "other";
  const isChild = textOf(payload, "parent_agent_id") !== undefined;
  const report: HookReport = {
    agent: cline,
    // What one agent tells another is nothing that a person has said.
    kind: isChild && moment !== "tool" ? "other" : moment,
    name,
    sessionId,
    ...present({
      cwd: firstText(payload["workspaceRoots"]),
      ...wordsOf(payload, moment),
    }),
  };
  if (moment !== "tool") return eventOf(report);
  const tools = toolsOf(payload);
  if (tools.length === 0) return eventOf({ ...report, kind: "other" });
  return eventsOf(
    tools.map((tool) => ({ ...report, kind: tool.ok ? "tool" : "tool-failed", tool })),
  );
}

function withFileName(told: unknown): unknown {
  if (!isFields(told)) return told;
  const { hookName } = told;
  const file = typeof hookName === "string" ? fileNames[hookName] : undefined;
  return file === undefined ? told : { ...told, hookName: file };
}

function wordsOf(
  payload: Fields,
  moment: EventKind,
): Pick<HookReport, "prompt" | "promptId" | "assistant"> {
  if (moment === "turn-end") {
    const meta = fieldsAt(fieldsAt(payload, "taskComplete"), "taskMetadata");
    return present({
      assistant: textOf(fieldsAt(payload, "turn"), "outputText") ?? textOf(meta, "result"),
    });
  }
  if (moment !== "prompt") return {};
  const prompt = textOf(fieldsAt(payload, "userPromptSubmit"), "prompt");
  return present({ prompt, promptId: textOf(payload, "timestamp") });
}

function toolsOf(payload: Fields): readonly ReportedTool[] {
  const result = fieldsAt(payload, "tool_result");
  const told = fieldsAt(payload, "postToolUse");
  const name = textOf(result, "name") ?? textOf(told, "toolName");
  const input = isFields(result["input"]) ? result["input"] : fieldsAt(told, "parameters");
  const id = textOf(result, "id") ?? textOf(payload, "timestamp");
  const response = result["output"] ?? told["result"];
  const ok = told["success"] !== false && result["error"] === undefined;
  const ms = told["executionTimeMs"];
  if (name === undefined) return [];
  if (name === "run_commands") return commandsOf(response, { id, ms });
  const edited = editOf(name, input);
  const tool = edited ?? { name: nameOf(name, input), input: inputOf(input) };
  return [{ ...tool, response, ok, id, ms }];
}

/** Each command with what it wrote and how it ended. */
function commandsOf(
  output: unknown,
  about: Pick<ReportedTool, "id" | "ms">,
): readonly ReportedTool[] {
  const list: readonly unknown[] = Array.isArray(output) ? (output as readonly unknown[]) : [];
  return list.flatMap((each, index) => {
    const command = isFields(each) ? textOf(each, "query") : undefined;
    if (!isFields(each) || command === undefined) return [];
    const response = (textOf(each, "result") ?? "").replace(
      /^\[Command exited with code -?\d+\]\n/u,
      "",
    );
    const id = about.id === undefined ? undefined : `${about.id}.${index}`;
    const ok = each["success"] !== false;
    return [{ name: "Bash", input: { command }, response, ok, id, ms: about.ms }];
  });
}

function editOf(name: string, input: Fields): Pick<ReportedTool, "name" | "input"> | undefined {
  if (name !== "editor") return undefined;
  const { path, old_text: before, new_text: after } = input;
  return before === undefined || before === null
    ? { name: "Write", input: { file_path: path, content: after } }
    : { name: "Edit", input: { file_path: path, old_string: before, new_string: after } };
}

function nameOf(told: string, input: Fields): string {
  const known = toolNames.get(told);
  if (known !== undefined) return known;
  if (told === "use_mcp_tool") {
    return `mcp__${textOf(input, "server_name") ?? "unknown"}__${textOf(input, "tool_name") ?? "tool"}`;
  }
  return /^[^_]+__./u.test(told) && !told.startsWith("mcp__") ? `mcp__${told}` : told;
}

function inputOf(input: Fields): unknown {
  const path = textOf(input, "path");
  return path === undefined ? input : { ...input, file_path: path };
}

function fieldsAt(payload: Fields, name: string): Fields {
  const value = payload[name];
  return isFields(value) ? value : {};
}

function firstText(list: unknown): string | undefined {
  const [first] = Array.isArray(list) ? (list as readonly unknown[]) : [];
  return typeof first === "string" && first !== "" ? first : undefined;
}
