#!/usr/bin/env node
import { runProgram } from "./cli/program.ts";
import { systemClock } from "./platform/clock.ts";
import { letGoOfLostTerminal } from "./platform/lost-terminal.ts";
import { systemRandom } from "./platform/random.ts";
import { processSignals } from "./platform/shutdown.ts";
import { systemTerminal } from "./platform/terminal.ts";
import { systemTimers } from "./platform/timers.ts";

letGoOfLostTerminal();
/** The real clock, randomness, timers and terminal meet the program here and nowhere else. */
const exitCode = await runProgram({
  clock: systemClock,
  random: systemRandom,
  timers: systemTimers,
  terminal: systemTerminal,
  signals: processSignals,
});
if (exitCode !== undefined) systemTerminal.exit(exitCode);
