/**
 * The child program that talks to the system's keychain: reads one request from standard input,
 * prints one answer, ends. It is a process of its own because the native module may block for ever,
 * and because nothing else should load it (OPS48).
 */
import { readFileSync, writeSync } from "node:fs";
import { forbidCore } from "../core-dump.ts";
import { parseRequest, type KeychainAnswer, type KeychainRequest } from "./keychain-talk.ts";

/** Under which name entries are filed; the account is the key's thumbprint. */
const service = "tidemark";

/**
 * The module falls back to the kernel's keyring, which a restart empties (keytar-rs#3): on Linux
 * only the Secret Service will do.
 */
const store = { linux: { store: "secret-service" } } as const;

async function answerOf({ op, account, secret }: KeychainRequest): Promise<KeychainAnswer> {
  const module = await import("@napi-rs/keyring").catch(() => undefined);
  if (module === undefined) return { kind: "not-installed" };
  try {
    const entry = new module.AsyncEntry(service, account, store);
    if (op === "remove") await entry.deleteCredential();
    if (op === "keep" && secret !== undefined) await entry.setPassword(secret);
    const found = op === "remove" ? null : await entry.getPassword();
    return typeof found === "string" ? { kind: "found", secret: found } : { kind: "none" };
  } catch {
    // The module's words may name what it was given.
    return { kind: "refused" };
  }
}

forbidCore();
const request = parseRequest(readFileSync(0, "utf8"));
if (request !== undefined) {
  // Who asked may be gone: nobody would end this process then.
  setTimeout(() => process.exit(1), request.waitMs);
  writeSync(1, `${JSON.stringify(await answerOf(request))}\n`);
}
process.exit(0);
