import { join } from "node:path";
import type { AgentSetup, Place } from "../agent-setup.ts";
import { hookScript } from "../hook-script.ts";
import { mcpFile } from "../mcp-entry.ts";
import { hookCommand, mcpStart } from "../starts.ts";
import { codeFolder } from "./vscode.ts";

const events = ["TaskStart", "TaskResume", "UserPromptSubmit", "PostToolUse", "TaskComplete"];

/** Cline in VS Code and on the command line: a script for each hook, and the MCP server of both. */
export const clineSetup: AgentSetup = {
  name: "cline",
  title: "Cline",
  traces: (place) => [extensionFolder(place), ownFolder(place)],
  files: (place) => [
    ...events.map((event) =>
      hookScript(join(ownFolder(place), "hooks", event), hookCommand(place, "cline", event)),
    ),
    ...[extensionFolder(place), join(ownFolder(place), "data")].map((folder) =>
      mcpFile({
        path: join(folder, "settings", "cline_mcp_settings.json"),
        at: ["mcpServers"],
        entry: { ...mcpStart(place), disabled: false },
      }),
    ),
  ],
  next: "reload the window of VS Code and turn on hooks in the settings of Cline; it lists the tools of tidemark then",
};

function ownFolder({ home }: Place): string {
  return join(home, ".cline");
}

function extensionFolder(place: Place): string {
  return join(codeFolder(place), "globalStorage", "saoudrizwan.claude-dev");
}
