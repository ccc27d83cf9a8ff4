import { join } from "node:path";
import type { AgentSetup, Place } from "../agent-setup.ts";
import { mcpFile } from "../mcp-entry.ts";
import { openCodePluginFile } from "./opencode-plugin.ts";

/** OpenCode, which keeps its settings where XDG says, on every system: a plugin, and the MCP server. */
export const openCodeSetup: AgentSetup = {
  name: "opencode",
  title: "OpenCode",
  traces: (place) => [folder(place)],
  files: (place) => [
    openCodePluginFile(join(folder(place), "plugins", "tidemark.js"), place.launcher),
    mcpFile({
      path: join(folder(place), "opencode.json"),
      at: ["mcp"],
      entry: { type: "local", command: [place.launcher, "mcp"], enabled: true },
    }),
  ],
  next: "restart OpenCode; it captures from then on, and lists the tools of tidemark",
};

function folder({ home, env }: Place): string {
  return join(env["XDG_CONFIG_HOME"] ?? join(home, ".config"), "opencode");
}
