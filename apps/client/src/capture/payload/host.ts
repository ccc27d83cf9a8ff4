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

/**
 * Which host sent a hook payload (CP4).
 *
 * Cursor and VS Code read Claude Code's settings and call its hooks with payloads of their own,
 * so one installation is called by several hosts. The order matters: the most telling member first.
 */
export function detectHost(payload: Fields): Host {
  if ("agent_action_name" in payload) return "windsurf";
  if ("opencode" in payload) return "opencode";
  if ("clineVersion" in payload) return "cline";
  if ("cursor_version" in payload || "conversation_id" in payload) return "cursor";
  if ("hookEventName" in payload) return "vscode";
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
