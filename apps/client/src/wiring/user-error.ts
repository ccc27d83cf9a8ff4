/** A start that cannot go on, in words for a person: what is wrong, and the next thing to do. */
export class UserError extends Error {
  readonly code: string;
  readonly hint: string;

  constructor(error: { readonly code: string; readonly message: string; readonly hint: string }) {
    super(error.message);
    this.name = "UserError";
    this.code = error.code;
    this.hint = error.hint;
  }
}
