import { fail, ok, type Result } from "@tidemark/protocol";
import { readPrivateFile, type FileError } from "../platform/private-file.ts";

/** Why `config.json` cannot be used. */
export type ConfigFileError =
  | FileError
  | { readonly kind: "not-json"; readonly path: string; readonly hint: string };

/** What `config.json` holds, as parsed; undefined if there is none. */
export function readConfigFile(path: string): Result<unknown, ConfigFileError> {
  const text = readPrivateFile(path);
  if (!text.ok || text.value === undefined) return text;
  try {
    return ok(JSON.parse(text.value) as unknown);
  } catch {
    return fail({ kind: "not-json", path, hint: "it is not JSON; mend it or remove it" });
  }
}
