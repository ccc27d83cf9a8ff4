import type { Place } from "./agent-setup.ts";
import { shellWord } from "./command-line.ts";

/** The command line of a hook. It never changes: some agents trust it by its hash. */
export function hookCommand({ launcher }: Place, agent: string, event: string): string {
  return `${shellWord(launcher)} hook ${agent} ${event}`;
}

/** What starts the MCP server, as most agents write it. */
export function mcpStart({ launcher }: Place): { command: string; args: readonly string[] } {
  return { command: launcher, args: ["mcp"] };
}

/** The command line of a status line. */
export function statuslineCommand({ launcher }: Place): string {
  return `${shellWord(launcher)} statusline`;
}
