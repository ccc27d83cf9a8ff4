import { fail, ok, type Result } from "@tidemark/protocol";
import type { Random } from "./random.ts";
import {
  appendPrivateFile,
  createPrivateFile,
  readPrivateFile,
  type FileError,
} from "./private-file.ts";

/** Bytes of the key that placeholder tags are made with. */
const scrubKeyBytes = 32;

/**
 * The key under which this device tags secrets with little entropy, made at first use (0600).
 * It never leaves the device: with it, a short password could be guessed from its tag.
 */
export function loadOrCreateScrubKey(random: Random, path: string): Result<Uint8Array, FileError> {
  const known = readKey(path);
  if (!known.ok) return known;
  return known.value === undefined ? createKey(random, path) : ok(known.value);
}

/**
 * Of programs that start at once in an empty home each adds a line of its own, and the first line is
 * the key of all (OPS112): nobody takes a file without one, which is being made or was cut off, for
 * damaged.
 */
function createKey(random: Random, path: string): Result<Uint8Array, FileError> {
  const created = createPrivateFile(path, "");
  if (!created.ok && created.error.kind !== "exists") return created;
  const line = `${Buffer.from(random.bytes(scrubKeyBytes)).toString("base64url")}\n`;
  const added = appendPrivateFile(path, line, { durable: true });
  if (!added.ok) return added;
  const first = readKey(path);
  if (!first.ok) return first;
  return first.value === undefined ? fail(damaged(path)) : ok(first.value);
}

function readKey(path: string): Result<Uint8Array | undefined, FileError> {
  const text = readPrivateFile(path);
  if (!text.ok) return text;
  const [line = ""] = (text.value ?? "").split("\n", 1);
  if (text.value === undefined || text.value === "") return ok(undefined);
  const key = Buffer.from(line.trim(), "base64url");
  return key.length === scrubKeyBytes ? ok(Uint8Array.from(key)) : fail(damaged(path));
}

function damaged(path: string): FileError {
  const hint = "the key file is damaged; remove it, and a new one is made";
  return { kind: "unsafe-file", path, code: undefined, hint };
}
