import type { EventKind, Parsed } from "./event.ts";
import { eventOf, type ReportedTool } from "./hook-report.ts";
import type { Fields } from "./json.ts";
import { isFields, present, textOf } from "./json.ts";
import { readOpening, type HostForm } from "./opening.ts";

/** The agent's name in events, on the command line and in records. */
export const openCode = "opencode";

/** What its plugin, which `tidemark install` puts in place, tells of. */
const eventKinds: ReadonlyMap<string, EventKind> = new Map<string, EventKind>([
  ["session-start", "session-start"],
  ["prompt", "prompt"],
  ["tool", "tool"],
  ["turn-end", "turn-end"],
]);

/** The rules' names of its tools. */
const toolNames: ReadonlyMap<string, string> = new Map([
  ["bash", "Bash"],
  ["write", "Write"],
  ["edit", "Edit"],
  ["read", "Read"],
  ["glob", "Glob"],
  ["grep", "Grep"],
  ["list", "LS"],
  ["webfetch", "WebFetch"],
  ["websearch", "WebSearch"],
  ["task", "Agent"],
]);

const form: HostForm = { hosts: [openCode], event: "event", session: ["sessionID"] };

/** Whether the plugin is known to tell this event. */
export function isOpenCodeEvent(name: string): boolean {
  return eventKinds.has(name);
}

/** Reads one payload of the plugin in OpenCode (CP1, CP2). */
export function parseOpenCodeHook(event: string, told: unknown): Parsed {
  const opening = readOpening(event, told, form);
  if (!opening.ok) return opening;
  const { fields: payload, name, sessionId } = opening;
  const moment = eventKinds.get(name) ?? "other";
  const tool = moment === "tool" ? toolOf(payload) : undefined;
  return eventOf({
    agent: openCode,
    kind: tool?.ok === false ? "tool-failed" : moment,
    name,
    sessionId,
    ...present({
      cwd: textOf(payload, "directory"),
      promptId: textOf(payload, "messageID"),
      prompt: moment === "prompt" ? textOf(payload, "prompt") : undefined,
      assistant: moment === "turn-end" ? textOf(payload, "text") : undefined,
      tool,
    }),
  });
}

function toolOf(payload: Fields): ReportedTool {
  const told = textOf(payload, "tool");
  const { exit } = payload;
  return {
    name: told === undefined ? undefined : nameOf(told),
    input: inputOf(payload["args"]),
    response: payload["output"],
    ok: typeof exit !== "number" || exit === 0,
    id: textOf(payload, "callID"),
  };
}

/** An MCP server's tools have its name before theirs; its own have no such name. */
function nameOf(told: string): string {
  const known = toolNames.get(told);
  if (known !== undefined) return known;
  const [, server = "", tool = ""] = /^([^_]+)_(.+)$/u.exec(told) ?? [];
  return server === "" ? told : `mcp__${server}__${tool}`;
}

function inputOf(input: unknown): unknown {
  if (!isFields(input)) return input;
  const { filePath, oldString, newString, ...rest } = input;
  return {
    ...rest,
    ...(filePath === undefined ? {} : { file_path: filePath }),
    ...(oldString === undefined ? {} : { old_string: oldString }),
    ...(newString === undefined ? {} : { new_string: newString }),
  };
}
