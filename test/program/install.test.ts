/** The installer on the agents' files of a made-up home, and what it installs as agents start it. */
import { spawnSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { clientProgram } from "./client-process.ts";

let home = "";
beforeEach(() => {
  home = join(mkdtempSync(join(tmpdir(), "tidemark-install-")), "h o'me");
  mkdirSync(home);
});
afterEach(() => {
  folders = {};
  rmSync(dirname(home), { recursive: true, force: true });
});

/** What agents look into for their folders. */
let folders: Readonly<Record<string, string>> = {};

function start(program: string, args: readonly string[], input = "", shell = false) {
  const { PATH } = process.env;
  const env = { PATH, HOME: home, ...folders };
  return spawnSync(program, [...args], { input, env, cwd: home, encoding: "utf8", shell });
}

const run = (...args: readonly string[]) => start(process.execPath, [clientProgram, ...args]);

function write(name: string, text: string): void {
  mkdirSync(dirname(join(home, name)), { recursive: true });
  writeFileSync(join(home, name), text);
}

const read = (name: string): string => readFileSync(join(home, name), "utf8");

/** The agents' own files, as they were before. */
const files: Readonly<Record<string, string>> = {
  ".claude/settings.json": '{\n  // kept\n  "model": "m"\n}\n',
  ".claude.json": '{\n  "numStartups": 7\n}\n',
  ".codex/config.toml": 'model = "o9"\n',
  ".gemini/settings.json": '{\n  "theme": "dark"\n}\n',
  ".cursor/mcp.json": '{\n  "mcpServers": {\n    "other": {\n      "url": "x"\n    }\n  }\n}\n',
  ".config/opencode/opencode.json": '{\n  "$schema": "https://opencode.ai/config.json"\n}\n',
  ".codeium/windsurf/mcp_config.json": '{\n  "a": 1\n}\n',
  ".config/Code/User/mcp.json": '{\n  "inputs": []\n}\n',
  ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json":
    '{\n  "b": 2\n}\n',
};

function writeAll(): void {
  for (const [name, text] of Object.entries(files)) write(name, text);
}

const states = (): unknown =>
  Object.fromEntries(Object.keys(files).map((name) => [name, read(name)]));

/** Every file below the home but those of Tidemark's own memory. */
const tree = (): readonly string[] =>
  readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.includes("/tidemark/"))
    .toSorted();

test("[IN1, IN3, IN4] every agent is installed for once, and put back to the byte", () => {
  writeAll();
  const before = tree();
  const dry = run("install", "--all", "--dry-run");
  expect(dry).toMatchObject({ status: 0, stderr: "" });
  expect(dry.stdout).toContain("+++ ");
  expect(states()).toEqual(files);
  const done = run("install", "--all");
  expect(done).toMatchObject({ status: 0, stderr: "" });
  for (const name of Object.keys(files)) {
    expect(read(name)).toContain("bin/tidemark");
    expect(done.stdout).toContain(`+++ ${join(home, name)}`);
  }
  const installed = states();
  expect(run("install", "--all").stdout).not.toContain("+++");
  expect(states()).toEqual(installed);
  expect(run("install").stdout.match(/ installed$/gmu)).toHaveLength(8);
  const launcher = join(home, ".local/share/tidemark/bin/tidemark");
  expect(run("uninstall", "codex", "gemini").status).toBe(0);
  expect(existsSync(launcher)).toBe(true);
  expect(run("uninstall", "--all")).toMatchObject({ status: 0, stderr: "" });
  expect(states()).toEqual(files);
  expect(tree()).toEqual(before);
  expect(existsSync(launcher)).toBe(false);
});

test("[IN1] without a name it tells what is here, and with a wrong one what there is", () => {
  write(".codex/config.toml", "");
  const listed = run("install");
  expect(listed.stdout).toMatch(/^codex +Codex +not installed$/mu);
  expect(listed.stdout).toMatch(/^cursor +Cursor +not on this machine$/mu);
  expect(run("install", "emacs")).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("one of: claude-code, codex"),
  });
  rmSync(join(home, ".codex"), { recursive: true });
  expect(run("install", "--all")).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("no agent"),
  });
});

test("[IN5] where one agent's settings are broken, nothing is changed for any", () => {
  writeAll();
  write(".gemini/settings.json", "{ broken");
  const ended = run("install", "--all");
  expect(ended.status).toBe(1);
  expect(ended.stderr).toContain(join(home, ".gemini/settings.json"));
  expect(ended.stderr).toContain("mend it by hand");
  expect(states()).toEqual({ ...files, ".gemini/settings.json": "{ broken" });
});

interface Settings {
  readonly hooks: Readonly<Record<string, readonly { hooks: readonly { command: string }[] }[]>>;
}

test("[IN7] the hooks that are installed capture, as a shell starts them, also in a home with a blank", () => {
  write(".claude/settings.json", "");
  expect(run("install", "claude-code").status).toBe(0);
  const { hooks } = JSON.parse(read(".claude/settings.json")) as Settings;
  expect(Object.keys(hooks)).toContain("UserPromptSubmit");
  const handler = hooks["UserPromptSubmit"]?.[0]?.hooks[0];
  const payload = JSON.stringify({
    session_id: "s1",
    cwd: home,
    hook_event_name: "UserPromptSubmit",
    prompt: "Fix the login bug in src/login.ts",
  });
  expect(start(handler?.command ?? "", [], payload, true)).toMatchObject({
    status: 0,
    stdout: "",
    stderr: "",
  });
  expect(run("list", "--all").stdout).toContain("Fix the login bug");
  expect(run("doctor").stdout).toMatch(/^PASS {2}agents: installed for Claude Code; last hook /mu);
});

/** The prompt and the start of a session as each host tells them, and where its hooks stand. */
const hosts: readonly (readonly [
  agent: string,
  file: string,
  events: readonly [prompt: string, start: string],
  payload: object,
])[] = [
  [
    "codex",
    ".codex/hooks.json",
    ["UserPromptSubmit", "SessionStart"],
    { session_id: "s", transcript_path: "/h/.codex/sessions/x.jsonl", source: "startup" },
  ],
  [
    "gemini",
    ".gemini/settings.json",
    ["BeforeAgent", "SessionStart"],
    { session_id: "s", source: "startup" },
  ],
  [
    "cursor",
    ".cursor/hooks.json",
    ["beforeSubmitPrompt", "sessionStart"],
    { conversation_id: "s", cursor_version: "2" },
  ],
  [
    "vscode",
    ".copilot/hooks/tidemark.json",
    ["UserPromptSubmit", "SessionStart"],
    { sessionId: "s", source: "new" },
  ],
];

test.each(hosts)(
  "[IN7] what is installed for %s captures a prompt, and gives it to the next session",
  (agent, file, [prompt, sessionStart], payload) => {
    expect(run("install", agent).status).toBe(0);
    const { hooks } = JSON.parse(read(file)) as {
      readonly hooks: Readonly<Record<string, readonly [Hook]>>;
    };
    const tell = (event: string, more: object) => {
      const [group] = hooks[event] ?? [];
      const name = agent === "vscode" ? { hookEventName: event } : { hook_event_name: event };
      const input = JSON.stringify({ ...payload, ...name, cwd: home, ...more });
      const command = group?.command ?? group?.hooks?.[0]?.command ?? "";
      const ended = start(command, [], input, true);
      expect(ended).toMatchObject({ status: 0, stderr: "" });
      return ended.stdout;
    };
    expect(tell(prompt, { prompt: "Fix the login bug in src/login.ts" })).toBe("");
    expect(run("list", "--all").stdout).toContain("Fix the login bug");
    expect(run("save", "--kind", "decision", "--title", "Tokens live ten minutes").status).toBe(0);
    const answer = JSON.parse(tell(sessionStart, { [idOf(payload)]: "s2" })) as object;
    expect(JSON.stringify(answer)).toContain("Tokens live ten minutes");
    expect(run("doctor").stdout).toContain("PASS  agents: installed for");
  },
);

interface Hook {
  readonly command?: string;
  readonly hooks?: readonly { readonly command: string }[];
}

function idOf(payload: object): string {
  return Object.entries(payload).find(([, value]) => value === "s")?.[0] ?? "";
}

test("[IN7] what agents start is the owner's alone; where the program is gone a hook is silent", () => {
  write(".claude/settings.json", "");
  expect(run("install", "claude-code").status).toBe(0);
  const launcher = join(home, ".local/share/tidemark/bin/tidemark");
  expect(statSync(launcher).mode & 0o777).toBe(0o700);
  expect(readdirSync(dirname(launcher))).toEqual(["tidemark"]);
  expect(start(launcher, ["--version"])).toMatchObject({ status: 0, stderr: "" });
  const moved = read(".local/share/tidemark/bin/tidemark").replace(clientProgram, "/gone/main.js");
  writeFileSync(launcher, moved);
  expect(start(launcher, ["hook", "claude-code", "Stop"], "{}")).toMatchObject({
    status: 0,
    stdout: "",
    stderr: "",
  });
  expect(start(launcher, ["mcp"])).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("tidemark install"),
  });
  expect(run("doctor").stdout).toContain("FAIL  agents:");
  expect(run("install", "claude-code").status).toBe(0);
  expect(run("doctor").stdout).toContain("PASS  agents:");
});

test("[IN8] doctor tells of a hook that was taken out by hand", () => {
  write(".claude/settings.json", "");
  expect(run("install", "claude-code").status).toBe(0);
  const settings = JSON.parse(read(".claude/settings.json")) as Settings;
  const { Stop: _, ...others } = settings.hooks;
  write(".claude/settings.json", JSON.stringify({ hooks: others }));
  const { stdout } = run("doctor");
  expect(stdout).toContain("WARN  agents: Claude Code");
  expect(stdout).toContain("fix: tidemark install claude-code");
});

test.each([
  [".claude/settings.json", "claude-code", (text: string) => text.replace("{", '{ "a" ')],
  [".cursor/hooks.json", "cursor", (text: string) => text.slice(0, -20)],
  [".codex/config.toml", "codex", (text: string) => `${text}a = `],
])("[IN8, CL19] doctor tells of %s that nothing can read any more", (file, agent, broken) => {
  write(file, "");
  expect(run("install", agent).status).toBe(0);
  write(file, broken(read(file)));
  const { stdout } = run("doctor");
  expect(stdout).not.toContain("none installed for");
  expect(stdout).toContain(`${join(home, file)}: it is no `);
  expect(stdout).toContain("fix: mend it by hand");
  // Where nothing of Tidemark's is in it, it is no trouble of this installation.
  rmSync(join(home, dirname(file)), { recursive: true });
  rmSync(join(home, ".claude.json"), { force: true });
  write(file, "broken {");
  expect(run("doctor").stdout).toContain("PASS  agents: none installed for");
});

test("[IN7] the MCP server that is installed answers", () => {
  write(".cursor/mcp.json", "");
  expect(run("install", "cursor").status).toBe(0);
  const { mcpServers } = JSON.parse(read(".cursor/mcp.json")) as {
    readonly mcpServers: { readonly tidemark: { command: string; args: string[] } };
  };
  const { command, args } = mcpServers.tidemark;
  const clientInfo = { name: "cursor", version: "1" };
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  const requests = [
    { id: 1, method: "initialize", params },
    { method: "notifications/initialized" },
    { id: 2, method: "tools/list" },
  ];
  const lines = requests.map((each) => `${JSON.stringify({ jsonrpc: "2.0", ...each })}\n`);
  const { stdout, status } = start(command, args, lines.join(""));
  expect(status).toBe(0);
  expect(stdout).toContain('"name":"search"');
});

test("[CL96, IN4] a folder that is set to nothing is the one where the agent looks by itself", () => {
  folders = { CODEX_HOME: "", CLAUDE_CONFIG_DIR: "", XDG_CONFIG_HOME: "" };
  writeAll();
  const before = tree();
  expect(run("install", "--all", "--yes").status).toBe(0);
  expect(read(".codex/config.toml")).toContain("[mcp_servers.tidemark]");
  expect(read(".claude.json")).toContain('"tidemark"');
  expect(read(".claude/settings.json")).toContain("UserPromptSubmit");
  expect(read(".config/opencode/opencode.json")).toContain('"tidemark"');
  expect(readdirSync(home).filter((name) => !name.startsWith("."))).toEqual([]);
  expect(run("uninstall", "--all", "--yes").status).toBe(0);
  expect([tree(), states()]).toEqual([before, files]);
});

test("[IN6] settings that are a link into a repository stay one", () => {
  write("dotfiles/settings.json", "{}\n");
  mkdirSync(join(home, ".claude"));
  const linked = spawnSync("ln", ["-s", "../dotfiles/settings.json", ".claude/settings.json"], {
    cwd: home,
  });
  expect(linked.status).toBe(0);
  expect(run("install", "claude-code").status).toBe(0);
  expect(read("dotfiles/settings.json")).toContain("UserPromptSubmit");
  expect(existsSync(join(home, ".claude/settings.json"))).toBe(true);
  expect(run("uninstall", "claude-code").status).toBe(0);
  expect(read("dotfiles/settings.json")).toBe("{}\n");
  expect(run("install", "claude-code").status).toBe(0);
  renameSync(join(home, "dotfiles"), join(home, "elsewhere"));
  expect(existsSync(join(home, ".claude/settings.json"))).toBe(false);
  const again = run("install", "claude-code");
  expect(again.status).toBe(1);
  expect(again.stderr).toContain("it is a link to what is not there");
  expect(lstatSync(join(home, ".claude/settings.json")).isSymbolicLink()).toBe(true);
});
