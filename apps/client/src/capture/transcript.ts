import type { AgentEvent } from "./event.ts";

/** A damaged line that was passed over: its number, from 1, and why. */
export interface TranscriptSkip {
  readonly line: number;
  readonly reason: string;
}

/** Reads a transcript line by line and tells what hooks would have told. */
export interface TranscriptReader {
  /** The events that this line completes, in order. */
  readLine(text: string): readonly AgentEvent[];
  /** The events that the end of the transcript completes. Call it once, last. */
  end(): readonly AgentEvent[];
  /** The damaged lines so far, at most {@link skipsMax} of them. */
  readonly skips: readonly TranscriptSkip[];
}

/** Most damaged lines that a reader records. */
export const skipsMax = 1_000;
