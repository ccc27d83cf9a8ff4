import type { AgentEvent, EventKind, Parsed, ToolUse } from "./event.ts";
import { skipped } from "./event.ts";
import { momentKey, toolKey } from "./event-key.ts";
import { isFields, present, toJsonValue } from "./json.ts";
import { isOwnTool } from "./own-tool.ts";
import { typedText } from "./payload/prompt-text.ts";
import { toolResponseText } from "./payload/tool-response.ts";

/**
 * What a host told of one moment, its own names translated: tools have the names and arguments that
 * the rules know (`Bash`, `Edit`, `Write`, `Read`, `WebFetch`, `mcp__server__tool`).
 */
export interface HookReport extends Omit<AgentEvent, "event" | "tool" | "key"> {
  readonly kind: EventKind;
  readonly tool?: ReportedTool | undefined;
}

/** A use of a tool as a host tells it. */
export interface ReportedTool {
  readonly name: string | undefined;
  readonly input: unknown;
  readonly response: unknown;
  readonly ok: boolean;
  readonly id?: string | undefined;
  readonly ms?: unknown;
}

/** Makes the event of a report; tells why there is none. */
export function eventOf({ kind, tool, ...moment }: HookReport): Parsed {
  if (tool?.name !== undefined && isOwnTool(tool.name)) return skipped("own tool");
  if (kind === "tool" || kind === "tool-failed") return toolEvent({ kind, tool, ...moment });
  const event = { ...moment, event: kind };
  if (kind !== "prompt") return { ok: true, event: { ...event, key: momentKey(event) } };
  if (event.prompt === undefined) return skipped("no prompt");
  const prompt = typedText(event.prompt);
  const typed: Omit<AgentEvent, "key"> =
    prompt === undefined ? { ...event, event: "other" } : { ...event, prompt };
  return { ok: true, event: { ...typed, key: momentKey(typed) } };
}

/** Makes the events of one call that told of several uses of tools; tells why there is none. */
export function eventsOf(reports: readonly HookReport[]): Parsed {
  const [first, ...others] = reports.map((report) => eventOf(report));
  if (first === undefined) return skipped("nothing was changed");
  const more = others.flatMap((each) => (each.ok ? [each.event] : []));
  return first.ok && more.length > 0 ? { ...first, more } : first;
}

function toolEvent({ kind, tool: told, ...moment }: HookReport): Parsed {
  if (told?.name === undefined) return skipped("no tool name");
  if (!isFields(told.input)) return skipped("tool input is not an object");
  const { name, input, ok, id, ms } = told;
  const tool: ToolUse = {
    name,
    input: toJsonValue(input),
    ok,
    ...present({
      response: toolResponseText(name, told.response),
      id,
      ms: typeof ms === "number" && ms >= 0 ? ms : undefined,
    }),
  };
  const { agent, sessionId, promptId } = moment;
  const key = toolKey({ agent, sessionId, tool, at: promptId });
  return { ok: true, event: { ...moment, event: kind, tool, key } };
}
