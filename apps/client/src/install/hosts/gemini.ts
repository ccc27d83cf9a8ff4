import { join } from "node:path";
import type { AgentSetup } from "../agent-setup.ts";
import { hookFile, type HookEntry } from "../hook-entries.ts";
import { mcpFile } from "../mcp-entry.ts";
import { inOneFile } from "../same-file.ts";
import { hookCommand, mcpStart } from "../starts.ts";

const events = ["SessionStart", "BeforeAgent", "AfterTool", "AfterAgent", "SessionEnd"];
/** In milliseconds: no other agent counts so. */
const timeout = 10_000;

/** Gemini CLI: hooks and MCP server in its settings. */
export const geminiSetup: AgentSetup = {
  name: "gemini",
  title: "Gemini CLI",
  traces: ({ home }) => [join(home, ".gemini")],
  files: (place) => {
    const path = join(place.home, ".gemini", "settings.json");
    const hooks = hookFile({
      path,
      agent: "gemini",
      entries: events.map((event): HookEntry => {
        const command = hookCommand(place, "gemini", event);
        const handler = { type: "command", name: "tidemark", command, timeout };
        return { event, group: { hooks: [handler] } };
      }),
    });
    return [inOneFile(hooks, mcpFile({ path, at: ["mcpServers"], entry: mcpStart(place) }))];
  },
  next: "start a new session of Gemini CLI; /hooks and /mcp show what it has taken up",
};
