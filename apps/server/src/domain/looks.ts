import type { Look, SecretCheck, Suspects } from "./sync-deps.ts";

/** Of fewer lines a look of their own costs more than it saves. */
const linesAtOnce = 64;

/** The look for secrets in lines that come bit by bit: it begins with as many as are worth it. */
export class Looks {
  readonly #secrets: SecretCheck;
  readonly #begun: { readonly from: number; readonly look: Look }[] = [];
  #waiting: string[] = [];
  #from = 0;

  constructor(secrets: SecretCheck) {
    this.#secrets = secrets;
  }

  /** Takes more lines, which follow those before. */
  add(lines: readonly string[]): void {
    for (const line of lines) this.#waiting.push(line);
    if (this.#waiting.length >= linesAtOnce) this.#begin();
  }

  /** Places of all lines in which something may be a secret. */
  async end(): Promise<Suspects> {
    if (this.#waiting.length > 0) this.#begin();
    const places = new Set<number>();
    for (const { from, look } of this.#begun) {
      for (const place of await look.end()) places.add(from + place);
    }
    return places;
  }

  /** Instead of the end: nothing that was begun goes on. */
  drop(): void {
    for (const { look } of this.#begun.splice(0)) look.drop();
    this.#waiting = [];
  }

  #begin(): void {
    const lines = this.#waiting;
    this.#begun.push({ from: this.#from, look: this.#secrets.look(lines) });
    this.#from += lines.length;
    this.#waiting = [];
  }
}
