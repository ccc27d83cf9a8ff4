import type { SecretCheck, Suspects } from "./sync-deps.ts";

/** Of fewer lines a look of their own costs more than it saves. */
const linesAtOnce = 64;

/** The look for secrets in lines that come bit by bit: it begins with as many as are worth it. */
export class Looks {
  readonly #secrets: SecretCheck;
  readonly #begun: { readonly from: number; readonly end: ReturnType<SecretCheck["look"]> }[] = [];
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
    for (const { from, end } of this.#begun) {
      for (const place of await end()) places.add(from + place);
    }
    return places;
  }

  #begin(): void {
    const lines = this.#waiting;
    this.#begun.push({ from: this.#from, end: this.#secrets.look(lines) });
    this.#from += lines.length;
    this.#waiting = [];
  }
}
