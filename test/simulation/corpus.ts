import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Extras } from "./extras.ts";

/** A run that once failed, kept so that it never does again. */
export interface CorpusEntry extends Extras {
  /** The rule that broke. */
  readonly rule: string;
  /** What it showed, for people. */
  readonly what: string;
  readonly seed: number;
  readonly tape: readonly number[];
}

const folder = join(import.meta.dirname, "corpus");
const root = join(import.meta.dirname, "../..");

/** All kept runs, by file name. */
export function readCorpus(): readonly (readonly [name: string, entry: CorpusEntry])[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .toSorted()
    .map((name) => [name, readEntry(join(folder, name))] as const);
}

/** Reads one kept run. */
export function readEntry(path: string): CorpusEntry {
  return JSON.parse(readFileSync(path, "utf8")) as CorpusEntry;
}

/** Keeps a failing run, without word of where the project lies; gives its path. */
export function keepEntry(entry: CorpusEntry): string {
  mkdirSync(folder, { recursive: true });
  const text = JSON.stringify({ ...entry, what: entry.what.replaceAll(`${root}/`, "") });
  const hash = createHash("sha256").update(JSON.stringify(entry.tape)).digest("hex").slice(0, 12);
  const path = join(folder, `${entry.rule.toLowerCase()}-${hash}.json`);
  writeFileSync(path, `${text}\n`);
  return path;
}
