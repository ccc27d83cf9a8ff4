/** A failure of a command, in words: what is wrong, and the next thing to do. */
export interface Trouble {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  /** 2 where the command was used wrongly, 130 where a signal ended it, else 1. */
  readonly exitCode: 1 | 2 | 130;
}

/** A command that failed. */
export function trouble(error: Omit<Trouble, "exitCode">): Trouble {
  return { ...error, exitCode: 1 };
}

/** A command that was used wrongly. */
export function misuse(message: string, hint: string): Trouble {
  return { code: "usage", message, hint, exitCode: 2 };
}

/** A command that Ctrl-C or a signal ended before it was done (CL65). */
export function interrupted(message: string, hint: string): Trouble {
  return { code: "interrupted", message, hint, exitCode: 130 };
}
