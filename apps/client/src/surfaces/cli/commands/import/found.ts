import { dirname, join } from "node:path";
import { ok } from "@tidemark/protocol";
import { isFields, textOf } from "../../../../capture/json.ts";
import { shellWord } from "../../../../install/command-line.ts";
import { readSettingsFile } from "../../../../platform/settings-file.ts";
import { safeText } from "../../../../platform/terminal.ts";
import { filesBelow, isFolder, namesIn } from "../../../../platform/tree-files.ts";
import { userHome } from "../../../../platform/program.ts";
import type { Home } from "../../../../wiring/home.ts";
import type { Call, Outcome } from "../../command.ts";
import type { CliDeps } from "../../deps.ts";
import { columns, counted } from "../../render/text.ts";

/** Another memory on this machine, and what would take it in. */
interface Found {
  readonly name: string;
  readonly path: string;
  readonly files: number;
}

/** Lists what this machine holds that can be imported, and the command for each; changes nothing. */
export function foundHere(deps: CliDeps, call: Call): Outcome {
  const home = deps.home();
  const found = [
    ...claudeMem(home),
    ...engrm(home),
    ...graphs(home),
    ...notes(home),
    ...agents(home),
  ];
  const items = found.map(({ name, path, files }) => ({
    name,
    path,
    files,
    command: commandFor(path, call),
  }));
  if (items.length === 0) {
    const hint = "give a file or a folder: `tidemark import --help` says what it reads";
    return ok({ json: { items }, text: `no other memory was found on this machine\n${hint}` });
  }
  const rows = items.map(({ name, files, command }) => [
    name,
    files === 1 ? "" : counted(files, "file"),
    safeText(command),
  ]);
  const hint = "--dry-run behind any of them says what would be added, and changes nothing";
  return ok({ json: { items }, text: `${columns(rows)}\n\n${hint}` });
}

function commandFor(path: string, call: Call): string {
  const into = call.text("namespace");
  const more = into === undefined ? "" : ` --namespace ${shellWord(into)}`;
  return `tidemark import ${shellWord(path)}${more}`;
}

function claudeMem({ env }: Home): readonly Found[] {
  const folder = env["CLAUDE_MEM_DATA_DIR"] ?? join(userHome(env), ".claude-mem");
  return fileAt("claude-mem", join(folder, "claude-mem.db"));
}

function engrm({ env }: Home): readonly Found[] {
  return fileAt("engrm", join(userHome(env), ".engrm", "engrm.db"));
}

/** It keeps its file where it is told to, else beside its own program, wherever npx put that. */
function graphs({ env }: Home): readonly Found[] {
  const name = "MCP memory server";
  const told = env["MEMORY_FILE_PATH"];
  const cache = join(env["npm_config_cache"] ?? join(userHome(env), ".npm"), "_npx");
  const beside = namesIn(cache).map((each) =>
    join(cache, each, "node_modules/@modelcontextprotocol/server-memory/dist/memory.jsonl"),
  );
  return [...(told === undefined ? [] : [told]), ...beside].flatMap((path) => fileAt(name, path));
}

function notes(home: Home): readonly Found[] {
  const claude = claudeFolder(home);
  return [
    ...basicMemoryFolders(home).flatMap((path) => folderAt("basic-memory", path, isMarkdown)),
    ...fileAt("Claude Code, for all projects", join(claude, "CLAUDE.md")),
    ...["CLAUDE.md", "CLAUDE.local.md", join(".claude", "CLAUDE.md")].flatMap((name) =>
      fileAt("Claude Code, for this project", join(home.folder, name)),
    ),
    ...namesIn(join(claude, "projects")).flatMap((name) =>
      folderAt("Claude Code's own notes", join(claude, "projects", name, "memory"), isMarkdown),
    ),
  ];
}

function basicMemoryFolders({ env }: Home): readonly string[] {
  const user = userHome(env);
  const text = readSettingsFile(
    join(env["BASIC_MEMORY_CONFIG_DIR"] ?? join(user, ".basic-memory"), "config.json"),
  );
  const config = text.ok && text.value !== undefined ? parse(text.value) : undefined;
  const projects = isFields(config) && isFields(config["projects"]) ? config["projects"] : {};
  const folders = Object.values(projects).flatMap((project) => {
    const path =
      typeof project === "string" ? project : isFields(project) ? textOf(project, "path") : "";
    return path === undefined || path === "" ? [] : [path.replace(/^~(?=\/|$)/u, user)];
  });
  return [...new Set([...folders, join(user, "basic-memory")])];
}

function agents(home: Home): readonly Found[] {
  const isLines = (path: string): boolean => path.endsWith(".jsonl");
  const codex = home.env["CODEX_HOME"] ?? join(userHome(home.env), ".codex");
  return [
    ...folderAt("Claude Code's transcripts", join(claudeFolder(home), "projects"), isLines),
    ...folderAt("Codex's transcripts", join(codex, "sessions"), isLines),
  ];
}

function claudeFolder({ env }: Home): string {
  return env["CLAUDE_CONFIG_DIR"] ?? join(userHome(env), ".claude");
}

function isMarkdown(path: string): boolean {
  return /\.(?:md|markdown)$/iu.test(path);
}

function fileAt(name: string, path: string): readonly Found[] {
  const isFile = !isFolder(path) && namesIn(dirname(path)).includes(path.replace(/^.*[/\\]/u, ""));
  return isFile ? [{ name, path, files: 1 }] : [];
}

function folderAt(name: string, path: string, isOurs: (path: string) => boolean): readonly Found[] {
  const files = isFolder(path) ? filesBelow(path).filter((each) => isOurs(each)).length : 0;
  return files === 0 ? [] : [{ name, path, files }];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
