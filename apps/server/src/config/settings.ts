import type { Result } from "@tidemark/protocol";
import { logLevels, type LogLevel } from "../platform/log.ts";
import {
  parseCidrs,
  parseDatabaseUrl,
  parseFolder,
  parseHost,
  parseJobIssuers,
  parseLine,
  parseListenPlace,
  parseOidcIssuer,
  parseOneOf,
  parseOrigins,
  parseSwitch,
  parseWholeNumber,
  type JobIssuer,
  type ListenPlace,
} from "./parsers.ts";

/** How replicas of the server tell each other of new heads. */
export const pokeModes = ["listen", "poll"] as const;
/** `listen` uses PostgreSQL's NOTIFY, `poll` asks for heads; for poolers and engines without it. */
export type PokeMode = (typeof pokeModes)[number];

/** How devices come in: by a code that they show as well, or by links alone. */
export const pairingModes = ["pulled", "links-only"] as const;
/** See {@link pairingModes}. */
export type PairingMode = (typeof pairingModes)[number];

/** Which requests the log has a line of. */
export const loggedRequests = ["refused", "all"] as const;
/** See {@link loggedRequests}. */
export type LogRequests = (typeof loggedRequests)[number];

/** One setting: where it may come from, what it may be, and what help says of it. */
export interface Setting<T> {
  /** The environment variable. */
  readonly env: string;
  /** A variable that names a file with the value, for container secrets. */
  readonly envFile?: string;
  /** The long option, such as `--data-dir`; a flag outranks the environment. */
  readonly flag: string;
  /** What the value is called in help, such as `<dir>`. */
  readonly placeholder: string;
  /** True if the flag may be given several times. */
  readonly isRepeatable?: true;
  /** True if the value is never shown. */
  readonly isSecret?: true;
  /** The value when nothing is given, as one would write it; undefined leaves the setting open. */
  readonly preset: string | undefined;
  /** How help words the preset where it is not a plain value. */
  readonly presetHelp?: string;
  /** Reads the text; the error says what would be right, and never repeats a secret value. */
  parse(text: string): Result<T, string>;
  readonly help: string;
}

function setting<T>(row: Setting<T>): Setting<T> {
  return row;
}

/**
 * Every setting of the server, in the order of help (OPS10).
 *
 * A setting exists if and only if it has a row here; the reader, help and the documentation's
 * check all work off this table.
 */
export const settings = {
  dataDir: setting({
    env: "TIDEMARK_DATA_DIR",
    flag: "--data-dir",
    placeholder: "<dir>",
    preset: undefined,
    presetHelp: "$XDG_DATA_HOME/tidemark-server, or ~/.local/share/tidemark-server",
    parse: parseFolder,
    help: "where the server keeps its database and identity; closed to other users",
  }),
  databaseUrl: setting({
    env: "DATABASE_URL",
    envFile: "DATABASE_URL_FILE",
    flag: "--database-url",
    isSecret: true,
    placeholder: "<url>",
    preset: undefined,
    presetHelp: "a PostgreSQL of its own in the data directory",
    parse: parseDatabaseUrl,
    help: "the PostgreSQL to use, postgres://user:password@host:port/database",
  }),
  masterKeyFile: setting({
    env: "TIDEMARK_MASTER_KEY_FILE",
    flag: "--master-key-file",
    placeholder: "<file>",
    preset: undefined,
    presetHelp: "master.key in the data directory, made at the first start",
    parse: parseFolder,
    help: "the key that seals signing keys, 32 bytes as base64; one for all replicas",
  }),
  host: setting({
    env: "TIDEMARK_HOST",
    flag: "--host",
    placeholder: "<address>",
    preset: "127.0.0.1",
    parse: parseHost,
    help: "the address to listen on; 0.0.0.0 for every network",
  }),
  port: setting({
    env: "TIDEMARK_PORT",
    flag: "--port",
    placeholder: "<number>",
    preset: "8420",
    parse: (text) => parseWholeNumber(text, { min: 0, max: 65_535 }),
    help: "the port to listen on; 0 takes a free one",
  }),
  publicUrls: setting<readonly string[]>({
    env: "TIDEMARK_PUBLIC_URL",
    flag: "--public-url",
    placeholder: "<url>",
    isRepeatable: true,
    preset: "",
    presetHelp: "the address it listens on",
    parse: parseOrigins,
    help: "how devices reach the server, such as https://tidemark.example; several by commas",
  }),
  logLevel: setting<LogLevel>({
    env: "TIDEMARK_LOG_LEVEL",
    flag: "--log-level",
    placeholder: "<level>",
    preset: "info",
    parse: (text) => parseOneOf(text, logLevels),
    help: `how much is logged: ${logLevels.join(", ")}`,
  }),
  logRequests: setting<LogRequests>({
    env: "TIDEMARK_LOG_REQUESTS",
    flag: "--log-requests",
    placeholder: "<all|refused>",
    preset: "refused",
    parse: (text) => parseOneOf(text, loggedRequests),
    help: "which requests have a line in the log; none tells what they carried",
  }),
  metrics: setting<ListenPlace | undefined>({
    env: "TIDEMARK_METRICS",
    flag: "--metrics",
    placeholder: "<address>",
    preset: "",
    presetHelp: "off",
    parse: parseListenPlace,
    help: "where to serve metrics besides, such as 127.0.0.1:9464; in the clear, for a scraper alone",
  }),
  pokeMode: setting<PokeMode>({
    env: "TIDEMARK_POKES",
    flag: "--pokes",
    placeholder: "<mode>",
    preset: "listen",
    parse: (text) => parseOneOf(text, pokeModes),
    help: "how replicas learn of new records: listen (NOTIFY) or poll (behind a pooler)",
  }),
  revisionRetentionDays: setting({
    env: "TIDEMARK_REVISION_RETENTION_DAYS",
    flag: "--revision-retention-days",
    placeholder: "<days>",
    preset: "365",
    parse: (text) => parseWholeNumber(text, { min: 1, max: 36_500 }),
    help: "how long overwritten values are kept for history",
  }),
  quotaRecords: setting({
    env: "TIDEMARK_QUOTA_RECORDS",
    flag: "--quota-records",
    placeholder: "<number>",
    preset: "1000000",
    parse: (text) => parseWholeNumber(text, { min: 1, max: 1_000_000_000 }),
    help: "how many records each namespace may hold; forgotten ones are free",
  }),
  quotaMib: setting({
    env: "TIDEMARK_QUOTA_MIB",
    flag: "--quota-mib",
    placeholder: "<number>",
    preset: "5120",
    parse: (text) => parseWholeNumber(text, { min: 1, max: 1_073_741_824 }),
    help: "how many MiB of records each namespace may hold",
  }),
  quotaDeviceOps: setting({
    env: "TIDEMARK_QUOTA_DEVICE_OPS",
    flag: "--quota-device-ops",
    placeholder: "<number>",
    preset: "200000",
    parse: (text) => parseWholeNumber(text, { min: 1, max: 999_999_999 }),
    help: "how many changes a device may have stored in a namespace a day; forgetting is free",
  }),
  secretCheck: setting<boolean>({
    env: "TIDEMARK_SECRET_CHECK",
    flag: "--secret-check",
    placeholder: "<on|off>",
    preset: "on",
    parse: parseSwitch,
    help: "whether changes that hold a secret are refused, should a device have missed it",
  }),
  pairing: setting<PairingMode>({
    env: "TIDEMARK_PAIRING",
    flag: "--pairing",
    placeholder: "<pulled|links-only>",
    preset: "pulled",
    parse: (text) => parseOneOf(text, pairingModes),
    help: "whether a new device may show a code for a paired one to approve, or needs a link",
  }),
  jobIssuers: setting<readonly JobIssuer[]>({
    env: "TIDEMARK_JOB_ISSUERS",
    flag: "--job-issuers",
    placeholder: "<list>",
    preset: "",
    presetHelp: "github.com and gitlab.com alone",
    parse: parseJobIssuers,
    help: "CI services of your own whose jobs may pair, such as gitlab=https://gitlab.example",
  }),
  oidcIssuer: setting<string>({
    env: "TIDEMARK_OIDC_ISSUER",
    flag: "--oidc-issuer",
    placeholder: "<url>",
    preset: "",
    presetHelp: "off",
    parse: parseOidcIssuer,
    help: "the OpenID Connect provider by which people may sign in to the console",
  }),
  oidcClientId: setting<string>({
    env: "TIDEMARK_OIDC_CLIENT_ID",
    flag: "--oidc-client-id",
    placeholder: "<id>",
    preset: "",
    presetHelp: "none",
    parse: (text) => parseLine(text, 256),
    help: "what the provider calls this server",
  }),
  oidcClientSecret: setting<string>({
    env: "TIDEMARK_OIDC_CLIENT_SECRET",
    envFile: "TIDEMARK_OIDC_CLIENT_SECRET_FILE",
    flag: "--oidc-client-secret",
    isSecret: true,
    placeholder: "<secret>",
    preset: "",
    presetHelp: "none, for a public client",
    parse: (text) => parseLine(text, 1_024),
    help: "the secret that the provider gave; better by a file that others cannot read",
  }),
  oidcLabel: setting<string>({
    env: "TIDEMARK_OIDC_LABEL",
    flag: "--oidc-label",
    placeholder: "<name>",
    preset: "single sign-on",
    parse: (text) => parseLine(text, 40),
    help: "what people call the provider, on the button that signs in",
  }),
  trustedProxies: setting<readonly string[]>({
    env: "TRUSTED_PROXIES",
    flag: "--trusted-proxies",
    placeholder: "<list>",
    preset: "",
    presetHelp: "none",
    parse: parseCidrs,
    help: "addresses or networks of reverse proxies whose X-Forwarded-For is believed, by commas",
  }),
} as const;

/** The name of a setting. */
export type SettingKey = keyof typeof settings;

/** What a setting's parser gives. */
export type SettingValue<K extends SettingKey> =
  (typeof settings)[K] extends Setting<infer T> ? T : never;
