import { join } from "node:path";
import type { AgentSetup, Place } from "../agent-setup.ts";
import { mcpFile } from "../mcp-entry.ts";
import { tomlMcpFile } from "../toml-block.ts";

const restart = (title: string): string => `restart ${title}; it lists the tools of tidemark then`;

const started = ({ launcher }: Place): { command: string; args: readonly string[] } => ({
  command: launcher,
  args: ["mcp"],
});

/** Codex CLI. */
export const codexSetup: AgentSetup = {
  name: "codex",
  title: "Codex",
  traces: (place) => [codexFolder(place)],
  files: (place) => [
    tomlMcpFile(join(codexFolder(place), "config.toml"), {
      ...started(place),
      startup_timeout_sec: 10,
    }),
  ],
  next: restart("Codex"),
};

function codexFolder({ home, env }: Place): string {
  return env["CODEX_HOME"] ?? join(home, ".codex");
}

/** Gemini CLI. */
export const geminiSetup: AgentSetup = {
  name: "gemini",
  title: "Gemini CLI",
  traces: ({ home }) => [join(home, ".gemini")],
  files: (place) => [
    mcpFile({
      path: join(place.home, ".gemini", "settings.json"),
      at: ["mcpServers"],
      entry: started(place),
    }),
  ],
  next: restart("Gemini CLI"),
};

/** Cursor. */
export const cursorSetup: AgentSetup = {
  name: "cursor",
  title: "Cursor",
  traces: ({ home }) => [join(home, ".cursor")],
  files: (place) => [
    mcpFile({
      path: join(place.home, ".cursor", "mcp.json"),
      at: ["mcpServers"],
      entry: started(place),
    }),
  ],
  next: restart("Cursor"),
};

/** OpenCode, which keeps its settings where XDG says, on every system. */
export const openCodeSetup: AgentSetup = {
  name: "opencode",
  title: "OpenCode",
  traces: (place) => [openCodeFolder(place)],
  files: (place) => [
    mcpFile({
      path: join(openCodeFolder(place), "opencode.json"),
      at: ["mcp"],
      entry: { type: "local", command: [place.launcher, "mcp"], enabled: true },
    }),
  ],
  next: restart("OpenCode"),
};

function openCodeFolder({ home, env }: Place): string {
  return join(env["XDG_CONFIG_HOME"] ?? join(home, ".config"), "opencode");
}

/** Windsurf. */
export const windsurfSetup: AgentSetup = {
  name: "windsurf",
  title: "Windsurf",
  traces: ({ home }) => [join(home, ".codeium", "windsurf")],
  files: (place) => [
    mcpFile({
      path: join(place.home, ".codeium", "windsurf", "mcp_config.json"),
      at: ["mcpServers"],
      entry: started(place),
    }),
  ],
  next: restart("Windsurf"),
};

/** Cline's extension in VS Code. */
export const clineSetup: AgentSetup = {
  name: "cline",
  title: "Cline",
  traces: (place) => [clineFolder(place)],
  files: (place) => [
    mcpFile({
      path: join(clineFolder(place), "settings", "cline_mcp_settings.json"),
      at: ["mcpServers"],
      entry: { ...started(place), disabled: false },
    }),
  ],
  next: "reload the window of VS Code; Cline lists the tools of tidemark then",
};

function clineFolder(place: Place): string {
  return join(codeFolder(place), "globalStorage", "saoudrizwan.claude-dev");
}

/** VS Code with GitHub Copilot. */
export const vsCodeSetup: AgentSetup = {
  name: "vscode",
  title: "VS Code",
  traces: (place) => [codeFolder(place)],
  files: (place) => [
    mcpFile({
      path: join(codeFolder(place), "mcp.json"),
      at: ["servers"],
      entry: { type: "stdio", ...started(place) },
    }),
  ],
  next: "reload the window of VS Code; it asks once whether the server tidemark may start",
};

function codeFolder({ home, env, system }: Place): string {
  const base: Readonly<Record<string, string>> = {
    darwin: join(home, "Library", "Application Support"),
    win32: env["APPDATA"] ?? join(home, "AppData", "Roaming"),
  };
  return join(base[system] ?? env["XDG_CONFIG_HOME"] ?? join(home, ".config"), "Code", "User");
}
