import type { CliDeps } from "./deps.ts";

/** Time after which a person is told how far the work is, in milliseconds. */
const quietMs = 1_000;
/** Shortest time between two lines of progress, in milliseconds. */
const tellMs = 200;

/** Tells a person at a terminal how far long work is; a script is told nothing. */
export interface Progress {
  tell(how: string): void;
  /** Takes the line away. */
  end(): void;
}

/** Starts to count the time; the line is written over itself on standard error. */
export function startProgress({ io, clock }: Pick<CliDeps, "io" | "clock">): Progress {
  if (!io.isErrTty) return { tell: () => undefined, end: () => undefined };
  let dueMs = clock.nowMs() + quietMs;
  let isShown = false;
  return {
    tell: (how) => {
      if (clock.nowMs() < dueMs) return;
      dueMs = clock.nowMs() + tellMs;
      isShown = true;
      io.err(`\r\u001B[K${how} …`);
    },
    end: () => {
      if (isShown) io.err("\r\u001B[K");
    },
  };
}
