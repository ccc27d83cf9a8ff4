import { embedTrouble, type EmbedTrouble } from "../memory/embedding/trouble.ts";
import { counted } from "../surfaces/cli/render/text.ts";
import type { Check } from "./diagnose.ts";
import { embedAccount, embeddingOf } from "./embedder.ts";
import type { Home } from "./home.ts";
import type { Memory } from "./memory.ts";

/** How the vectors of this device are. */
export interface EmbedState {
  /** Observations in sight that have a vector of the embedder that is set, and that have none yet. */
  readonly kept: number;
  readonly wanted: number;
  readonly lastFailure: (EmbedTrouble & { readonly at: number }) | undefined;
}

/** How the vectors are; undefined where no embedder is set. */
export function embedState(home: Home, memory: Memory): EmbedState | undefined {
  const embedding = embeddingOf(home);
  if (embedding === undefined) return undefined;
  const account = embedAccount(memory);
  return {
    ...memory.store.vectors.counts(embedding),
    lastFailure:
      account === undefined
        ? undefined
        : {
            ...embedTrouble(account.failure, home.config.embedderSeconds),
            at: account.atMs,
          },
  };
}

/** The same in one line, with what to do where the last run failed. */
export function embedLines(state: EmbedState | null): readonly string[] {
  if (state === null) return [];
  const { kept, wanted, lastFailure } = state;
  const line = `vectors: ${kept} of ${counted(kept + wanted, "observation")}`;
  if (lastFailure === undefined) return [line];
  const { message, hint } = lastFailure;
  return [`${line}; the last run failed: ${message} (${hint})`];
}

/** Whether the embedder does what it is set for; nothing where none is set. */
export function checkEmbedder(home: Home, memory: Memory): readonly Check[] {
  const state = embedState(home, memory);
  if (state === undefined) return [];
  const { kept, wanted, lastFailure } = state;
  const name = "embedder";
  if (lastFailure !== undefined) {
    const { message, hint } = lastFailure;
    return [{ name, status: "WARN", message: `its last run failed: ${message}`, fix: hint }];
  }
  const message = `${kept} of ${counted(kept + wanted, "observation")} ${kept === 1 ? "has" : "have"} a vector`;
  const isBehind = kept === 0 && wanted > 0;
  return [
    isBehind
      ? { name, status: "WARN", message, fix: "tidemark embed" }
      : { name, status: "PASS", message, fix: "" },
  ];
}
