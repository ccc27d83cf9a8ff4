import { join } from "node:path";
import type { AgentSetup } from "../agent-setup.ts";
import { hookFile } from "../hook-entries.ts";
import { mcpFile } from "../mcp-entry.ts";
import { hookCommand, mcpStart } from "../starts.ts";

const events = [
  "sessionStart",
  "beforeSubmitPrompt",
  "afterShellExecution",
  "afterFileEdit",
  "afterMCPExecution",
  "afterAgentResponse",
  "preCompact",
  "sessionEnd",
];

/** Cursor: hooks of the person's, and the MCP server for all projects. */
export const cursorSetup: AgentSetup = {
  name: "cursor",
  title: "Cursor",
  traces: ({ home }) => [join(home, ".cursor")],
  files: (place) => [
    hookFile({
      path: join(place.home, ".cursor", "hooks.json"),
      agent: "cursor",
      beside: { version: 1 },
      entries: events.map((event) => ({
        event,
        group: { command: hookCommand(place, "cursor", event) },
      })),
    }),
    mcpFile({
      path: join(place.home, ".cursor", "mcp.json"),
      at: ["mcpServers"],
      entry: mcpStart(place),
    }),
  ],
  next: "restart Cursor; its settings list the hooks and the server tidemark",
};
