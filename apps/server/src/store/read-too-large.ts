/** What was asked for at once holds more than the asker has room for; nothing of it was given. */
export class ReadTooLarge extends Error {
  constructor() {
    super("the records hold more than is read at once");
    this.name = "ReadTooLarge";
  }
}
