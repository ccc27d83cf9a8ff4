import { fail, ok, type Result } from "@tidemark/protocol";
import type { Environment } from "../platform/paths.ts";
import { settings, type Config, type Setting, type SettingName } from "./settings.ts";

/** Where values come from; flags are given by the name of their setting. */
export interface ConfigSources {
  readonly env: Environment;
  /** What `config.json` holds, as parsed. */
  readonly file?: unknown;
  readonly flags?: Readonly<Partial<Record<SettingName, string>>>;
}

/** All that is wrong with the settings, one line each. */
export interface ConfigError {
  readonly kind: "bad-config";
  readonly problems: readonly string[];
  /** The settings with defaults in place of what is wrong, for a hook, which must go on. */
  readonly fallback: Config;
}

/** Reads every setting and reports every mistake at once (OPS51). */
export function readConfig(sources: ConfigSources): Result<Config, ConfigError> {
  const problems: string[] = [];
  const file = fileMembers(sources.file, problems);
  const values = Object.entries(settings).map(([name, row]) => [
    name,
    readOne(name as SettingName, row as Setting<unknown>, { ...sources, file }, problems),
  ]);
  const config = Object.fromEntries(values) as Config;
  return problems.length === 0
    ? ok(config)
    : fail({ kind: "bad-config", problems, fallback: config });
}

/** Members of `config.json` that count for nothing: misspelt, or of another version (OPS51). */
export function unknownMembers(file: unknown): readonly string[] {
  const known = new Set(["scrub", ...Object.values(settings).map((row) => row.file)]);
  return Object.keys(fileMembers(file, [])).filter((name) => !known.has(name));
}

interface Members {
  readonly env: Environment;
  readonly file: Readonly<Record<string, unknown>>;
  readonly flags?: Readonly<Partial<Record<SettingName, string>>>;
}

function readOne(
  name: SettingName,
  row: Setting<unknown>,
  sources: Members,
  problems: string[],
): unknown {
  const found = findText(name, row, sources);
  if (found === undefined) return row.fallback;
  const value = row.parse(found.text);
  if (value !== undefined) return value;
  problems.push(`${found.where}: expected ${row.expected}`);
  return row.ifWrong ?? row.fallback;
}

function findText(
  name: SettingName,
  row: Setting<unknown>,
  sources: Members,
): { readonly text: string; readonly where: string } | undefined {
  const flag = sources.flags?.[name];
  if (flag !== undefined) return { text: flag, where: row.flag ?? name };
  const variable = sources.env[row.env];
  if (variable !== undefined && variable !== "") return { text: variable, where: row.env };
  const member = row.file === undefined ? undefined : sources.file[row.file];
  if (member === undefined || member === null) return undefined;
  return { text: textOf(member), where: `config.json: ${row.file}` };
}

/** A scalar as it would be written in the environment; what is none is no setting's value. */
function textOf(member: unknown): string {
  if (typeof member === "string") return member;
  return typeof member === "number" || typeof member === "boolean" ? String(member) : "";
}

function fileMembers(file: unknown, problems: string[]): Readonly<Record<string, unknown>> {
  if (file === undefined) return {};
  if (typeof file === "object" && file !== null && !Array.isArray(file)) return { ...file };
  problems.push("config.json: expected an object");
  return {};
}
