import type { EmbedFailure } from "./trouble.ts";

/** How an embedder's last run failed, and when. */
export interface EmbedAccount {
  readonly failure: EmbedFailure;
  readonly atMs: number;
}

/** Where the store keeps it; nothing there means that the last run gave vectors. */
export const embedAccountName = "embedder-failure";

const failures: ReadonlySet<unknown> = new Set<EmbedFailure>([
  "not-there",
  "timed-out",
  "failed",
  "too-much",
  "unreadable",
]);

/** Reads what {@link embedAccountText} wrote; undefined for anything else. */
export function readEmbedAccount(text: string | undefined): EmbedAccount | undefined {
  const [failure, at] = text?.split(" ") ?? [];
  const atMs = Number(at);
  if (!failures.has(failure) || !Number.isSafeInteger(atMs)) return undefined;
  return { failure: failure as EmbedFailure, atMs };
}

/** The same as text. */
export function embedAccountText({ failure, atMs }: EmbedAccount): string {
  return `${failure} ${atMs}`;
}
