import { claudeCode, isClaudeCodeEvent, parseClaudeCodeHook } from "../../capture/claude-code.ts";
import { cline, isClineEvent, parseClineHook } from "../../capture/cline.ts";
import { codex, isCodexEvent, parseCodexHook } from "../../capture/codex.ts";
import { cursor, isCursorEvent, parseCursorHook } from "../../capture/cursor.ts";
import type { Parsed } from "../../capture/event.ts";
import { gemini, isGeminiEvent, parseGeminiHook } from "../../capture/gemini.ts";
import { isOpenCodeEvent, openCode, parseOpenCodeHook } from "../../capture/opencode.ts";
import { isVsCodeEvent, parseVsCodeHook, vsCode } from "../../capture/vscode.ts";
import { isWindsurfEvent, parseWindsurfHook, windsurf } from "../../capture/windsurf.ts";

/** How one agent's hooks are read and answered. */
export interface HookAgent {
  /** Whether the agent is known to send this event. */
  readonly isKnown: (event: string) => boolean;
  readonly parse: (event: string, payload: unknown) => Parsed;
  /** The events whose hooks may add context. */
  readonly contextEvents: ReadonlySet<string>;
  /** What the agent reads as added context on standard output. */
  readonly contextAnswer: (event: string, context: string) => string;
  /** Most characters of context that the agent takes whole. */
  readonly contextCharsMax: number;
}

/** Claude Code's way to hand over context, which others have taken up. */
function hookSpecific(hookEventName: string, additionalContext: string): string {
  return JSON.stringify({ hookSpecificOutput: { hookEventName, additionalContext } });
}

/** Claude Code cuts at 10,000 and shows a file's path instead; nobody is known to cut earlier. */
const contextCharsMax = 9_000;

/** The agents that have hooks, by their name on the command line. */
export const hookAgents: ReadonlyMap<string, HookAgent> = new Map<string, HookAgent>([
  [
    claudeCode,
    {
      isKnown: isClaudeCodeEvent,
      parse: parseClaudeCodeHook,
      contextEvents: new Set(["SessionStart", "UserPromptSubmit"]),
      contextAnswer: hookSpecific,
      contextCharsMax,
    },
  ],
  [
    codex,
    {
      isKnown: isCodexEvent,
      parse: parseCodexHook,
      contextEvents: new Set(["SessionStart", "UserPromptSubmit"]),
      contextAnswer: hookSpecific,
      contextCharsMax,
    },
  ],
  [
    gemini,
    {
      isKnown: isGeminiEvent,
      parse: parseGeminiHook,
      contextEvents: new Set(["SessionStart", "BeforeAgent"]),
      contextAnswer: hookSpecific,
      contextCharsMax,
    },
  ],
  [
    cursor,
    {
      isKnown: isCursorEvent,
      parse: parseCursorHook,
      // A prompt's hook may only let it pass.
      contextEvents: new Set(["sessionStart"]),
      contextAnswer: (_, context) => JSON.stringify({ additional_context: context }),
      contextCharsMax,
    },
  ],
  [
    windsurf,
    {
      isKnown: isWindsurfEvent,
      parse: parseWindsurfHook,
      contextEvents: new Set(),
      contextAnswer: () => "",
      contextCharsMax,
    },
  ],
  [
    vsCode,
    {
      isKnown: isVsCodeEvent,
      parse: parseVsCodeHook,
      contextEvents: new Set(["SessionStart"]),
      contextAnswer: hookSpecific,
      contextCharsMax,
    },
  ],
  [
    cline,
    {
      isKnown: isClineEvent,
      parse: parseClineHook,
      contextEvents: new Set(["TaskStart", "UserPromptSubmit"]),
      contextAnswer: (_, contextModification) =>
        JSON.stringify({ cancel: false, contextModification }),
      contextCharsMax,
    },
  ],
  [
    openCode,
    {
      isKnown: isOpenCodeEvent,
      parse: parseOpenCodeHook,
      contextEvents: new Set(["session-start", "prompt"]),
      // The plugin hands it on as it is.
      contextAnswer: (_, context) => context,
      contextCharsMax,
    },
  ],
]);

/** Reasons that are no trouble: the host asked for something that is not ours to capture. */
export const quietSkips: ReadonlySet<string> = new Set([
  "own tool",
  "another host",
  "nothing was changed",
]);
