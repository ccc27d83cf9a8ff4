import { settingsInForce, type SettingInForce } from "../config/config.ts";
import type { CommandDeps } from "./command-deps.ts";
import { readSettings, settingSources, type Flags } from "./read-settings.ts";

/** `config`: what `serve` would go by, and where each value comes from (OPS87). */
export function runShowConfig(
  { terminal }: CommandDeps,
  flags: Flags,
  { isJson }: { readonly isJson: boolean },
): void {
  const { warnings } = readSettings(terminal, flags);
  const all = settingsInForce(settingSources(terminal, flags));
  const rows = all.map((row) => ({ ...row, value: shown(row) }));
  if (isJson) {
    const items = rows.map(({ setting, value, source }) => ({ setting, value, source }));
    terminal.print(`${JSON.stringify({ settings: items, warnings })}\n`);
    return;
  }
  const width = Math.max(...rows.map(({ setting }) => setting.length));
  const lines = rows.map(
    ({ setting, value, source }) => `${setting.padEnd(width)}  ${value}  (${source})`,
  );
  terminal.print(`${[...lines, ...warnings.map((text) => `warning: ${text}`)].join("\n")}\n`);
}

function shown({ value, isHidden }: SettingInForce): string {
  return isHidden ? "[hidden]" : (value ?? "none");
}
