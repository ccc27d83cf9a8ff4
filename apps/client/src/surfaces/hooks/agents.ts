import { claudeCode, isClaudeCodeEvent, parseClaudeCodeHook } from "../../capture/claude-code.ts";
import type { Parsed } from "../../capture/event.ts";

/** How one agent's hooks are read and answered. */
export interface HookAgent {
  /** Whether the agent is known to send this event. */
  readonly isKnown: (event: string) => boolean;
  readonly parse: (event: string, payload: unknown) => Parsed;
  /** What the agent reads as added context on standard output. */
  readonly contextAnswer: (event: string, context: string) => string;
  /** Most characters of context that the agent takes whole. */
  readonly contextCharsMax: number;
}

/** The agents that have hooks, by their name on the command line. */
export const hookAgents: ReadonlyMap<string, HookAgent> = new Map<string, HookAgent>([
  [
    claudeCode,
    {
      isKnown: isClaudeCodeEvent,
      parse: parseClaudeCodeHook,
      contextAnswer: (hookEventName, additionalContext) =>
        JSON.stringify({ hookSpecificOutput: { hookEventName, additionalContext } }),
      // The host cuts at 10,000 and shows a file's path instead.
      contextCharsMax: 9_000,
    },
  ],
]);

/** Reasons that are no trouble: the host asked for something that is not ours to capture. */
export const quietSkips: ReadonlySet<string> = new Set(["own tool", "another host"]);
