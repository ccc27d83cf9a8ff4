import { fail, ok, type Result } from "@tidemark/protocol";
import type { Random } from "./random.ts";
import { createPrivateFile, readPrivateFile, type FileError } from "./private-file.ts";

/** Bytes of the key that placeholder tags are made with. */
const scrubKeyBytes = 32;

/**
 * The key under which this device tags secrets with little entropy, made at first use (0600).
 * It never leaves the device: with it, a short password could be guessed from its tag.
 */
export function loadOrCreateScrubKey(random: Random, path: string): Result<Uint8Array, FileError> {
  const known = readKey(path);
  if (!known.ok) return known;
  if (known.value !== undefined) return ok(known.value);
  const fresh = random.bytes(scrubKeyBytes);
  const created = createPrivateFile(path, `${Buffer.from(fresh).toString("base64url")}\n`);
  if (created.ok) return ok(fresh);
  if (created.error.kind !== "exists") return created;
  const winner = readKey(path);
  if (!winner.ok) return winner;
  return winner.value === undefined ? created : ok(winner.value);
}

function readKey(path: string): Result<Uint8Array | undefined, FileError> {
  const text = readPrivateFile(path);
  if (!text.ok) return text;
  if (text.value === undefined) return ok(undefined);
  const key = Buffer.from(text.value.trim(), "base64url");
  if (key.length === scrubKeyBytes) return ok(Uint8Array.from(key));
  const hint = "the key file is damaged; remove it, and a new one is made";
  return fail({ kind: "unsafe-file", path, code: undefined, hint });
}
