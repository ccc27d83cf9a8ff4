import type { AgentEvent } from "../event.ts";
import { isFields, textOf } from "../json.ts";

const editingTools = new Set(["Edit", "Write", "MultiEdit", "NotebookEdit"]);

/** Files that change by themselves or belong to no project: plans, scratch files, locks, output. */
const notWorthNaming = (): RegExp =>
  /(?:^|\/)(?:\.git|node_modules|dist|build|_build|target|\.next|__pycache__|\.venv)\/|^\/(?:tmp|var\/folders|private\/tmp)\/|\/\.claude\/|(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?|mix\.lock|Cargo\.lock|poetry\.lock|uv\.lock|Gemfile\.lock|composer\.lock|go\.sum)$/u;

/** The file that a successful edit changed, as a path within the project. */
export function editedFile(event: AgentEvent, root: string | undefined): string | undefined {
  if (event.event !== "tool" || !editingTools.has(event.tool?.name ?? "")) return undefined;
  const path = toolPath(event, root);
  return path === undefined || notWorthNaming().test(path) ? undefined : path;
}

/** The file that an event read, as a path within the project. */
export function readFile(event: AgentEvent, root: string | undefined): string | undefined {
  if (event.event !== "tool" || event.tool?.name !== "Read") return undefined;
  const path = toolPath(event, root);
  return path === undefined || notWorthNaming().test(path) ? undefined : path;
}

/**
 * The folder that paths are told from: the outermost working folder of the session, as far as its
 * events are at hand. An agent that moves into a subfolder does not move the project.
 */
export function rootOf(events: readonly AgentEvent[]): string | undefined {
  let root: string | undefined;
  for (const { cwd } of events) {
    if (cwd !== undefined && (root === undefined || isWithin(root, cwd))) root = cwd;
  }
  return root === undefined ? undefined : slashes(root);
}

/** A path as it is told: from the project's root where it lies in it. */
function projectPath(path: string, root: string | undefined): string {
  const told = slashes(path);
  const from = root === undefined ? "" : withSlash(slashes(root));
  return from.length > 1 && told.startsWith(from)
    ? told.slice(from.length)
    : told.replace(/^\.\//u, "");
}

/** Each text once, in order, at most `max` of them. */
export function distinct(texts: readonly (string | undefined)[], max: number): readonly string[] {
  return [...new Set(texts.flatMap((text) => text ?? []))].slice(0, max);
}

function toolPath(event: AgentEvent, root: string | undefined): string | undefined {
  const input = event.tool?.input;
  if (!isFields(input)) return undefined;
  const path = textOf(input, "file_path", "notebook_path", "path");
  return path === undefined ? undefined : projectPath(path, root ?? event.cwd);
}

function isWithin(path: string, folder: string): boolean {
  return slashes(path).startsWith(withSlash(slashes(folder)));
}

function withSlash(folder: string): string {
  return folder.endsWith("/") ? folder : `${folder}/`;
}

function slashes(path: string): string {
  return path.replaceAll("\\", "/");
}
