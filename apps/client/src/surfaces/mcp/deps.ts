import type { Home } from "../../wiring/home.ts";
import type { Memory } from "../../wiring/memory.ts";

/** What the tools of an MCP session need. */
export interface McpDeps {
  readonly home: Home;
  readonly memory: Memory;
  /** The project of the folder that the agent works in. */
  readonly project: string;
  /** Name that the agent's host gives itself. */
  readonly agent: () => string;
  /** Tells the sync engine that something was written. */
  readonly wake: () => void;
}
