import { mkdirSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "./clock.ts";
import { appendPrivateFile } from "./private-file.ts";

/** What a log line may carry: counts, ids, names. Never a memory's text, a token, a URL. */
export type LogFacts = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** The client's log. An event is a fixed name such as `capture-skipped`; what varies is a fact. */
export interface Log {
  debug(event: string, facts?: LogFacts): void;
  info(event: string, facts?: LogFacts): void;
  warn(event: string, facts?: LogFacts): void;
  error(event: string, facts?: LogFacts): void;
}

/** The levels of the log, loudest last; `silent` writes nothing. */
export const logLevels = ["debug", "info", "warn", "error", "silent"] as const;
/** How much is logged. */
export type LogLevel = (typeof logLevels)[number];

/** Size at which a log is put aside as `….1`; two files are kept, so a log takes twice this. */
export const logBytesMax = 1_048_576;

/**
 * A log of one JSON object a line in a private file of bounded size (OPS44).
 *
 * A log that cannot be written is given up in silence: it must never fail what it tells about.
 */
export function createFileLog(options: {
  readonly clock: Clock;
  readonly path: string;
  readonly level: LogLevel;
  readonly bytesMax?: number;
}): Log {
  const { clock, path, level, bytesMax = logBytesMax } = options;
  const threshold = logLevels.indexOf(level);
  const writerOf =
    (name: LogLevel) =>
    (event: string, facts: LogFacts = {}): void => {
      if (logLevels.indexOf(name) < threshold) return;
      const time = new Date(clock.nowMs()).toISOString();
      writeLine(path, JSON.stringify({ time, level: name, event, ...facts }), bytesMax);
    };
  return {
    debug: writerOf("debug"),
    info: writerOf("info"),
    warn: writerOf("warn"),
    error: writerOf("error"),
  };
}

function writeLine(path: string, line: string, bytesMax: number): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (size + line.length > bytesMax) renameSync(path, `${path}.1`);
    appendPrivateFile(path, `${line}\n`, { durable: false });
  } catch {
    // Nowhere is left to tell it.
  }
}
