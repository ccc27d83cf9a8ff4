/**
 * The database refuses a row for what it holds, such as by a check, a trigger or a limit of its
 * own: nothing of the transaction was kept, and trying the same again ends the same.
 */
export class RowRefused extends Error {
  /** What the database calls it; five letters and digits, nothing of the row. */
  readonly sqlState: string;

  constructor(sqlState: string, cause?: unknown) {
    super("the database refuses a row", { cause });
    this.name = "RowRefused";
    this.sqlState = sqlState;
  }
}
