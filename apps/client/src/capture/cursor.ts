import type { EventKind, Parsed } from "./event.ts";
import { eventOf, type ReportedTool } from "./hook-report.ts";
import type { Fields } from "./json.ts";
import { isFields, present, textOf } from "./json.ts";
import { readOpening, type HostForm } from "./opening.ts";

/** The agent's name in events, on the command line and in records. */
export const cursor = "cursor";

const eventKinds: ReadonlyMap<string, EventKind> = new Map<string, EventKind>([
  ["sessionStart", "session-start"],
  ["beforeSubmitPrompt", "prompt"],
  ["afterShellExecution", "tool"],
  ["afterFileEdit", "tool"],
  ["afterMCPExecution", "tool"],
  // The words of a turn come with this one; `stop` brings none.
  ["afterAgentResponse", "turn-end"],
  ["subagentStop", "subagent-end"],
  ["preCompact", "compact"],
  ["sessionEnd", "session-end"],
  ["stop", "other"],
]);

const form: HostForm = {
  hosts: ["cursor"],
  event: "hook_event_name",
  session: ["conversation_id", "session_id"],
};

/** Whether Cursor is known to send this hook event. */
export function isCursorEvent(name: string): boolean {
  return eventKinds.has(name);
}

/**
 * Reads one hook payload of Cursor (CP1, CP2). The person's mail address, which each of them carries,
 * is not read.
 */
export function parseCursorHook(event: string, told: unknown): Parsed {
  const opening = readOpening(event, told, form);
  if (!opening.ok) return opening;
  const { fields: payload, name, sessionId } = opening;
  const kind = eventKinds.get(name) ?? "other";
  return eventOf({
    agent: cursor,
    kind,
    name,
    sessionId,
    ...present({
      promptId: textOf(payload, "generation_id"),
      cwd: textOf(payload, "cwd") ?? firstText(payload["workspace_roots"]),
      transcriptPath: textOf(payload, "transcript_path"),
      prompt: kind === "prompt" ? textOf(payload, "prompt") : undefined,
      assistant: kind === "turn-end" ? textOf(payload, "text") : undefined,
      reason: textOf(payload, "reason"),
      tool: toolOf(name, payload),
    }),
  });
}

function toolOf(name: string, payload: Fields): ReportedTool | undefined {
  if (name === "afterShellExecution") {
    const input = { command: textOf(payload, "command") };
    const { output, duration } = payload;
    return { name: "Bash", input, response: output, ok: true, ms: duration };
  }
  if (name === "afterFileEdit") {
    const input = { file_path: textOf(payload, "file_path"), edits: payload["edits"] };
    return { name: "Edit", input, response: undefined, ok: true };
  }
  if (name !== "afterMCPExecution") return undefined;
  const told = textOf(payload, "tool_name");
  return {
    name: told === undefined ? undefined : mcpNameOf(told, payload),
    input: parsedFields(payload["tool_input"]) ?? {},
    response: payload["result_json"],
    ok: true,
  };
}

/** The server stands in its start command or address alone. */
function mcpNameOf(told: string, payload: Fields): string {
  const place = textOf(payload, "server_name", "server", "command", "url") ?? "";
  const server = /\btidemark\b/u.test(place) ? "tidemark" : place.replaceAll(/\W+/gu, "-");
  return `mcp__${server === "" ? "unknown" : server}__${told}`;
}

function parsedFields(value: unknown): Fields | undefined {
  if (isFields(value)) return value;
  if (typeof value !== "string") return undefined;
  try {
    const parsed: unknown = JSON.parse(value);
    return isFields(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function firstText(values: unknown): string | undefined {
  const first: unknown = Array.isArray(values) ? values[0] : undefined;
  return typeof first === "string" && first !== "" ? first : undefined;
}
