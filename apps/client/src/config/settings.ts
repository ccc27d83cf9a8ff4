import { logLevels, type LogLevel } from "../platform/log.ts";
import { commandWords } from "./command-words.ts";

/** One setting: where its value may come from, and how text becomes a value. */
export interface Setting<T> {
  /** Environment variable. */
  readonly env: string;
  /** Member of `config.json`; undefined where a file may not decide it. */
  readonly file: string | undefined;
  /** Long flag of the command line, such as `--namespace`; undefined where there is none. */
  readonly flag: string | undefined;
  readonly fallback: T;
  /** What counts where a wrong value stands, if not the default: who sets it meant something else. */
  readonly ifWrong?: T;
  /** The value of a text, or undefined if it has none. */
  readonly parse: (text: string) => T | undefined;
  /** What a right value looks like, for the message about a wrong one. */
  readonly expected: string;
  readonly help: string;
}

/**
 * Every setting of the client, once (OPS50). A flag beats the environment, that beats the file, and
 * that beats the default. No setting is read from a file inside a repository: a cloned project must
 * not point a device at a server. What such a file may say of scrubbing is no setting (SC56).
 */
export const settings = {
  defaultNamespace: setting<string | undefined>({
    env: "TIDEMARK_NAMESPACE",
    file: "namespace",
    flag: "--namespace",
    fallback: undefined,
    parse: (text) => (/^[^\p{Cc}]{1,64}$/u.test(text) ? text : undefined),
    expected: "a namespace's name or id",
    help: "namespace of new observations where a project is bound to none; else the personal one",
  }),
  capture: setting<boolean>({
    env: "TIDEMARK_CAPTURE",
    file: "capture",
    flag: undefined,
    fallback: true,
    // Whoever wrote "of" is captured by nobody until it is mended (CP100).
    ifWrong: false,
    parse: parseSwitch,
    expected: "on or off",
    help: "off: hooks capture nothing and inject nothing",
  }),
  inSummariser: setting<boolean>({
    env: "TIDEMARK_IN_SUMMARISER",
    file: undefined,
    flag: undefined,
    fallback: false,
    parse: parseSwitch,
    expected: "on or off",
    help: "on for what a summariser starts, so that its own session takes no part in memory",
  }),
  contextTokens: setting<number>({
    env: "TIDEMARK_CONTEXT_TOKENS",
    file: "contextTokens",
    flag: undefined,
    fallback: 800,
    parse: wholeNumber(0, 2_000),
    expected: "a whole number from 0 to 2000",
    help: "budget of what a session is given at its start, in tokens; 0 gives nothing",
  }),
  keychain: setting<boolean>({
    env: "TIDEMARK_KEYCHAIN",
    file: "keychain",
    flag: undefined,
    fallback: true,
    parse: parseSwitch,
    expected: "on or off",
    help: "off: a new device's key goes into a file, and no keychain is asked",
  }),
  lifecycle: setting<boolean>({
    env: "TIDEMARK_LIFECYCLE",
    file: "lifecycle",
    flag: undefined,
    fallback: false,
    parse: parseSwitch,
    expected: "on or off",
    help: "on: the daemon does once a day what `tidemark lifecycle` does",
  }),
  compactDays: setting<number>({
    env: "TIDEMARK_COMPACT_DAYS",
    file: "compactDays",
    flag: undefined,
    fallback: 90,
    parse: wholeNumber(7, 36_500),
    expected: "a whole number from 7 to 36500",
    help: "age in days from which `tidemark lifecycle` folds what a session did into a digest",
  }),
  archiveAfter: setting<readonly Retention[] | undefined>({
    env: "TIDEMARK_ARCHIVE_AFTER",
    file: "archiveAfter",
    flag: undefined,
    fallback: undefined,
    parse: parseRetention,
    expected: "days, or days by namespace, such as 730 or team=365,730",
    help: "age in days at which `tidemark lifecycle` archives what is not pinned; never unless set",
  }),
  summariser: setting<readonly string[] | undefined>({
    env: "TIDEMARK_SUMMARISER",
    file: "summariser",
    flag: undefined,
    fallback: undefined,
    parse: commandWords,
    expected: "a command and its words, such as claude -p --output-format json",
    help: "command that sums a finished session up: reads it on standard input, answers on standard output",
  }),
  summariserSeconds: setting<number>({
    env: "TIDEMARK_SUMMARISER_SECONDS",
    file: "summariserSeconds",
    flag: undefined,
    fallback: 60,
    parse: wholeNumber(1, 600),
    expected: "a whole number from 1 to 600",
    help: "seconds after which a run of the summariser is ended",
  }),
  summariserRuns: setting<number>({
    env: "TIDEMARK_SUMMARISER_RUNS",
    file: "summariserRuns",
    flag: undefined,
    fallback: 20,
    parse: wholeNumber(0, 1_000),
    expected: "a whole number from 0 to 1000",
    help: "runs of the summariser a day on this device, those asked for by hand included",
  }),
  embedder: setting<readonly string[] | undefined>({
    env: "TIDEMARK_EMBEDDER",
    file: "embedder",
    flag: undefined,
    fallback: undefined,
    parse: commandWords,
    expected: "a command and its words, such as node /home/you/embed.mjs",
    help: "command that turns texts into vectors, so that search finds by meaning too",
  }),
  embedderSeconds: setting<number>({
    env: "TIDEMARK_EMBEDDER_SECONDS",
    file: "embedderSeconds",
    flag: undefined,
    fallback: 60,
    parse: wholeNumber(1, 600),
    expected: "a whole number from 1 to 600",
    help: "seconds after which a run of the embedder, for 32 texts at most, is ended",
  }),
  embedderWeight: setting<number>({
    env: "TIDEMARK_EMBEDDER_WEIGHT",
    file: "embedderWeight",
    flag: undefined,
    fallback: 20,
    parse: wholeNumber(0, 100),
    expected: "a whole number from 0 to 100",
    help: "what nearness counts in a search, in percent of what words do",
  }),
  embedEncrypted: setting<boolean>({
    env: "TIDEMARK_EMBED_ENCRYPTED",
    file: "embedEncrypted",
    flag: undefined,
    fallback: false,
    parse: parseSwitch,
    expected: "on or off",
    help: "on: the embedder is given texts of encrypted namespaces too",
  }),
  logLevel: setting<LogLevel>({
    env: "TIDEMARK_LOG_LEVEL",
    file: "logLevel",
    flag: undefined,
    fallback: "info",
    parse: (text) => logLevels.find((level) => level === text),
    expected: logLevels.join(", "),
    help: "how much goes to the log file",
  }),
} as const;

/** Names of all settings. */
export type SettingName = keyof typeof settings;

/** The settings with their values. */
export type Config = {
  readonly [Name in SettingName]: (typeof settings)[Name]["fallback"];
};

function setting<T>(row: Setting<T>): Setting<T> {
  return row;
}

/** After how many days a namespace's observations are archived; all namespaces' without a place. */
export interface Retention {
  readonly place: string | undefined;
  readonly days: number;
}

function parseRetention(text: string): readonly Retention[] | undefined {
  const rules = text.split(",").map((part): Retention | undefined => {
    const at = part.lastIndexOf("=");
    const days = wholeNumber(7, 36_500)(part.slice(at + 1).trim());
    const place = at < 0 ? undefined : part.slice(0, at).trim();
    return days === undefined || place === "" ? undefined : { place, days };
  });
  const read = rules.filter((rule) => rule !== undefined);
  return read.length === rules.length ? read : undefined;
}

function parseSwitch(text: string): boolean | undefined {
  const word = text.toLowerCase();
  if (["1", "on", "true", "yes"].includes(word)) return true;
  return ["0", "off", "false", "no"].includes(word) ? false : undefined;
}

function wholeNumber(min: number, max: number): (text: string) => number | undefined {
  return (text) => {
    if (!/^\d{1,9}$/u.test(text)) return undefined;
    const number = Number(text);
    return number >= min && number <= max ? number : undefined;
  };
}
