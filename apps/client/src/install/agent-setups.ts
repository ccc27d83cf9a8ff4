import type { AgentSetup } from "./agent-setup.ts";
import { claudeCodeSetup } from "./hosts/claude-code.ts";
import { codexSetup } from "./hosts/codex.ts";
import { cursorSetup } from "./hosts/cursor.ts";
import { geminiSetup } from "./hosts/gemini.ts";
import { openCodeSetup } from "./hosts/opencode.ts";
import { clineSetup } from "./hosts/cline.ts";
import { vsCodeSetup } from "./hosts/vscode.ts";
import { windsurfSetup } from "./hosts/windsurf.ts";

/** The agents that Tidemark can be installed for, in the order in which they are told. */
export const agentSetups: readonly AgentSetup[] = [
  claudeCodeSetup,
  codexSetup,
  geminiSetup,
  cursorSetup,
  openCodeSetup,
  windsurfSetup,
  clineSetup,
  vsCodeSetup,
];
