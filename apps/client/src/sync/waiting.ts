/** Where this person waits to be let in (NS24), as a home keeps what `hello` tells of it. */
import type { WaitingPlace } from "@tidemark/protocol/wire";

/** Name under which the store keeps it. */
export const waitingName = "account.waiting";

interface KeptWaiting {
  readonly server: string;
  readonly places: readonly WaitingPlace[];
}

/** What the store keeps of one answer; a later answer takes its place whole. */
export function waitingText(server: string, places: readonly WaitingPlace[]): string {
  const kept: KeptWaiting = { server, places };
  return JSON.stringify(kept);
}

/** Where the person waits, as far as this device knows. */
export function readWaiting(text: string | undefined, server: string): readonly WaitingPlace[] {
  if (text === undefined) return [];
  const kept = JSON.parse(text) as KeptWaiting;
  return kept.server === server ? kept.places : [];
}
