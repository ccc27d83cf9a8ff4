import type { Home } from "../../wiring/home.ts";
import type { Memory } from "../../wiring/memory.ts";
import type { Timers } from "../../platform/timers.ts";
import type { Door } from "./door.ts";

/** What the pages read, and the one thing that they change by. */
export interface DashboardDeps {
  readonly memory: Memory;
  readonly home: Home;
  readonly door: Door;
  readonly timers: Timers;
  /** `127.0.0.1:port`, the only host that this answers to. */
  readonly address: string;
  /** Says that somebody looks: a page that is open keeps the program alive. */
  readonly seen: () => void;
  /** Ends what is live when the program ends. */
  readonly signal: AbortSignal;
}
