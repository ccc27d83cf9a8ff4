import type { Log } from "./log.ts";
import type { Timers } from "./timers.ts";

/** One thing to put away, such as "stop taking requests". */
export interface ShutdownStep {
  readonly name: string;
  /** Ends the thing; `signal` fires at the deadline, after which nobody waits any more. */
  run(signal: AbortSignal): Promise<void>;
}

/** Where the requests to stop come from. */
export interface SignalSource {
  /** Calls `react` at every such signal until the returned function is called. */
  on(name: "SIGTERM" | "SIGINT" | "SIGHUP", react: () => void): () => void;
}

/** What the drain needs from outside. */
export interface ShutdownDeps {
  readonly signals: SignalSource;
  readonly timers: Timers;
  readonly log: Log;
  /** Ends the program. */
  exit(code: number): void;
}

/** A drain that may come at any time. */
export interface Shutdown {
  /** True from the first request to stop. */
  hasBegun(): boolean;
  /** Begins it without a signal, for example when the database is lost. */
  begin(reason: string, exitCode: number): void;
}

/** Longest drain, in milliseconds; supervisors commonly kill after 10 s (OPS1). */
const shutdownMsMax = 9_500;

/**
 * Puts everything away at SIGTERM, SIGINT or SIGHUP and exits.
 *
 * Steps run one after the other in the order given; a failing step is logged and the next one
 * still runs, for what comes last is the database. Exit code 0 when all went well, 1 when a step
 * failed or the deadline passed; a second signal exits at once with 1 (OPS1). SIGHUP is what a
 * terminal says that closes, often twice, the shell and the system each for itself: it begins the
 * drain and hurries none.
 *
 * @param steps read once the drain begins and `started` has settled, so that it may still grow
 * @param started settles when the program has started or given up: what is being opened cannot be
 *   put away before it is open
 */
export function onShutdown(
  deps: ShutdownDeps,
  steps: readonly ShutdownStep[],
  started: Promise<unknown> = Promise.resolve(),
): Shutdown {
  let draining = false;
  const begin = (reason: string, exitCode: number): void => {
    if (draining) return;
    draining = true;
    deps.log.info("shutdown-begun", { reason });
    void drainAndExit(deps, { steps, started, exitCode });
  };
  for (const name of ["SIGTERM", "SIGINT"] as const) {
    deps.signals.on(name, () => {
      if (draining) {
        deps.log.warn("shutdown-forced", { signal: name });
        deps.exit(1);
      }
      begin(name, 0);
    });
  }
  deps.signals.on("SIGHUP", () => {
    begin("SIGHUP", 0);
  });
  return { begin, hasBegun: () => draining };
}

interface Plan {
  readonly steps: readonly ShutdownStep[];
  readonly started: Promise<unknown>;
}

async function drainAndExit(
  deps: ShutdownDeps,
  plan: Plan & { readonly exitCode: number },
): Promise<void> {
  const isClean = await drain(deps, plan);
  deps.log.info("shutdown-ended", { clean: isClean });
  deps.exit(isClean ? plan.exitCode : Math.max(1, plan.exitCode));
}

async function drain(deps: ShutdownDeps, plan: Plan): Promise<boolean> {
  const deadline = new AbortController();
  const finished = new AbortController();
  let current = "start";
  const work = async (): Promise<boolean> => {
    let isClean = true;
    await plan.started.catch(() => {});
    for (const step of plan.steps) {
      if (deadline.signal.aborted) return false;
      current = step.name;
      isClean = (await runStep(deps.log, step, deadline.signal)) && isClean;
    }
    return isClean;
  };
  const limit = deps.timers.sleep(shutdownMsMax, finished.signal).then(
    () => {
      deps.log.error("shutdown-deadline", { step: current, deadlineMs: shutdownMsMax });
      deadline.abort(new Error("the time to shut down is over"));
      return false;
    },
    () => false,
  );
  const isClean = await Promise.race([work(), limit]);
  finished.abort(new Error("shut down"));
  return isClean;
}

async function runStep(log: Log, step: ShutdownStep, signal: AbortSignal): Promise<boolean> {
  try {
    await step.run(signal);
    return true;
  } catch (cause) {
    log.error("shutdown-step-failed", { step: step.name, cause: String(cause) });
    return false;
  }
}

/** The signals this process receives. */
export const processSignals: SignalSource = {
  on: (name, react) => {
    process.on(name, react);
    return () => {
      process.off(name, react);
    };
  },
};
