import type { EventKind, Parsed } from "./event.ts";
import { eventOf, type HookReport, type ReportedTool } from "./hook-report.ts";
import type { Fields } from "./json.ts";
import { isFields, present, textOf } from "./json.ts";
import { readOpening, type HostForm } from "./opening.ts";

/** The agent's name in events, on the command line and in records. */
export const gemini = "gemini";

const eventKinds: ReadonlyMap<string, EventKind> = new Map<string, EventKind>([
  ["SessionStart", "session-start"],
  ["BeforeAgent", "prompt"],
  ["AfterTool", "tool"],
  ["AfterAgent", "turn-end"],
  ["SessionEnd", "session-end"],
  // It comes before each request to the model, whether anything is compressed or not.
  ["PreCompress", "other"],
  ["BeforeTool", "other"],
  ["BeforeModel", "other"],
  ["AfterModel", "other"],
  ["BeforeToolSelection", "other"],
  ["Notification", "other"],
]);

/** The rules' names of its tools. */
const toolNames: ReadonlyMap<string, string> = new Map([
  ["run_shell_command", "Bash"],
  ["write_file", "Write"],
  ["replace", "Edit"],
  ["read_file", "Read"],
  ["read_many_files", "Read"],
  ["glob", "Glob"],
  ["search_file_content", "Grep"],
  ["list_directory", "LS"],
  ["web_fetch", "WebFetch"],
  ["google_web_search", "WebSearch"],
]);

// What says nothing that another host's does not say as well is taken for what was installed.
const form: HostForm = {
  hosts: ["gemini", "claude-code"],
  event: "hook_event_name",
  session: ["session_id"],
};

/** Whether Gemini CLI is known to send this hook event. */
export function isGeminiEvent(name: string): boolean {
  return eventKinds.has(name);
}

/** Reads one hook payload of Gemini CLI (CP1, CP2). */
export function parseGeminiHook(event: string, told: unknown): Parsed {
  const opening = readOpening(event, told, form);
  if (!opening.ok) return opening;
  const { fields: payload, name, sessionId } = opening;
  const moment = eventKinds.get(name) ?? "other";
  const tool = moment === "tool" ? toolOf(payload) : undefined;
  const kind = tool?.ok === false ? "tool-failed" : moment;
  return eventOf({
    agent: gemini,
    kind,
    name,
    sessionId,
    ...present({
      cwd: textOf(payload, "cwd"),
      transcriptPath: textOf(payload, "transcript_path"),
      source: textOf(payload, "source", "trigger"),
      reason: textOf(payload, "reason"),
      ...wordsOf(payload, moment),
      tool,
    }),
  });
}

function wordsOf(
  payload: Fields,
  kind: EventKind,
): Pick<HookReport, "prompt" | "promptId" | "assistant"> {
  if (kind === "turn-end") return present({ assistant: textOf(payload, "prompt_response") });
  if (kind !== "prompt") return {};
  // It names no turn; the time tells two equal prompts apart.
  return present({ prompt: textOf(payload, "prompt"), promptId: textOf(payload, "timestamp") });
}

function toolOf(payload: Fields): ReportedTool {
  const told = textOf(payload, "tool_name");
  const { tool_response: response } = payload;
  const fields = isFields(response) ? response : {};
  const text = fields["llmContent"] ?? fields["returnDisplay"] ?? response;
  const isShell = told === "run_shell_command";
  const exit = typeof text === "string" ? /^Exit Code: (\d+)$/mu.exec(text)?.[1] : undefined;
  const error = fields["error"];
  const hasFailed = isFields(error) || typeof error === "string";
  return {
    name: told === undefined ? undefined : nameOf(told, payload["mcp_context"]),
    input: inputOf(payload["tool_input"]),
    response: isShell && typeof text === "string" ? outputIn(text) : text,
    ok: !hasFailed && (exit === undefined || exit === "0"),
    id: textOf(payload, "timestamp"),
  };
}

/** MCP tools are `mcp_<server>_<tool>`; the server's own name stands beside where it is told. */
function nameOf(told: string, context: unknown): string {
  const known = toolNames.get(told);
  if (known !== undefined) return known;
  const server = isFields(context) ? textOf(context, "server_name") : undefined;
  const [, first = "", rest = ""] = /^mcp_([^_]+)_(.+)$/u.exec(told) ?? [];
  if (server !== undefined) return `mcp__${server}__${told.replace(`mcp_${server}_`, "")}`;
  return first === "" ? told : `mcp__${first}__${rest}`;
}

function inputOf(input: unknown): unknown {
  if (!isFields(input)) return input;
  const path = textOf(input, "file_path", "absolute_path");
  return path === undefined ? input : { ...input, file_path: path };
}

/** What a command wrote, without the lines by which the host tells the model about it. */
function outputIn(told: string): string {
  return told
    .replaceAll(/^<\/?untrusted_context>\n?/gmu, "")
    .replace(/^(?:(?:Command|Directory): .*\n)*Output: /u, "")
    .replace(
      /(?:^(?:Error|Exit Code|Signal|Background PIDs|Process Group PGID): .*\n?)+(?![^])/mu,
      "",
    )
    .trim();
}
