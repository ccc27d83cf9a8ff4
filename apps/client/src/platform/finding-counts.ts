import { mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { fileBytes } from "./file-bytes.ts";
import { appendPrivateFile } from "./private-file.ts";

/** How often something was taken out, by kind. */
export type FindingCounts = Readonly<Record<string, number>>;

/** Size at which all lines become one, in bytes. */
const countsBytesMax = 131_072;

/**
 * Adds to the counts of what was taken out (SC57): kinds and numbers, never a value. Several
 * programs add at once, so each adds a line of its own. What cannot be written is not counted.
 */
export function addFindingCounts(path: string, counts: FindingCounts): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    if (fileBytes(path) > countsBytesMax) fold(path);
    append(path, counts);
  } catch {
    // A count that is missing harms nobody; a capture that fails would.
  }
}

/** The counts so far. */
export function readFindingCounts(path: string): FindingCounts {
  const total: Record<string, number> = {};
  for (const line of [...linesOf(`${path}.1`), ...linesOf(path)]) {
    for (const [kind, count] of parseLine(line)) total[kind] = (total[kind] ?? 0) + count;
  }
  return total;
}

/** The lines are put aside first, so that what others add meanwhile is not lost. */
function fold(path: string): void {
  const aside = `${path}.1`;
  renameSync(path, aside);
  append(path, readFindingCounts(path));
  rmSync(aside, { force: true });
}

function append(path: string, counts: FindingCounts): void {
  appendPrivateFile(path, `${JSON.stringify(counts)}\n`, { durable: false });
}

function linesOf(path: string): readonly string[] {
  try {
    return readFileSync(path, "utf8").split("\n");
  } catch {
    return [];
  }
}

function parseLine(line: string): readonly (readonly [kind: string, count: number])[] {
  if (!/^\{(?:"[a-z0-9_]{1,64}":\d{1,12},?)*\}$/u.test(line)) return [];
  try {
    return Object.entries(JSON.parse(line) as FindingCounts);
  } catch {
    return [];
  }
}
