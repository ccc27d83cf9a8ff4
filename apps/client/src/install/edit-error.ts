/** Why a settings file of an agent is left as it is; nothing was changed. */
export interface EditError {
  /** What is wrong, without the file's name. */
  readonly message: string;
  /** What a person can do about it. */
  readonly hint: string;
}
