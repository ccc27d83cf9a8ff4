import { readFileSync, writeFileSync } from "node:fs";

const file = new URL("../../docs/extraction.md", import.meta.url);
const [start, end] = ["<!-- review -->", "<!-- /review -->"];

/** The table as the document shows it. */
export function documentedTable(): string {
  const text = readFileSync(file, "utf8");
  return text.slice(text.indexOf(start) + start.length, text.indexOf(end)).trim();
}

/** Shows a table in the place of the one that the document shows. */
export function documentTable(table: string): void {
  const text = readFileSync(file, "utf8");
  const [before] = text.split(start);
  const [, after] = text.split(end);
  writeFileSync(file, `${before ?? ""}${start}\n${table}\n${end}${after ?? ""}`);
}
