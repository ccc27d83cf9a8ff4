/** A failure that the person at the terminal can do something about. */
export class UserError extends Error {
  readonly code: string;
  /** The command to run or the setting to change next. */
  readonly hint: string;
  readonly exitCode: 1 | 2;

  constructor(
    error: { readonly code: string; readonly message: string; readonly hint: string },
    exitCode: 1 | 2 = 1,
  ) {
    super(error.message);
    this.name = "UserError";
    this.code = error.code;
    this.hint = error.hint;
    this.exitCode = exitCode;
  }
}
