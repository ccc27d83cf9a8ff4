import type { EventKind, Parsed } from "./event.ts";
import { eventOf, type ReportedTool } from "./hook-report.ts";
import type { Fields } from "./json.ts";
import { isFields, present, textOf } from "./json.ts";
import { readOpening, type HostForm } from "./opening.ts";

/** The agent's name in events, on the command line and in records. */
export const windsurf = "windsurf";

const eventKinds: ReadonlyMap<string, EventKind> = new Map<string, EventKind>([
  ["pre_user_prompt", "prompt"],
  ["post_write_code", "tool"],
  ["post_run_command", "tool"],
  ["post_mcp_tool_use", "tool"],
  ["post_cascade_response", "turn-end"],
  ["post_read_code", "other"],
  ["post_setup_worktree", "other"],
]);

const form: HostForm = {
  hosts: ["windsurf"],
  event: "agent_action_name",
  session: ["trajectory_id"],
};

/** Whether Windsurf is known to send this hook event. */
export function isWindsurfEvent(name: string): boolean {
  return eventKinds.has(name);
}

/** Reads one hook payload of Windsurf (CP1, CP2). */
export function parseWindsurfHook(event: string, told: unknown): Parsed {
  const opening = readOpening(event, told, form);
  if (!opening.ok) return opening;
  const { fields: payload, name, sessionId } = opening;
  const kind = eventKinds.get(name) ?? "other";
  const info = isFields(payload["tool_info"]) ? payload["tool_info"] : {};
  return eventOf({
    agent: windsurf,
    kind,
    name,
    sessionId,
    ...present({
      promptId: textOf(payload, "execution_id"),
      cwd: textOf(info, "cwd"),
      prompt: kind === "prompt" ? textOf(info, "user_prompt") : undefined,
      assistant: kind === "turn-end" ? textOf(info, "response") : undefined,
      tool: toolOf(name, info, payload),
    }),
  });
}

function toolOf(name: string, info: Fields, payload: Fields): ReportedTool | undefined {
  const id = textOf(payload, "timestamp");
  switch (name) {
    case "post_run_command": {
      const input = { command: textOf(info, "command_line") };
      // How it ended is not told.
      return { name: "Bash", input, response: undefined, ok: true, id };
    }
    case "post_write_code": {
      const input = { file_path: textOf(info, "file_path"), edits: info["edits"] };
      return { name: "Edit", input, response: undefined, ok: true, id };
    }
    case "post_mcp_tool_use": {
      const server = textOf(info, "mcp_server_name") ?? "unknown";
      const tool = textOf(info, "mcp_tool_name");
      const { mcp_tool_arguments: given, mcp_result: response } = info;
      const toolName = tool === undefined ? undefined : `mcp__${server}__${tool}`;
      return { name: toolName, input: isFields(given) ? given : {}, response, ok: true, id };
    }
    default:
      return undefined;
  }
}
