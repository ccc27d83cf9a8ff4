import { readFileSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fail, ok, type Result } from "@tidemark/protocol";
import { appendPrivateFile, replacePrivateFile, type FileError } from "./private-file.ts";
import type { Random } from "./random.ts";

/** Lines taken from the spool by one drainer. */
export interface SpoolClaim {
  readonly lines: readonly string[];
  /** Gives up what was drained; `rest` is kept for the next drainer. */
  finish(rest: readonly string[]): void;
}

/** An append-only file of lines that survives a kill at any moment (HK20). */
export interface SpoolFile {
  /** Appends a line, durably. */
  append(line: string): Result<void, FileError>;
  /** Whether anything waits; one folder listing. */
  hasLines(): boolean;
  /**
   * Takes all that waits, in the order in which it came: first what a drainer left, also one that
   * died, and what was written since only once that was gone through (HK80).
   */
  claim(): Iterable<SpoolClaim>;
}

/** Size at which the spool takes no more, in bytes. */
export const spoolBytesMax = 67_108_864;

const appendAttemptsMax = 20;

/** The spool at a path; claimed parts lie beside it. */
export function createSpoolFile(random: Random, path: string): SpoolFile {
  return {
    append: (line) => append(path, line),
    hasLines: () => partsOf(path).length > 0 || sizeOf(path) > 0,
    claim: () => claim(random, path),
  };
}

function append(path: string, line: string): Result<void, FileError> {
  const trouble = { kind: "io", path, hint: "run `tidemark doctor`" } as const;
  if (sizeOf(path) + line.length > spoolBytesMax) return fail({ ...trouble, code: "spool-full" });
  for (let attempt = 1; attempt <= appendAttemptsMax; attempt += 1) {
    // The line feed before parts this line from one that a full disk cut short.
    const appended = appendPrivateFile(path, `\n${line}\n`, { durable: true });
    if (!appended.ok) return appended;
    // A drainer may have taken the file while it was open here, and read it before this write. A
    // line that is there twice is captured once.
    if (appended.value) return ok(undefined);
  }
  return fail({ ...trouble, code: "spool-taken" });
}

function* claim(random: Random, path: string): Iterable<SpoolClaim> {
  for (const part of partsOf(path)) yield* readPart(part);
  if (sizeOf(path) === 0) return;
  const part = `${path}.${Buffer.from(random.bytes(8)).toString("hex")}`;
  if (rename(path, part)) yield* readPart(part);
}

function readPart(path: string): readonly SpoolClaim[] {
  const lines = linesOf(path);
  if (lines === undefined) return [];
  const seen = new Set(lines);
  const finish = (rest: readonly string[]): void => {
    // A late writer may still have had the file open: what it added is kept. Told by what it is and
    // not by where it stands, since another drainer of the same part may have finished before.
    const late = (linesOf(path) ?? []).filter((line) => !seen.has(line));
    const kept = [...rest, ...late];
    if (kept.length === 0) rmSync(path, { force: true });
    else replacePrivateFile(path, `${kept.join("\n")}\n`);
  };
  return [{ lines, finish }];
}

function linesOf(path: string): readonly string[] | undefined {
  try {
    return readFileSync(path, "utf8")
      .split("\n")
      .filter((line) => line !== "");
  } catch {
    return undefined;
  }
}

function partsOf(path: string): readonly string[] {
  const start = `${basename(path)}.`;
  try {
    const names = readdirSync(dirname(path)).filter((name) => name.startsWith(start));
    return names.toSorted().map((name) => join(dirname(path), name));
  } catch {
    return [];
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** False where another drainer was faster: it has the lines. */
function rename(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch {
    return false;
  }
}
