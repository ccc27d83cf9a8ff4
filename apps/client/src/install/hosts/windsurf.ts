import { join } from "node:path";
import type { AgentSetup, Place } from "../agent-setup.ts";
import { hookFile } from "../hook-entries.ts";
import { mcpFile } from "../mcp-entry.ts";
import { hookCommand, mcpStart } from "../starts.ts";

const events = [
  "pre_user_prompt",
  "post_write_code",
  "post_run_command",
  "post_mcp_tool_use",
  "post_cascade_response",
];

/** Windsurf: hooks of the person's, and the MCP server. It takes no context from hooks. */
export const windsurfSetup: AgentSetup = {
  name: "windsurf",
  title: "Windsurf",
  traces: (place) => [folder(place)],
  files: (place) => [
    hookFile({
      path: join(folder(place), "hooks.json"),
      agent: "windsurf",
      entries: events.map((event) => ({
        event,
        group: { command: hookCommand(place, "windsurf", event), show_output: false },
      })),
    }),
    mcpFile({
      path: join(folder(place), "mcp_config.json"),
      at: ["mcpServers"],
      entry: mcpStart(place),
    }),
  ],
  next: "restart Windsurf; it captures, and memory comes back by the tools of tidemark alone",
};

function folder({ home }: Place): string {
  return join(home, ".codeium", "windsurf");
}
