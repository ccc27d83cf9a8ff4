import { createHash } from "node:crypto";
import { closeSync, openSync } from "node:fs";
import { fail, ok, type JsonObject, type Sha256 } from "@tidemark/protocol";
import { sealCipher } from "../../platform/seal-cipher.ts";
import { openStore, type OpenOptions } from "../open.ts";
import type { ScrubbedFields } from "../scrubbed-fields.ts";
import type { Store } from "../store.ts";

/** The real hash. For tests. */
export const testSha256: Sha256 = (text) => createHash("sha256").update(text, "utf8").digest();

/** Bytes that follow from a seed alone. For tests. */
export function seededRandom(seed: string): OpenOptions["random"] {
  let calls = 0;
  return {
    bytes: (count) => {
      calls += 1;
      return createHash("sha512").update(`${seed} ${calls}`).digest().subarray(0, count);
    },
  };
}

/** A store in memory, with seeded randomness and a clock that stands still. For tests. */
export function testStore(options: Partial<OpenOptions> = {}): Store {
  const opened = openStore({ ...testOptions(), ...options });
  if (!opened.ok) throw new Error(`${opened.error.kind}: ${opened.error.message}`);
  return opened.value;
}

/** What {@link testStore} opens a store with. */
export function testOptions(seed = "seed"): OpenOptions {
  return {
    path: ":memory:",
    sha256: testSha256,
    random: seededRandom(seed),
    clock: { nowMs: () => 1_700_000_000_000 },
    cipher: sealCipher,
    createPrivateFile: (path) => {
      try {
        closeSync(openSync(path, "wx", 0o600));
        return ok(undefined);
      } catch (error) {
        const isThere = error instanceof Error && "code" in error && error.code === "EEXIST";
        return fail({ kind: isThere ? "exists" : "io" });
      }
    },
  };
}

/** Fields as if they had been scrubbed. For tests: nothing else may make the brand like this. */
export function scrubbed(fields: JsonObject): ScrubbedFields {
  return fields as unknown as ScrubbedFields;
}
