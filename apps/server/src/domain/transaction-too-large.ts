/** What one transaction would read, or make of it, is more than one may; nothing of it was done. */
export class TransactionTooLarge extends Error {
  constructor() {
    super("too much for one transaction");
    this.name = "TransactionTooLarge";
  }
}
