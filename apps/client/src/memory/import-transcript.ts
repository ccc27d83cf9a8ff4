import { derivedId, type NamespaceId } from "@tidemark/protocol";
import type { TranscriptReader } from "../capture/transcript.ts";
import type { AgentEvent } from "../capture/event.ts";
import type { Store } from "../store/store.ts";
import { captureEvent, scrubLine } from "./capture.ts";
import type { MemoryDeps } from "./deps.ts";
import type { Scrub } from "./scrub.ts";

/** What came of a transcript so far, by count. */
export interface TranscriptReport {
  readonly events: number;
  /** Observations that were added. */
  readonly added: number;
  /** Events that had been captured before, by a hook or an earlier import. */
  readonly known: number;
  /** Drafts that no namespace took, and events that no store can hold. */
  readonly refused: number;
  /** Damaged lines: number and reason. */
  readonly skipped: readonly { readonly line: number; readonly reason: string }[];
}

/** Takes a transcript in, piece by piece. */
export interface TranscriptImport {
  /** Lines in order; one commit. */
  take(lines: readonly string[]): void;
  /** How many observations came of it so far. */
  added(): number;
  /** What the end of the transcript completes. Call it once, last. */
  end(): TranscriptReport;
}

/** What importing needs: the verbs' means, and a place for how far a file was taken in. */
export interface TranscriptDeps extends MemoryDeps {
  readonly store: MemoryDeps["store"] & Pick<Store, "upkeep">;
}

/** Where an event belongs. */
export type PlaceOf = (event: AgentEvent) => {
  readonly namespace: NamespaceId;
  readonly project: string;
};

/** How a transcript is taken in. */
export interface TranscriptOptions {
  readonly placeOf: PlaceOf;
  /** What scrubs a line before a parser sees it; what scrubs everything else unless given. */
  readonly scrubOf?: (line: string) => Pick<Scrub, "payload" | "text">;
  /** Counts the events that were not taken in before, and changes nothing. */
  readonly isDry?: boolean;
}

/**
 * Imports an agent's transcript as if its hooks had told it (CP66): scrubbed before a parser sees
 * it, and under the same keys, so what was captured already is not captured twice.
 */
export function createTranscriptImport(
  deps: TranscriptDeps,
  reader: TranscriptReader,
  { placeOf, scrubOf = () => deps.scrub, isDry = false }: TranscriptOptions,
): TranscriptImport {
  const counts = { events: 0, added: 0, known: 0, refused: 0 };
  const marks = createMarks(deps);
  // Reading and counting stand outside the transaction: one that meets a damaged index runs twice.
  const take = (events: readonly AgentEvent[], keepMarks: () => void): void => {
    const open = events.filter((event) => !marks.isDone(event));
    counts.events += events.length;
    counts.known += events.length - open.length;
    if (isDry) return;
    const captured = deps.store.transact(() => {
      keepMarks();
      const atMs = deps.clock.nowMs();
      return open.map((event) => captureEvent(deps, event, { ...placeOf(event), atMs }));
    });
    for (const one of captured) {
      counts.known += one.ok && !one.value.isNew ? 1 : 0;
      counts.added += one.ok ? one.value.added.length : 0;
      counts.refused += one.ok ? one.value.refused : 1;
    }
  };
  return {
    take: (lines) => {
      take(
        lines.flatMap((line) => reader.readLine(scrubLine(scrubOf(line), line))),
        marks.keep,
      );
    },
    added: () => counts.added,
    end: () => {
      // What the end completes may not be complete yet: a session that goes on tells it again.
      take(reader.end(), () => {});
      return { ...counts, skipped: reader.skips };
    },
  };
}

interface Mark {
  readonly name: string;
  /** What is kept of the events that were taken in before, in their order. */
  readonly before: string;
  /** The same of those that are read now. */
  now: string;
  /** Whether all that was read so far had been taken in before. */
  isAlong: boolean;
}

/** Characters kept of an event: 25 bits of a hash, and all events before it have to fit as well. */
const traceChars = 5;

/**
 * Which events of a file were taken in before: a session's log keeps its last events alone, so keys do
 * not tell for a long one. How many they were does not tell either: a person who goes back to an
 * earlier prompt has the file written anew from there, and a crash may cut it short.
 */
function createMarks({ store, sha256 }: TranscriptDeps) {
  const bySession = new Map<string, Mark>();
  const markOf = (event: AgentEvent): Mark => {
    const known = bySession.get(event.sessionId);
    if (known !== undefined) return known;
    // Transcripts of sub-agents have their session's id; their first event is their own.
    const name = `transcript:${derivedId(sha256, "transcript", [event.sessionId, event.key])}`;
    const mark = { name, before: store.upkeep.meta(name) ?? "", now: "", isAlong: true };
    bySession.set(event.sessionId, mark);
    return mark;
  };
  return {
    isDone: (event: AgentEvent): boolean => {
      const mark = markOf(event);
      const trace = derivedId(sha256, "event", [event.key]).slice(0, traceChars);
      mark.isAlong &&= mark.before.startsWith(trace, mark.now.length);
      mark.now += trace;
      return mark.isAlong;
    },
    keep: (): void => {
      for (const { name, now, isAlong } of bySession.values()) {
        if (!isAlong) store.upkeep.setMeta(name, now);
      }
    },
  };
}
