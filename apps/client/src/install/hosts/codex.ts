import { join } from "node:path";
import type { AgentSetup, Place } from "../agent-setup.ts";
import { hookFile, type HookEntry } from "../hook-entries.ts";
import { hookCommand, mcpStart } from "../starts.ts";
import { tomlMcpFile } from "../toml-block.ts";

const events = ["SessionStart", "UserPromptSubmit", "PostToolUse", "SubagentStop", "Stop"];
/** In seconds. */
const timeout = 10;

/** Codex CLI: hooks in a file of their own beside its settings. */
export const codexSetup: AgentSetup = {
  name: "codex",
  title: "Codex",
  traces: (place) => [codexFolder(place)],
  files: (place) => [
    hookFile({
      path: join(codexFolder(place), "hooks.json"),
      agent: "codex",
      entries: events.map((event): HookEntry => {
        const command = hookCommand(place, "codex", event);
        return { event, group: { hooks: [{ type: "command", command, timeout }] } };
      }),
    }),
    tomlMcpFile(join(codexFolder(place), "config.toml"), {
      ...mcpStart(place),
      startup_timeout_sec: 10,
    }),
  ],
  next: "start Codex and accept its hooks where it asks for a review; until then it skips them in silence",
};

function codexFolder({ home, env }: Place): string {
  return env["CODEX_HOME"] ?? join(home, ".codex");
}
