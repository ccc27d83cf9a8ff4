/**
 * The database cannot do this now: it is away, a lock timed out, or the connection was lost during
 * a commit and nobody knows the outcome. Safe to try again: a push is a compare-and-swap (PS1).
 */
export class StoreUnavailable extends Error {
  constructor(cause: unknown) {
    super("the database cannot do this now", { cause });
    this.name = "StoreUnavailable";
  }
}
