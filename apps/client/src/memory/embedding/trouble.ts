/** Why a run of the embedder gave no vectors. */
export type EmbedFailure =
  | "not-there"
  | "timed-out"
  | "failed"
  | "too-much"
  | "unreadable"
  | "stopped";

/** The same for a person: what is wrong, and the next command to run. */
export interface EmbedTrouble {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

const byHand =
  'try it by hand: echo \'{"role":"query","text":"a test"}\' into the command has to print one line, a JSON array of numbers'; // prettier-ignore

/** What a run that came to nothing says. Memory is as it was, and found by words as ever (RC32). */
export function embedTrouble(failure: EmbedFailure, seconds: number): EmbedTrouble {
  const code = `embedder-${failure}`;
  switch (failure) {
    case "not-there":
      return {
        code,
        message: "the embedder's program cannot be started",
        hint: "name it by its whole path in `embedder` of config.json, then tidemark embed",
      };
    case "timed-out":
      return {
        code,
        message: `the embedder was ended after ${seconds} s`,
        hint: "raise `embedderSeconds` in config.json, then tidemark embed",
      };
    case "failed":
      return { code, message: "the embedder's command failed", hint: byHand };
    case "too-much":
      return { code, message: "the embedder was ended because it wrote too much", hint: byHand };
    case "unreadable":
      return { code, message: "the embedder did not answer one vector a line", hint: byHand };
    case "stopped":
      return {
        code,
        message: "the embedder was ended before it had answered",
        hint: "tidemark embed",
      };
  }
}
