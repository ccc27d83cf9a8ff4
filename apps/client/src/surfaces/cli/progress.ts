import { safeText } from "../../platform/terminal.ts";
import type { CliDeps } from "./deps.ts";

/** Time after which a person is told how far the work is, in milliseconds. */
const quietMs = 1_000;
/** Shortest time between two lines of progress, in milliseconds. */
const tellMs = 200;
/** The same where each line stays, as in a log. */
const plainMs = 5_000;
const barChars = 20;
/** Takes away what stands in the line of a terminal. */
export const clearLine = "\r\u001B[K";

/** Tells how far long work is. */
export interface Progress {
  /** Whether what is told now is shown. */
  isDue(): boolean;
  /** `share`, from 0 to 1, draws a bar; leave it out where nobody knows how much there is. */
  tell(how: string, share?: number): void;
  /** Takes the line away. */
  end(): void;
}

/**
 * Starts to count the time. In a terminal the line is written over itself on standard error (TM6);
 * elsewhere a line is added every few seconds, and none where a program reads what is printed.
 */
export function startProgress(
  { io, clock }: Pick<CliDeps, "io" | "clock">,
  { isRead }: { readonly isRead: boolean },
): Progress {
  if (!io.isErrTty && isRead) return noProgress;
  let dueMs = clock.nowMs() + (io.isErrTty ? quietMs : plainMs);
  let isShown = false;
  const isDue = (): boolean => clock.nowMs() >= dueMs;
  return {
    isDue,
    tell: (how, share) => {
      if (!isDue()) return;
      dueMs = clock.nowMs() + (io.isErrTty ? tellMs : plainMs);
      if (!io.isErrTty) {
        io.err(`${safeText(how)}${share === undefined ? "" : ` (${percentOf(share)})`}\n`);
        return;
      }
      isShown = true;
      const line = share === undefined ? `${how} …` : `${barOf(share)} ${percentOf(share)} ${how}`;
      // A line that wraps cannot be written over.
      io.err(`${clearLine}${safeText(line, Math.max(1, io.width - 1))}`);
    },
    end: () => {
      if (isShown) io.err(clearLine);
      isShown = false;
    },
  };
}

/** Of work that tells nobody how far it is. */
export const noProgress: Progress = {
  isDue: () => false,
  tell: () => undefined,
  end: () => undefined,
};

/** The progress of one of several parts of equal size. */
export function progressOfPart(
  progress: Progress,
  part: number,
  parts: number,
): Pick<Progress, "tell"> {
  return {
    tell: (how, share) => {
      const known = share ?? (parts === 1 ? undefined : 0);
      progress.tell(how, known === undefined ? undefined : (part + known) / parts);
    },
  };
}

function barOf(share: number): string {
  const full = Math.round(within(share) * barChars);
  return `${"█".repeat(full)}${"░".repeat(barChars - full)}`;
}

function percentOf(share: number): string {
  return `${Math.floor(within(share) * 100)} %`;
}

function within(share: number): number {
  return Math.min(1, Math.max(0, share));
}
