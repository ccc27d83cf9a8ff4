import { patchedFiles } from "./apply-patch.ts";
import type { EventKind, Parsed } from "./event.ts";
import { eventOf, eventsOf, type HookReport, type ReportedTool } from "./hook-report.ts";
import type { Fields } from "./json.ts";
import { isFields, present, textOf } from "./json.ts";
import { readOpening, type HostForm } from "./opening.ts";

/** The agent's name in events, on the command line and in records. */
export const codex = "codex";

const eventKinds: ReadonlyMap<string, EventKind> = new Map<string, EventKind>([
  ["SessionStart", "session-start"],
  ["UserPromptSubmit", "prompt"],
  ["PostToolUse", "tool"],
  ["Stop", "turn-end"],
  ["StopFailure", "turn-failed"],
  ["SubagentStart", "subagent-start"],
  ["SubagentStop", "subagent-end"],
  ["PreCompact", "compact"],
  ["PostCompact", "compact"],
  ["PreToolUse", "other"],
  ["PermissionRequest", "other"],
  ["Interrupt", "other"],
]);

// What says nothing that another host's does not say as well is taken for what was installed.
const form: HostForm = {
  hosts: ["codex", "claude-code"],
  event: "hook_event_name",
  session: ["session_id"],
};

/** Whether Codex is known to send this hook event. */
export function isCodexEvent(name: string): boolean {
  return eventKinds.has(name);
}

/** Reads one hook payload of Codex (CP1, CP2). A patch of several files is as many events. */
export function parseCodexHook(event: string, told: unknown): Parsed {
  const opening = readOpening(event, told, form);
  if (!opening.ok) return opening;
  const { fields: payload, name, sessionId } = opening;
  const kind = eventKinds.get(name) ?? "other";
  const report: HookReport = {
    agent: codex,
    kind,
    name,
    sessionId,
    ...present({
      promptId: textOf(payload, "turn_id"),
      agentId: textOf(payload, "agent_id"),
      agentType: textOf(payload, "agent_type"),
      cwd: textOf(payload, "cwd"),
      transcriptPath: textOf(payload, "transcript_path"),
      prompt: kind === "prompt" ? textOf(payload, "prompt") : undefined,
      assistant: kind === "turn-failed" ? undefined : textOf(payload, "last_assistant_message"),
      source: textOf(payload, "source", "trigger"),
    }),
  };
  if (kind !== "tool") return eventOf(report);
  return eventsOf(
    toolsOf(payload).map((tool) => ({ ...report, kind: tool.ok ? kind : "tool-failed", tool })),
  );
}

function toolsOf(payload: Fields): readonly ReportedTool[] {
  const told = textOf(payload, "tool_name");
  const { tool_input: input, tool_response: response } = payload;
  const id = textOf(payload, "tool_use_id");
  const ok = !hasFailed(response);
  const command = isFields(input) ? commandText(input["command"] ?? input["cmd"]) : undefined;
  if (told === "apply_patch") {
    const patch = command ?? (isFields(input) ? textOf(input, "patch", "input") : undefined) ?? "";
    const files = ok ? patchedFiles(patch) : [];
    return files.map((file, index) => ({
      name: file.tool,
      input: file.input,
      response: undefined,
      ok,
      id: id === undefined ? undefined : `${id}.${index}`,
    }));
  }
  const isShell = told === "Bash" || told === "shell" || told === "exec_command";
  if (isShell) return [{ name: "Bash", input: { command }, response: textIn(response), ok, id }];
  return [{ name: told, input, response, ok, id }];
}

/** A command line, which older builds give as a list whose last member is the shell's script. */
function commandText(command: unknown): string | undefined {
  if (typeof command === "string") return command;
  if (!Array.isArray(command)) return undefined;
  const words = command.filter((word) => typeof word === "string");
  const isScript = /(?:^|\/)(?:ba|z)?sh$/u.test(words[0] ?? "") && /^-\w*c$/u.test(words[1] ?? "");
  return isScript ? words.slice(2).join(" ") : words.join(" ");
}

function hasFailed(response: unknown): boolean {
  const fields = fieldsIn(response);
  const meta = isFields(fields?.["metadata"]) ? fields["metadata"] : fields;
  const code = meta?.["exit_code"] ?? meta?.["exitCode"];
  return typeof code === "number" ? code !== 0 : fields?.["success"] === false;
}

function textIn(response: unknown): unknown {
  return fieldsIn(response)?.["output"] ?? response;
}

/** Some builds give the response as JSON in a text. */
function fieldsIn(response: unknown): Fields | undefined {
  if (isFields(response)) return response;
  if (typeof response !== "string" || !response.startsWith("{")) return undefined;
  try {
    const parsed: unknown = JSON.parse(response);
    return isFields(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
