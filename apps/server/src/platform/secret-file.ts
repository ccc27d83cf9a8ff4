import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { fail, ok, type Result } from "@tidemark/protocol";

/** Why a secret's file is not taken: no reading it, others may read it, or others may change it. */
export type SecretFileError = "unreadable" | "readable-by-others" | "writable-by-others";

/** A secret's text, or why there is none. */
export type SecretFile = Result<string, SecretFileError>;

/**
 * Reads a file that holds a secret (OPS13). One of our own is closed to others, for we can close
 * it; one of somebody else, such as a secret that is mounted into a container, may be readable,
 * for else we could not read it, but not writable for everybody.
 */
export function readSecretFile(path: string): SecretFile {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY);
  } catch {
    return fail("unreadable");
  }
  try {
    const error = opennessOf(fstatSync(file));
    return error === undefined ? ok(readFileSync(file, "utf8")) : fail(error);
  } catch {
    return fail("unreadable");
  } finally {
    closeSync(file);
  }
}

/** Systems without users have no modes to look at. */
function opennessOf(file: {
  readonly uid: number;
  readonly mode: number;
}): SecretFileError | undefined {
  const own = process.getuid?.();
  if (own === undefined) return undefined;
  if (file.uid === own && (file.mode & 0o077) !== 0) return "readable-by-others";
  return (file.mode & 0o002) === 0 ? undefined : "writable-by-others";
}
