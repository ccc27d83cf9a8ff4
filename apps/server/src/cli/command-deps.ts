import type { Clock } from "../platform/clock.ts";
import type { Random } from "../platform/random.ts";
import type { SignalSource } from "../platform/shutdown.ts";
import type { Terminal } from "../platform/terminal.ts";
import type { Timers } from "../platform/timers.ts";

/** What commands need from outside. */
export interface CommandDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly timers: Timers;
  readonly terminal: Terminal;
  readonly signals: SignalSource;
}
