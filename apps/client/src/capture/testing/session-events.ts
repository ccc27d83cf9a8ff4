/** Events of one session of Claude Code in `/home/u/app`, as its hooks tell of them. */
import { parseClaudeCodeHook } from "../claude-code.ts";
import type { Draft } from "../draft.ts";
import type { AgentEvent } from "../event.ts";
import { extract } from "../extract.ts";

const historyMax = 200;
let uses = 0;

/** What a hook of this name tells; it throws where that is no event. */
export function hook(name: string, fields: object): AgentEvent {
  uses += 1;
  const parsed = parseClaudeCodeHook(name, {
    session_id: "s1",
    cwd: "/home/u/app",
    hook_event_name: name,
    tool_use_id: `toolu_${uses}`,
    ...fields,
  });
  if (!parsed.ok) throw new Error(parsed.skip.reason);
  return parsed.event;
}

export function prompt(text: string): AgentEvent {
  return hook("UserPromptSubmit", { prompt: text });
}

/** What the agent says at a turn's end. */
export function stop(text: string): AgentEvent {
  return hook("Stop", { last_assistant_message: text });
}

/** A command that went well. */
export function bash(command: string, stdout = ""): AgentEvent {
  const tool = { tool_name: "Bash", tool_input: { command } };
  return hook("PostToolUse", { ...tool, tool_response: { stdout } });
}

/** A command that did not, or was not run: `error` says which. */
export function failed(command: string, error: string): AgentEvent {
  return hook("PostToolUseFailure", { tool_name: "Bash", tool_input: { command }, error });
}

export function edit(path: string, oldText: string, newText: string): AgentEvent {
  const input = { file_path: `/home/u/app/${path}`, old_string: oldText, new_string: newText };
  return hook("PostToolUse", { tool_name: "Edit", tool_input: input });
}

/** Several replacements in a file at once. */
export function multiEdit(
  path: string,
  edits: readonly (readonly [oldText: string, newText: string])[],
): AgentEvent {
  const all = edits.map(([old_string, new_string]) => ({ old_string, new_string }));
  const input = { file_path: `/home/u/app/${path}`, edits: all };
  return hook("PostToolUse", { tool_name: "MultiEdit", tool_input: input });
}

/** All drafts of a session, each key once, as a caller stores them. */
export function extractAll(events: readonly AgentEvent[]): readonly Draft[] {
  const drafts = new Map<string, Draft>();
  for (const [index, next] of events.entries()) {
    for (const draft of extract(events.slice(Math.max(0, index - historyMax), index), next)) {
      if (!drafts.has(draft.key)) drafts.set(draft.key, draft);
    }
  }
  return [...drafts.values()];
}

/** The same in a line each. */
export function titles(...events: readonly AgentEvent[]): readonly string[] {
  return extractAll(events).map((draft) => `${draft.kind}: ${draft.title}`);
}
