import type { EventKind, Parsed } from "./event.ts";
import { eventOf, eventsOf, type HookReport, type ReportedTool } from "./hook-report.ts";
import type { Fields } from "./json.ts";
import { isFields, present, textOf } from "./json.ts";
import { readOpening, type HostForm } from "./opening.ts";

/** The agent's name in events, on the command line and in records. */
export const vsCode = "vscode";

const eventKinds: ReadonlyMap<string, EventKind> = new Map<string, EventKind>([
  ["SessionStart", "session-start"],
  ["UserPromptSubmit", "prompt"],
  ["PostToolUse", "tool"],
  ["Stop", "turn-end"],
  ["SubagentStart", "subagent-start"],
  ["SubagentStop", "subagent-end"],
  ["PreCompact", "compact"],
  ["PreToolUse", "other"],
]);

const form: HostForm = { hosts: ["vscode"], event: "hookEventName", session: ["sessionId"] };

/** Whether VS Code is known to send this hook event. */
export function isVsCodeEvent(name: string): boolean {
  return eventKinds.has(name);
}

/** Reads one hook payload of GitHub Copilot in VS Code (CP1, CP2). */
export function parseVsCodeHook(event: string, told: unknown): Parsed {
  const opening = readOpening(event, told, form);
  if (!opening.ok) return opening;
  const { fields: payload, name, sessionId } = opening;
  const kind = eventKinds.get(name) ?? "other";
  const source = textOf(payload, "source", "trigger");
  const report = {
    agent: vsCode,
    kind,
    name,
    sessionId,
    ...present({
      agentId: textOf(payload, "agent_id"),
      agentType: textOf(payload, "agent_type"),
      cwd: textOf(payload, "cwd"),
      transcriptPath: textOf(payload, "transcript_path"),
      ...wordsOf(payload, kind),
      source: source === "new" ? "startup" : source,
    }),
  };
  if (kind !== "tool") return eventOf(report);
  return eventsOf(toolsOf(payload).map((tool) => ({ ...report, tool })));
}

function wordsOf(
  payload: Fields,
  kind: EventKind,
): Pick<HookReport, "prompt" | "promptId" | "assistant"> {
  if (kind === "turn-end") {
    return present({ assistant: textOf(payload, "last_assistant_message") });
  }
  if (kind !== "prompt") return {};
  // It names no turn; the time tells two equal prompts apart.
  return present({ prompt: textOf(payload, "prompt"), promptId: textOf(payload, "timestamp") });
}

type Translate = (input: Fields) => readonly [name: string, input: Fields];

const bash: Translate = (input) => ["Bash", { command: textOf(input, "command") }];
const write: Translate = (input) => [
  "Write",
  { file_path: textOf(input, "filePath"), content: input["content"] },
];
const edit: Translate = (input) => [
  "Edit",
  { file_path: textOf(input, "filePath"), ...replaced(input) },
];
const read: Translate = (input) => ["Read", { file_path: textOf(input, "filePath") }];
const fetchPage: Translate = (input) => ["WebFetch", input];

/** Its tools by the names of this year and of the one before, in the rules' words. */
const tools: ReadonlyMap<string, Translate> = new Map([
  ["run_in_terminal", bash],
  ["runInTerminal", bash],
  ["create_file", write],
  ["createFile", write],
  ["replace_string_in_file", edit],
  ["replaceString", edit],
  ["read_file", read],
  ["readFile", read],
  ["fetch_webpage", fetchPage],
  ["fetch", fetchPage],
]);

function toolsOf(payload: Fields): readonly ReportedTool[] {
  const named = textOf(payload, "tool_name");
  const { tool_response: response, tool_input: given } = payload;
  const id = textOf(payload, "tool_use_id");
  if (named === "multi_replace_string_in_file" && isFields(given)) {
    return manyEdits(given["replacements"], id);
  }
  const translate = tools.get(named ?? "");
  const [name, input] =
    translate !== undefined && isFields(given)
      ? translate(given)
      : [named === undefined ? undefined : mcpNameOf(named), given];
  return [{ name, input, response, ok: true, id }];
}

/** Replacements in several files are as many events. */
function manyEdits(replacements: unknown, id: string | undefined): readonly ReportedTool[] {
  const list: readonly unknown[] = Array.isArray(replacements) ? replacements.slice(0, 100) : [];
  const editsByPath = new Map<string, Fields[]>();
  for (const each of list) {
    const path = isFields(each) ? textOf(each, "filePath") : undefined;
    if (path === undefined || !isFields(each)) continue;
    editsByPath.set(path, [...(editsByPath.get(path) ?? []), replaced(each)]);
  }
  return [...editsByPath].map(([path, edits], index) => ({
    name: "Edit",
    input: { file_path: path, edits },
    response: undefined,
    ok: true,
    id: id === undefined ? undefined : `${id}.${index}`,
  }));
}

function replaced(input: Fields): Fields {
  return { old_string: input["oldString"], new_string: input["newString"] };
}

/** MCP tools are `mcp_<server>_<tool>`, the server's name cut where it is long. */
function mcpNameOf(told: string): string {
  const [, server, tool] = /^mcp_([^_]+)_(.+)$/u.exec(told) ?? [];
  return server === undefined || tool === undefined ? told : `mcp__${server}__${tool}`;
}
