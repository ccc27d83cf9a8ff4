import type { AgentEvent } from "../event.ts";
import type { Fields } from "../json.ts";
import { isFields } from "../json.ts";

/** One replacement of text in a file, reduced to the lines that differ. */
export interface Edit {
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Lines above the difference that the edit quotes: where it happened. */
  readonly above: readonly string[];
  /** All lines that the edit quotes, as they were and as they are. */
  readonly oldLines: readonly string[];
  readonly newLines: readonly string[];
}

/** The edits that an event's tool made, without those that change nothing but white space. */
export function editsOf(event: AgentEvent): readonly Edit[] {
  const input = event.tool?.input;
  if (!isFields(input)) return [];
  return replacements(event.tool?.name ?? "", input)
    .filter(([before, after]) => squeezed(before) !== squeezed(after))
    .map(([before, after]) => difference(before.split("\n"), after.split("\n")));
}

/** Whether an edit touches only the lines by which a file names what it uses. */
export function isImportsOnly(edit: Edit): boolean {
  const lines = [...edit.before, ...edit.after].map((line) => line.trim()).filter(Boolean);
  return lines.length > 0 && lines.every(isImportLine);
}

/** Whether a line only names what a file uses. */
export function isImportLine(line: string): boolean {
  return importLine().test(line);
}

const importLine = (): RegExp =>
  /^(?:import\b|export .* from |from \S+ import\b|alias |require |use [\w:]+(?:::|;)|using |#include|const \{?[\w\s,]+\}? = require\(|\}? ?from ["']|[\w.]+,$|\}$)/u;

function replacements(tool: string, input: Fields): readonly (readonly [string, string])[] {
  if (tool === "Write") return [["", text(input["content"])]];
  if (tool === "NotebookEdit") return [["", text(input["new_source"])]];
  const { edits } = input;
  const list: readonly unknown[] = Array.isArray(edits) ? edits.slice(0, 100) : [input];
  return list.flatMap((edit) =>
    isFields(edit) ? [[text(edit["old_string"]), text(edit["new_string"])] as const] : [],
  );
}

function difference(oldLines: readonly string[], newLines: readonly string[]): Edit {
  const shorter = Math.min(oldLines.length, newLines.length);
  let head = 0;
  while (head < shorter && oldLines[head] === newLines[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && oldLines.at(-1 - tail) === newLines.at(-1 - tail)) tail += 1;
  return {
    before: oldLines.slice(head, oldLines.length - tail),
    after: newLines.slice(head, newLines.length - tail),
    above: newLines.slice(0, head),
    oldLines,
    newLines,
  };
}

function text(value: unknown): string {
  return typeof value === "string" ? value.replaceAll("\r\n", "\n") : "";
}

function squeezed(value: string): string {
  return value.replaceAll(/\s+/gu, "");
}
