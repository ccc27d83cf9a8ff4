import type { RunFailure } from "./account.ts";

/** Why there is no summary: what is wrong, and the next command to run. */
export interface SummaryTrouble {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

const byHand = "tidemark summarise --dry-run prints what it is given: try the command on that";

/** A run that came to nothing, in words (SM4). Nothing was changed by it. */
export function failureTrouble(failure: RunFailure, seconds: number): SummaryTrouble {
  switch (failure) {
    case "not-there":
      return {
        code: "summariser-not-there",
        message: "the summariser's program cannot be started",
        hint: "name it by its whole path in `summariser` of config.json, then tidemark summarise",
      };
    case "timed-out":
      return {
        code: "summariser-timed-out",
        message: `the summariser was ended after ${seconds} s`,
        hint: "raise `summariserSeconds` in config.json, then tidemark summarise",
      };
    case "not-stored":
      return {
        code: "summary-not-stored",
        message: "the summary could not be stored where its session is",
        hint: "tidemark doctor",
      };
    case "stopped":
      return {
        code: "summariser-stopped",
        message: "the summariser was ended before it had answered",
        hint: "tidemark summarise",
      };
    default:
      return answerTrouble(failure);
  }
}

function answerTrouble(failure: "failed" | "too-much" | "empty"): SummaryTrouble {
  switch (failure) {
    case "failed":
      return {
        code: "summariser-failed",
        message: "the summariser's command failed",
        hint: byHand,
      };
    case "too-much":
      return {
        code: "summariser-too-much",
        message: "the summariser was ended because it wrote more than 256 KiB",
        hint: byHand,
      };
    case "empty":
      return {
        code: "summariser-empty",
        message: "the summariser answered nothing",
        hint: byHand,
      };
  }
}
