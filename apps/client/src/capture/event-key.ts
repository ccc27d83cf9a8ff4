import type { AgentEvent, ToolUse } from "./event.ts";
import { contentHash, stableKey } from "./payload/identity.ts";

/** A use of a tool as its key needs it. */
export interface KeyedUse {
  readonly agent: string;
  readonly sessionId: string;
  readonly tool: Omit<ToolUse, "ok">;
  /** What tells two uses apart where the host gives them no id. */
  readonly at?: string | undefined;
}

/** The key of a tool's use, the same from a hook and from a transcript (CP3). */
export function toolKey({ agent, sessionId, tool, at }: KeyedUse): string {
  const identity =
    tool.id ??
    contentHash(`${at ?? ""} ${tool.name} ${JSON.stringify(tool.input)} ${tool.response ?? ""}`);
  return stableKey(agent, sessionId, "tool", identity);
}

/** The key of an event that is not a tool's use, the same from a hook and from a transcript (CP3). */
export function momentKey(event: Omit<AgentEvent, "key">): string {
  const { agent, sessionId, event: kind } = event;
  return stableKey(agent, sessionId, kind, ...identityOf(event));
}

function identityOf(event: Omit<AgentEvent, "key">): readonly (string | undefined)[] {
  const { event: kind, promptId } = event;
  switch (kind) {
    case "session-start":
      return startIdentity(event);
    case "session-end":
      return [];
    case "prompt":
      return [promptId ?? contentHash(event.prompt ?? "")];
    case "turn-end":
      return [textIdentity(event.assistant) ?? promptId];
    case "subagent-start":
    case "subagent-end":
      return [event.agentId ?? textIdentity(event.assistant)];
    default:
      return [event.name, promptId, contentHash(wordsOf(event))];
  }
}

/** A session starts once; it may be resumed, cleared or compacted at several prompts. */
function startIdentity(event: Omit<AgentEvent, "key">): readonly (string | undefined)[] {
  const isFirst = event.source === undefined || event.source === "startup";
  return isFirst ? [] : [event.source, event.promptId];
}

function textIdentity(text: string | undefined): string | undefined {
  return text === undefined ? undefined : contentHash(text);
}

function wordsOf(event: Omit<AgentEvent, "key">): string {
  return [event.prompt, event.assistant, event.source, event.error].join("\n");
}
