import { flagName, readConfig, type Config, type ConfigSources } from "../config/config.ts";
import { sourcesOf } from "../config/help.ts";
import {
  readFileSettings,
  settingsFile,
  unreadable,
  type FileSettings,
} from "../config/settings-file.ts";
import { settings, type Setting, type SettingKey } from "../config/settings.ts";
import type { Terminal } from "../platform/terminal.ts";
import type { Command } from "commander";
import { UserError } from "./user-error.ts";

/** Options as commander gives them. */
export type Flags = Readonly<Record<string, unknown>>;

/** Adds the options of settings to a command. */
export function addSettings(command: Command, keys: readonly SettingKey[]): Command {
  for (const key of keys) {
    const row: Setting<unknown> = settings[key];
    const option = `${row.flag} ${row.placeholder}`;
    const { variables, preset } = sourcesOf(row);
    const help = `${row.help} (environment: ${variables}; default: ${preset})`;
    if (row.isRepeatable === true) command.option(option, help, append, undefined);
    else command.option(option, help);
  }
  return command.option(
    `${settingsFile.flag} <file>`,
    `${settingsFile.help} (environment: ${settingsFile.env})`,
  );
}

/** Where a command's settings come from. */
export function settingSources(terminal: Terminal, flags: Flags): ConfigSources {
  const texts = Object.values(settings).map((row) => {
    const name = flagName(row.flag);
    return [name, flagText(flags[name])] as const;
  });
  return {
    env: terminal.env,
    flags: Object.fromEntries(texts),
    file: fileOf(terminal, flags),
    readSecret: (path) => terminal.readSecret(path),
  };
}

/** Reads the settings, or says all that is wrong with them at once. */
export function readSettings(terminal: Terminal, flags: Flags): Config {
  const config = readConfig(settingSources(terminal, flags));
  if (config.ok) return config.value;
  const lines = config.error.mistakes.map(({ source, fix }) => `${source} ${fix}`);
  throw new UserError(
    {
      code: "wrong-settings",
      message: lines.join("\nerror: "),
      hint: "tidemark-server --help names every setting",
    },
    2,
  );
}

function fileOf(terminal: Terminal, flags: Flags): FileSettings | undefined {
  const path = flagText(flags[flagName(settingsFile.flag)]) ?? terminal.env[settingsFile.env];
  if (typeof path !== "string" || path.trim() === "") return undefined;
  const found = terminal.readSettings(path.trim());
  return found === undefined ? unreadable(path.trim()) : readFileSettings(path.trim(), found);
}

function append(value: string, previous: unknown): readonly string[] {
  return [...(Array.isArray(previous) ? (previous as readonly string[]) : []), value];
}

function flagText(value: unknown): string | readonly string[] | undefined {
  if (typeof value === "string") return value;
  return Array.isArray(value) ? (value as readonly string[]) : undefined;
}
