import { destination, pino } from "pino";

/** What a log line may carry: counts, ids, names of events. Never a record's text, a token, a URL. */
export type LogFacts = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** The server's log. An event is a fixed name such as `push-answered`; whatever varies is a fact. */
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

/** Facts that are replaced by `[redacted]` even if a caller passes them by mistake (OPS2). */
export const redactedFacts = [
  "authorization",
  "dpop",
  "token",
  "accessToken",
  "secret",
  "setupSecret",
  "assertion",
  "password",
  "cookie",
  "url",
  "databaseUrl",
  "link",
] as const;

/**
 * A log that writes one JSON object a line to standard error, or to `write` where a test listens.
 *
 * Standard output stays free for what a command prints, such as the setup link.
 */
export function createLog(options: { level: LogLevel; write?: (line: string) => void }): Log {
  const { level, write } = options;
  const sink = write === undefined ? standardError() : { write };
  const logger = pino(
    {
      level,
      base: null,
      messageKey: "event",
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: [...redactedFacts], censor: "[redacted]" },
    },
    sink,
  );
  return {
    debug: (event, facts = {}) => {
      logger.debug(facts, event);
    },
    info: (event, facts = {}) => {
      logger.info(facts, event);
    },
    warn: (event, facts = {}) => {
      logger.warn(facts, event);
    },
    error: (event, facts = {}) => {
      logger.error(facts, event);
    },
  };
}

/** Its disk may be full, or its terminal closed: then lines are lost, and nothing else (OPS99). */
function standardError(): ReturnType<typeof destination> {
  const sink = destination({ fd: 2, sync: true });
  sink.on("error", () => {});
  return sink;
}

/** A log that keeps nothing. */
export const silentLog: Log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
};
