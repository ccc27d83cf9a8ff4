import { fail, ok, type Result } from "@tidemark/protocol";
import { type FileError, readPrivateFile, replacePrivateFile } from "./private-file.ts";

/** SHA-256 of each project file that the user has agreed to, by its path. */
export type ScrubTrust = Readonly<Record<string, string>>;

/** Reads what the user has agreed to. A damaged file is told, and counts as agreement to nothing. */
export function readScrubTrust(path: string): Result<ScrubTrust, FileError> {
  const text = readPrivateFile(path);
  if (!text.ok) return text;
  if (text.value === undefined) return ok({});
  try {
    const value: unknown = JSON.parse(text.value);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      const entries = Object.entries(value).filter(([, digest]) => typeof digest === "string");
      return ok(Object.fromEntries(entries) as ScrubTrust);
    }
  } catch {
    // Told below.
  }
  const hint = "it is damaged; remove it, and trust the projects anew";
  return fail({ kind: "unsafe-file", path, code: undefined, hint });
}

/** Notes that the user agrees to a file with this digest, or, without one, does no more. */
export function writeScrubTrust(
  path: string,
  file: string,
  digest: string | undefined,
): Result<void, FileError> {
  const known = readScrubTrust(path);
  if (!known.ok) return known;
  const others = Object.entries(known.value).filter(([each]) => each !== file);
  const trust = Object.fromEntries(digest === undefined ? others : [...others, [file, digest]]);
  return replacePrivateFile(path, `${JSON.stringify(trust, undefined, 2)}\n`);
}
