import { settingsFile } from "./settings-file.ts";
import { type Setting, settings } from "./settings.ts";

/** Narrowest terminal help is laid out for, in characters. */
const columns = 100;

/** Every setting with its flag, variables, default and meaning, as `--help` shows it (OPS10). */
export function renderSettings(): string {
  const rows: readonly Setting<unknown>[] = Object.values(settings);
  return `${[...rows.map(renderSetting), renderFile()].join("\n\n")}\n`;
}

/** Where else a setting may come from, and what it is when nobody sets it. */
export function sourcesOf(row: Setting<unknown>): {
  readonly variables: string;
  readonly preset: string;
} {
  const variables = [row.env, row.envFile].filter((name) => name !== undefined).join(" or ");
  return { variables, preset: row.presetHelp ?? row.preset ?? "none" };
}

function renderSetting(row: Setting<unknown>): string {
  const repeat = row.isRepeatable === true ? " (may be repeated)" : "";
  const { variables, preset } = sourcesOf(row);
  return [
    `  ${row.flag} ${row.placeholder}${repeat}`,
    ...wrap(row.help).map((line) => `      ${line}`),
    `      environment: ${variables}`,
    `      default: ${preset}`,
  ].join("\n");
}

function renderFile(): string {
  const { flag, env, help } = settingsFile;
  const lines = [`  ${flag} <file>`, ...wrap(help).map((line) => `      ${line}`)];
  return [...lines, `      environment: ${env}`].join("\n");
}

function wrap(text: string): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > columns - 6) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
