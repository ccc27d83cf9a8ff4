import type { Result } from "@tidemark/protocol";
import type { EditError } from "./edit-error.ts";

/** Where an agent's settings lie and what they are to start. Paths are absolute. */
export interface Place {
  /** The person's home. */
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The operating system, as Node calls it. */
  readonly system: string;
  /** A file that starts Tidemark with the arguments it is given; its path stays the same. */
  readonly launcher: string;
}

/** One settings file of an agent, and what installing changes in it. */
export interface AgentFile {
  readonly path: string;
  /** What it gets, such as `hooks`. */
  readonly part: string;
  /** Whether the agent starts it. */
  readonly isProgram?: boolean;
  /** The file's text with Tidemark in it; the same text where it is in it already. */
  install(text: string): Result<string, EditError>;
  /** The file's text without Tidemark. */
  uninstall(text: string): Result<string, EditError>;
}

/** How Tidemark is put into one agent, and taken out of it. */
export interface AgentSetup {
  /** Its name on the command line. */
  readonly name: string;
  /** Its own name for itself. */
  readonly title: string;
  /** Where one of these is, the agent is on this machine. */
  traces(place: Place): readonly string[];
  files(place: Place): readonly AgentFile[];
  /** What a person does next. */
  readonly next: string;
}
