import type { PipedAnswer } from "../../platform/piped-answer.ts";

/** Where the command line reads and writes. */
export interface Io {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly isOutTty: boolean;
  readonly isErrTty: boolean;
  readonly hasColour: boolean;
  readonly width: number;
  /** Whether somebody can be asked. */
  readonly hasPerson: boolean;
  /** Asks on standard error; undefined at the end of input. */
  readonly ask: (question: string) => Promise<string | undefined>;
  /** What waits on standard input where nobody can be asked; waits a little for a pipe. */
  readonly pipedAnswer: () => Promise<PipedAnswer>;
  /** All of standard input. */
  readonly stdinText: () => Promise<string>;
  /** Standard input line by line, split at line feeds alone; ends early where the signal aborts. */
  readonly stdinLines: (signal?: AbortSignal) => AsyncIterable<string>;
}
