import type { Work } from "../../recall/work.ts";

/** A moment at which an agent may be given memory. */
export interface ContextMoment {
  readonly event: "session-start" | "prompt";
  /** Id of the session's record; what a session was given is remembered under it. */
  readonly session: string;
  readonly project: string;
  /** What the person asked, scrubbed; on a prompt alone. */
  readonly prompt?: string;
  /** What is being worked on; at a session's start alone. */
  readonly work?: Work | undefined;
  /** Why the session starts, such as `compact`: what was given before is then gone. */
  readonly source?: string;
  /** Most characters that the host takes. */
  readonly charsMax: number;
}

/** Picks what an agent is given; recall has one. */
export interface ContextBuilder {
  /** The fenced text, or undefined where nothing is worth its room. */
  build(moment: ContextMoment): string | undefined;
}
