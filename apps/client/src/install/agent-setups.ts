import type { AgentSetup } from "./agent-setup.ts";
import { claudeCodeSetup } from "./hosts/claude-code.ts";
import {
  clineSetup,
  codexSetup,
  cursorSetup,
  geminiSetup,
  openCodeSetup,
  vsCodeSetup,
  windsurfSetup,
} from "./hosts/mcp-hosts.ts";

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
