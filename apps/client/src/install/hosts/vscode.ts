import { join } from "node:path";
import type { AgentSetup, Place } from "../agent-setup.ts";
import { hookFile, type HookEntry } from "../hook-entries.ts";
import { mcpFile } from "../mcp-entry.ts";
import { hookCommand, mcpStart } from "../starts.ts";

const events = [
  "SessionStart",
  "UserPromptSubmit",
  "PostToolUse",
  "SubagentStop",
  "PreCompact",
  "Stop",
];
/** In seconds. */
const timeout = 10;

/** GitHub Copilot in VS Code: hooks in a file of their own, the MCP server in the profile. */
export const vsCodeSetup: AgentSetup = {
  name: "vscode",
  title: "VS Code",
  traces: (place) => [codeFolder(place)],
  files: (place) => [
    hookFile({
      path: join(place.home, ".copilot", "hooks", "tidemark.json"),
      agent: "vscode",
      entries: events.map((event): HookEntry => {
        const command = hookCommand(place, "vscode", event);
        return { event, group: { type: "command", command, timeout } };
      }),
    }),
    mcpFile({
      path: join(codeFolder(place), "mcp.json"),
      at: ["servers"],
      entry: { type: "stdio", ...mcpStart(place) },
    }),
  ],
  next: "reload the window of VS Code; it asks once whether the server tidemark may start",
};

/** Where VS Code keeps what is its person's. */
export function codeFolder({ home, env, system }: Place): string {
  const base: Readonly<Record<string, string>> = {
    darwin: join(home, "Library", "Application Support"),
    win32: env["APPDATA"] ?? join(home, "AppData", "Roaming"),
  };
  return join(base[system] ?? env["XDG_CONFIG_HOME"] ?? join(home, ".config"), "Code", "User");
}
