import type { Fields } from "../json.ts";
import { textOf } from "../json.ts";

/** The agent hosts that can be told apart by their payloads. */
type Host =
  | "windsurf"
  | "opencode"
  | "cline"
  | "cursor"
  | "vscode"
  | "copilot-cli"
  | "codex"
  | "gemini"
  | "claude-code";

const geminiEvents = new Set([
  "BeforeAgent",
  "AfterAgent",
  "BeforeModel",
  "AfterModel",
  "BeforeTool",
  "AfterTool",
  "BeforeToolSelection",
  "PreCompress",
]);

/** Members that one host alone has, the most telling first. */
const hostMarks: readonly (readonly [member: string, host: Host])[] = [
  ["agent_action_name", "windsurf"],
  ["opencode", "opencode"],
  ["clineVersion", "cline"],
  ["cursor_version", "cursor"],
  ["conversation_id", "cursor"],
  ["hookEventName", "vscode"],
];

/**
 * Which host sent a hook payload (CP4).
 *
 * Cursor and VS Code read Claude Code's settings and call its hooks with payloads of their own,
 * so one installation is called by several hosts. The order matters: the most telling member first.
 */
export function detectHost(payload: Fields): Host {
  const marked = hostMarks.find(([member]) => member in payload);
  if (marked !== undefined) return marked[1];
  if (typeof payload["timestamp"] === "number" && !("hook_event_name" in payload)) {
    return "copilot-cli";
  }
  if ("turn_id" in payload || isCodexPath(textOf(payload, "transcript_path"))) return "codex";
  if (geminiEvents.has(textOf(payload, "hook_event_name") ?? "")) return "gemini";
  return "claude-code";
}

function isCodexPath(path: string | undefined): boolean {
  return path !== undefined && /[/\\]\.codex[/\\]/u.test(path);
}
