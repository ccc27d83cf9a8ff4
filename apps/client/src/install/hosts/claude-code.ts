import { join } from "node:path";
import type { AgentSetup, Place } from "../agent-setup.ts";
import { hookFile, type HookEntry } from "../hook-entries.ts";
import { mcpFile } from "../mcp-entry.ts";
import { inOneFile } from "../same-file.ts";
import { hookCommand, mcpStart, statuslineCommand } from "../starts.ts";
import { statuslineFile } from "../statusline-entry.ts";

/** What it is told to tell, and how long it may wait for it, in seconds. */
const events: readonly (readonly [event: string, timeout: number, matcher?: string])[] = [
  ["SessionStart", 10],
  ["UserPromptSubmit", 10],
  ["PostToolUse", 10, "*"],
  ["PostToolUseFailure", 10, "*"],
  ["SubagentStop", 10],
  ["PreCompact", 10],
  ["Stop", 10],
  ["SessionEnd", 10],
];

/** Claude Code: hooks and a status line in its settings, the MCP server for all projects of the person. */
export const claudeCodeSetup: AgentSetup = {
  name: "claude-code",
  title: "Claude Code",
  traces: (place) => [settingsFolder(place), stateFile(place)],
  files: (place) => [
    inOneFile(
      hookFile({
        path: join(settingsFolder(place), "settings.json"),
        agent: "claude-code",
        entries: events.map((event) => hookEntry(place, ...event)),
      }),
      statuslineFile(join(settingsFolder(place), "settings.json"), statuslineCommand(place)),
    ),
    mcpFile({
      path: stateFile(place),
      at: ["mcpServers"],
      entry: { type: "stdio", ...mcpStart(place) },
    }),
  ],
  next: "start a new session of Claude Code; /hooks and /mcp show what it has taken up",
};

function hookEntry(place: Place, event: string, timeout: number, matcher?: string): HookEntry {
  const command = hookCommand(place, "claude-code", event);
  const handler = { type: "command", command, timeout };
  return { event, group: { ...(matcher === undefined ? {} : { matcher }), hooks: [handler] } };
}

function settingsFolder({ home, env }: Place): string {
  return env["CLAUDE_CONFIG_DIR"] ?? join(home, ".claude");
}

// With a folder of its own it keeps its state in there, else beside the folder.
function stateFile({ home, env }: Place): string {
  return join(env["CLAUDE_CONFIG_DIR"] ?? home, ".claude.json");
}
