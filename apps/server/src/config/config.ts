import { fail, ok, type Result } from "@tidemark/protocol";
import { isLoopback, readOrigin } from "./origin.ts";
import type { FileSettings } from "./settings-file.ts";
import { type Setting, type SettingKey, settings, type SettingValue } from "./settings.ts";

/** The server's settings, read and checked. */
export type Config = {
  readonly [K in Exclude<SettingKey, "databaseUrl" | "masterKeyFile">]: SettingValue<K>;
} & {
  /** Undefined: the data directory has one of its own. */
  readonly masterKeyFile: string | undefined;
  /** Undefined: the server runs a PostgreSQL of its own in the data directory. */
  readonly databaseUrl: string | undefined;
  /** What works but should be known; log each at start. */
  readonly warnings: readonly string[];
};

/** One thing wrong with the settings. */
export interface ConfigMistake {
  /** Undefined where it is no setting, but a file of them. */
  readonly key: SettingKey | undefined;
  /** Where the value came from: the flag, the variable, or the file and the name in it. */
  readonly source: string;
  /** What would be right. Never the value of a secret. */
  readonly fix: string;
}

/** Where settings come from. */
export interface ConfigSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Options as the command line gives them, by {@link flagName}: `dataDir`, `publicUrl`. */
  readonly flags: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** What the file of settings says, where one is named. */
  readonly file?: FileSettings | undefined;
  /** Reads a secret's file. */
  readSecret(path: string): Result<string, keyof typeof secretFixes>;
}

/** Reads every setting; all mistakes at once, each with its fix (OPS11). */
export function readConfig(
  sources: ConfigSources,
): Result<Config, { readonly mistakes: readonly ConfigMistake[] }> {
  const mistakes: ConfigMistake[] = [...fileMistakes(sources)];
  const read = <K extends SettingKey>(key: K): SettingValue<K> | undefined => {
    // The table ties each key to its value's type; the compiler cannot follow it through a lookup.
    const row = settings[key] as Setting<unknown> as Setting<SettingValue<K>>;
    const given = findText(sources, row, key);
    if (given === undefined) return undefined;
    if (!given.ok) {
      mistakes.push({ key, ...given.error });
      return undefined;
    }
    const parsed = row.parse(given.value.text);
    if (parsed.ok) return parsed.value;
    mistakes.push({ key, source: given.value.source, fix: parsed.error });
    return undefined;
  };
  const values = {
    dataDir: read("dataDir") ?? presetDataDir(sources),
    databaseUrl: read("databaseUrl"),
    masterKeyFile: read("masterKeyFile"),
    host: read("host"),
    port: read("port"),
    publicUrls: read("publicUrls"),
    logLevel: read("logLevel"),
    logRequests: read("logRequests"),
    metrics: read("metrics"),
    pokeMode: read("pokeMode"),
    revisionRetentionDays: read("revisionRetentionDays"),
    quotaRecords: read("quotaRecords"),
    quotaMib: read("quotaMib"),
    quotaDeviceOps: read("quotaDeviceOps"),
    secretCheck: read("secretCheck"),
    pairing: read("pairing"),
    jobIssuers: read("jobIssuers"),
    oidcIssuer: read("oidcIssuer"),
    oidcClientId: read("oidcClientId"),
    oidcClientSecret: read("oidcClientSecret"),
    oidcLabel: read("oidcLabel"),
    trustedProxies: read("trustedProxies"),
  };
  if (values.dataDir === undefined && !mistakes.some(({ key }) => key === "dataDir")) {
    const fix = "must name a folder: there is no HOME to put it in";
    mistakes.push({ key: "dataDir", source: settings.dataDir.flag, fix });
  }
  if (mistakes.length === 0) mistakes.push(...oidcMistakes(values));
  if (mistakes.length > 0) return fail({ mistakes });
  const complete = values as Omit<Config, "warnings">;
  return ok({ ...complete, warnings: findWarnings(complete) });
}

/** A provider and what it calls this server come together. */
function oidcMistakes(values: {
  readonly oidcIssuer: string | undefined;
  readonly oidcClientId: string | undefined;
  readonly oidcClientSecret: string | undefined;
}): readonly ConfigMistake[] {
  const { oidcIssuer = "", oidcClientId = "", oidcClientSecret = "" } = values;
  const told = (key: SettingKey, fix: string): ConfigMistake[] => [
    { key, source: settings[key].flag, fix },
  ];
  if (oidcIssuer !== "" && oidcClientId === "") {
    return told("oidcClientId", "must be set beside --oidc-issuer");
  }
  if (oidcIssuer === "" && oidcClientId + oidcClientSecret !== "") {
    return told("oidcIssuer", "must be set beside --oidc-client-id");
  }
  return [];
}

/** One setting as it is in force. */
export interface SettingInForce {
  readonly setting: SettingKey;
  /** As one would write it; undefined where nothing is set, or where it is a secret. */
  readonly value: string | undefined;
  /** The flag or the variable, the file and the name in it, or `default`. */
  readonly source: string;
  readonly isHidden: boolean;
}

/** Every setting with where it comes from (OPS87); wrong ones are {@link readConfig}'s to tell. */
export function settingsInForce(sources: ConfigSources): readonly SettingInForce[] {
  return (Object.keys(settings) as SettingKey[]).map((setting) => {
    const row: Setting<unknown> = settings[setting];
    const found = findText(sources, row, setting);
    const given = found?.ok === true ? found.value : undefined;
    const isHidden = row.isSecret === true && given !== undefined;
    const fallback = setting === "dataDir" ? presetDataDir(sources) : row.presetHelp;
    const value = isHidden ? undefined : (given?.text ?? "") || fallback;
    const isPreset = given === undefined || given.source.startsWith("default of ");
    return { setting, value, source: isPreset ? "default" : given.source, isHidden };
  });
}

/** The name an option has on the parsed command line: `--data-dir` is `dataDir`. */
export function flagName(flag: string): string {
  return flag.slice(2).replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * The URLs devices may use: those configured, else the address the server listens on.
 *
 * @param port - the port it really listens on, which a configured 0 leaves open
 */
export function publicUrlsOf(config: Config, port: number): readonly string[] {
  if (config.publicUrls.length > 0) return config.publicUrls;
  return [listenUrlOf(isWildcard(config.host) ? "127.0.0.1" : config.host, port)];
}

/** The URL of the address that the server itself listens on, whatever devices call it. */
export function listenUrlOf(host: string, port: number): string {
  return new URL(`http://${host.includes(":") ? `[${host}]` : host}:${port}`).origin;
}

interface GivenText {
  readonly text: string;
  readonly source: string;
}

type Finding = Result<GivenText, { readonly source: string; readonly fix: string }>;

function findText(
  sources: ConfigSources,
  row: Setting<unknown>,
  key: SettingKey,
): Finding | undefined {
  const flag = sources.flags[flagName(row.flag)];
  if (flag !== undefined) return ok({ text: [flag].flat().join(","), source: row.flag });
  const text = sources.env[row.env]?.trim() ?? "";
  const fromFile = row.envFile === undefined ? undefined : findSecret(sources, row.envFile);
  if (text !== "" && fromFile !== undefined) {
    return fail({ source: row.env, fix: `set it or ${row.envFile ?? row.env}, not both` });
  }
  if (text !== "") return ok({ text, source: row.env });
  return fromFile ?? findTold(sources, key) ?? findPreset(row, key);
}

/** What the file of settings says. */
function findTold({ file }: ConfigSources, key: SettingKey): Finding | undefined {
  const text = file?.texts[key];
  return text === undefined ? undefined : ok({ text, source: placeIn(file, key) });
}

function findPreset({ preset }: Setting<unknown>, key: SettingKey): Finding | undefined {
  return preset === undefined ? undefined : ok({ text: preset, source: `default of ${key}` });
}

function fileMistakes({ file }: ConfigSources): readonly ConfigMistake[] {
  return (file?.mistakes ?? []).map(({ name, fix }) => ({
    key: undefined,
    source: placeIn(file, name),
    fix,
  }));
}

function placeIn(file: FileSettings | undefined, name: string | undefined): string {
  return name === undefined ? (file?.path ?? "") : `${file?.path ?? ""}: ${name}`;
}

const secretFixes = {
  unreadable: "must name a readable file that is not empty:",
  "readable-by-others": "must name a file that others cannot read: chmod 600",
  "writable-by-others": "must name a file that others cannot change: chmod o-w",
} as const;

function findSecret(sources: ConfigSources, variable: string): Finding | undefined {
  const path = sources.env[variable] ?? "";
  if (path === "") return undefined;
  const secret = sources.readSecret(path);
  const text = secret.ok ? secret.value.trim() : "";
  if (text !== "") return ok({ text, source: variable });
  const fix = secretFixes[secret.ok ? "unreadable" : secret.error];
  return fail({ source: variable, fix: `${fix} ${path}` });
}

function presetDataDir({ env }: ConfigSources): string | undefined {
  const dataHome = env["XDG_DATA_HOME"] ?? "";
  // The XDG specification has relative paths ignored.
  if (dataHome.startsWith("/")) return `${dataHome}/tidemark-server`;
  const home = env["HOME"] ?? env["USERPROFILE"] ?? "";
  return home === "" ? undefined : `${home}/.local/share/tidemark-server`;
}

function findWarnings(config: Omit<Config, "warnings">): readonly string[] {
  const warnings: string[] = [];
  for (const url of config.publicUrls) {
    const origin = readOrigin(url);
    if (origin.ok && origin.value.kind === "private-http") {
      warnings.push(`${url} is not encrypted: whoever shares that network can read the traffic`);
    }
  }
  if (config.trustedProxies.some((network) => network.endsWith("/0"))) {
    warnings.push("TRUSTED_PROXIES names every address: whoever calls may say where from");
  }
  if (config.metrics !== undefined && !isLoopback(config.metrics.host)) {
    warnings.push("--metrics listens beyond this machine: whoever reaches it sees the figures");
  }
  if (isWildcard(config.host) && config.publicUrls.length === 0) {
    warnings.push("other machines cannot pair until --public-url names how they reach this server");
  }
  return warnings;
}

function isWildcard(host: string): boolean {
  return host === "0.0.0.0" || host === "::";
}
