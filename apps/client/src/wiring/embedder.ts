import { join } from "node:path";
import { fail, ok, type Result } from "@tidemark/protocol";
import { settings } from "../config/settings.ts";
import {
  embedAccountName,
  embedAccountText,
  readEmbedAccount,
  type EmbedAccount,
} from "../memory/embedding/account.ts";
import { embeddingLimits } from "../memory/embedding/limits.ts";
import { embedderInput, readVectors, type TextRole } from "../memory/embedding/lines.ts";
import type { EmbedFailure } from "../memory/embedding/trouble.ts";
import { systemClock } from "../platform/clock.ts";
import { sha256 } from "../platform/hash.ts";
import { runBounded } from "../platform/run-bounded.ts";
import { attempt } from "../store/store-error.ts";
import type { Embedding } from "../store/vectors/vectors.ts";
import type { Home } from "./home.ts";
import type { Memory } from "./memory.ts";

/** A run of the embedder. */
export interface EmbedRun {
  readonly role: TextRole;
  readonly texts: readonly string[];
  readonly msMax: number;
  readonly signal: AbortSignal;
}

/** The embedder that is set, and what it is given; undefined where none is. */
export function embeddingOf({ config }: Home): Embedding | undefined {
  const { embedder: words, embedEncrypted } = config;
  if (words === undefined) return undefined;
  // Another command is another model, as far as anybody here can tell.
  const model = Buffer.from(sha256(JSON.stringify(words)))
    .toString("hex")
    .slice(0, 16);
  return { model, includesEncrypted: embedEncrypted };
}

/**
 * Has the embedder turn texts into vectors, one for each; what it is given is scrubbed once more.
 * Notes how it failed, for `status` and `doctor`, and that it works again.
 */
export async function embed(
  home: Home,
  memory: Memory,
  { role, texts, msMax, signal }: EmbedRun,
): Promise<Result<readonly (Int8Array | undefined)[], EmbedFailure>> {
  const words = home.config.embedder;
  if (words === undefined) return fail("not-there");
  const ended = await runBounded({
    words,
    stdin: embedderInput(
      role,
      texts.map((text) => home.scrub.text(text)),
    ),
    // Where it is an agent, its own session is none of memory's (SM5).
    env: { ...home.env, [settings.inSummariser.env]: "1" },
    folder: join(home.paths.stateHome, "embedder"),
    msMax,
    outputBytesMax: embeddingLimits.outputBytesMax,
    signal,
  });
  const read = ((): Result<readonly (Int8Array | undefined)[], EmbedFailure> => {
    if (ended.kind !== "ended") return fail(ended.kind);
    return ended.code === 0 ? readVectors(ended.stdout, texts.length) : fail("failed");
  })();
  note(home, memory, read.ok ? undefined : read.error);
  return read.ok ? ok(read.value) : read;
}

/** How the embedder's last run failed; undefined where it did not. */
export function embedAccount({ store }: Memory): EmbedAccount | undefined {
  return readEmbedAccount(store.upkeep.meta(embedAccountName));
}

/** A search goes on where this cannot be written, as on a full disk. */
function note(home: Home, memory: Memory, failure: EmbedFailure | undefined): void {
  if (failure === "stopped") return;
  const { upkeep } = memory.store;
  const noted = attempt(() => {
    if (failure === undefined) {
      if (upkeep.meta(embedAccountName) !== undefined) upkeep.setMeta(embedAccountName, undefined);
      return;
    }
    const atMs = systemClock.nowMs();
    upkeep.setMeta(embedAccountName, embedAccountText({ failure, atMs }));
  });
  if (failure !== undefined) home.log.warn("embedder-failed", { kind: failure });
  if (!noted.ok) home.log.warn("embedder-not-noted", { kind: noted.error.kind });
}
