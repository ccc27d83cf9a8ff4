import { ok } from "@tidemark/protocol";
import type { Command } from "../command.ts";

/** Captures what an agent's hook tells; the built program takes a shorter way to the same. */
export const hook: Command = {
  arguments: [
    { syntax: "<agent>", help: "its name, such as claude-code or codex" },
    { syntax: "<event>", help: "the agent's own name of it, such as PostToolUse" },
  ],
  notes: "Always exits with 0: an agent must not stop because its memory has a bad day.",
  run: async (deps) => {
    await deps.programs.hook();
    return ok({ json: undefined, text: undefined });
  },
};

/** Prints a line about this device; the built program takes a shorter way to the same. */
export const statusline: Command = {
  notes:
    "Takes on standard input what Claude Code tells its status line, and always exits with 0.\n" +
    "`tidemark status --short` prints the same line for people.",
  run: async (deps) => {
    await deps.programs.hook();
    return ok({ json: undefined, text: undefined });
  },
};

/** Keeps this device in sync in the background. */
export const daemon: Command = {
  notes: "Runs until it is stopped. An agent's MCP server does the same while the agent runs.",
  run: async (deps) => {
    if (deps.io.isErrTty) deps.io.err("syncing in the background until this is stopped\n");
    await deps.programs.daemon();
    return ok({ json: undefined, text: undefined });
  },
};

/** Serves memory to an agent until its input ends. */
export const mcp: Command = {
  notes: "Speaks the Model Context Protocol on standard input and output; agents start it.",
  run: async (deps) => {
    await deps.programs.mcp();
    return ok({ json: undefined, text: undefined });
  },
};
