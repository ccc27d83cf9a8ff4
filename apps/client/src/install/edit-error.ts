/** Why a settings file of an agent is left as it is; nothing was changed. */
export interface EditError {
  /** What is wrong, without the file's name. */
  readonly message: string;
  /** What a person can do about it. */
  readonly hint: string;
}

/** A member that holds something else than the agent reads there. */
export function malformed(member: string): EditError {
  return {
    message: `"${member}" is not what the agent reads there`,
    hint: "mend it by hand, then run this again",
  };
}
