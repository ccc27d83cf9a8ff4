/** What is wrong with one entry of what a user has asked for, in words for that user. */
export interface ControlFault {
  /** The entry, such as `rules[2] (acme-token)` or `allow.tags[0]`; never a literal's text. */
  readonly where: string;
  /** What is wrong. */
  readonly message: string;
  /** How to write it otherwise. */
  readonly hint: string;
}

/** Thrown by `createScrubber` where literals, rules or allow-lists cannot be used as they are. */
export class ControlError extends Error {
  readonly faults: readonly ControlFault[];

  constructor(faults: readonly ControlFault[]) {
    super(faults.map(({ where, message, hint }) => `${where}: ${message}; ${hint}`).join("\n"));
    this.name = "ControlError";
    this.faults = faults;
  }
}
