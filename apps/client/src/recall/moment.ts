import type { NamespaceId } from "@tidemark/protocol";
import type { Observation } from "../store/observation.ts";
import type { RecallReads, RecallSessions } from "./reads.ts";
import type { Work } from "./work.ts";

/** What recall is built from. */
export interface RecallDeps {
  readonly reads: RecallReads;
  readonly sessions: RecallSessions;
  readonly clock: { nowMs(): number };
  readonly random: { bytes(count: number): Uint8Array };
  readonly scrub: (text: string) => string;
}

/** The moment that asks for memory. */
export interface Moment {
  readonly project: string | undefined;
  readonly namespaces?: readonly NamespaceId[];
  /** Namespaces that only this person writes to: their records are never other people's. */
  readonly ownNamespaces?: ReadonlySet<NamespaceId>;
  /** Items that this session made or was given are not given again (RC4). */
  readonly session?: string;
  /** Given: items that answer it. Not given: what a new session should know. */
  readonly prompt?: string;
  /** What is being worked on: what is about it goes up (RC24, RC28). */
  readonly work?: Work | undefined;
  readonly tokensMax: number;
  readonly charsMax: number;
  /** Names what got no room as well. */
  readonly explains?: boolean;
  /** What comes before all else, such as work that was handed over. */
  readonly leading?: readonly Observation[];
}
