import { ok } from "@tidemark/protocol";
import { dateText } from "../../../platform/date-text.ts";
import { safeText } from "../../../platform/terminal.ts";
import { pause } from "../../../sync/ports.ts";
import type { Command } from "../command.ts";
import type { CliDeps } from "../deps.ts";
import { styleOf } from "../render/text.ts";
import { monitorFrame, monitorLines } from "./monitor/frame.ts";
import { createViewer, type MonitorView } from "./monitor/view.ts";

/** How often it looks whether something has changed, in milliseconds. */
const lookMs = 1_000;
/** Keys that end it: q, and what Ctrl-C and Ctrl-D send to a terminal that is read key by key. */
const endKeys: readonly string[] = ["q", "Q", "\u0003", "\u0004"];

/** Shows what happens on this device while it happens. */
export const monitor: Command = {
  notes:
    "Ends with q or Ctrl-C. Where it does not end in a terminal, it prints a line for each thing that\n" +
    "has changed. --json prints once how things are. Tokens in use are what the agent's own transcript\n" +
    "says, of Claude Code and Codex.",
  run: async (deps, call) => {
    const view = createViewer(deps);
    if (call.isJson) return ok({ json: { at: deps.clock.nowMs(), ...view() }, text: undefined });
    const screen = deps.screen();
    const gone = new AbortController();
    const signal = AbortSignal.any([deps.signal, gone.signal]);
    const end = (): void => {
      gone.abort();
    };
    if (screen.canDraw) await draw({ deps, view, signal, end });
    else await tell({ deps, view, signal });
    return ok({ json: undefined, text: undefined });
  },
};

interface Run {
  readonly deps: CliDeps;
  readonly view: () => MonitorView;
  readonly signal: AbortSignal;
}

async function draw({ deps, view, signal, end }: Run & { end: () => void }): Promise<void> {
  const screen = deps.screen();
  const give = screen.take((key) => {
    if (endKeys.some((each) => key.includes(each))) end();
  });
  try {
    while (!signal.aborted) {
      const place = { ...screen.size(), style: styleOf(deps.io), nowMs: deps.clock.nowMs() };
      screen.draw(monitorFrame(view(), place));
      await pause(deps, lookMs, signal);
    }
  } finally {
    give();
  }
}

async function tell({ deps, view, signal }: Run): Promise<void> {
  const screen = deps.screen();
  let told: ReadonlyMap<string, string> = new Map();
  while (!signal.aborted) {
    const lines = monitorLines(view());
    const at = dateText(deps.clock.nowMs());
    for (const [name, line] of lines) {
      const isNew = told.get(name) !== line;
      // Whoever read this has left, as `head` does.
      if (isNew && !screen.print(`${at} ${safeText(line)}\n`)) return;
    }
    told = lines;
    await pause(deps, lookMs, signal);
  }
}
