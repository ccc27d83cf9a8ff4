import { fail, type Result } from "@tidemark/protocol";
import { parse, TomlError } from "smol-toml";
import { readScrubSettings, type ScrubSettings } from "./scrub-settings.ts";

/**
 * Reads a project's `.tidemark/scrub.toml`. Problems name the line or the key, and never quote a
 * line: a link in the file's place could lead to any file of the user's.
 */
export function parseScrubFile(text: string): Result<ScrubSettings, readonly string[]> {
  try {
    return readScrubSettings(parse(text));
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause;
    const reason = /^Invalid TOML document: ([\w ,'"()-]{1,120})/u.exec(cause.message)?.[1];
    return fail([`line ${cause.line}, column ${cause.column}: ${reason ?? "this is no TOML"}`]);
  }
}
