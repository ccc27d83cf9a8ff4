import { throughGlass } from "./glass.ts";
import type { Knowledge } from "./sim-device.ts";

/** One value that somebody wrote. Values are unique words, so that each tells where it came from. */
export interface Token {
  readonly text: string;
  readonly namespace: string;
  readonly record: string;
  readonly field: string;
  /** The record that it goes with when that is forgotten. */
  readonly parent: string | undefined;
  readonly device: string;
  /** What its author had seen in this field, ever, when they wrote it. */
  readonly seen: Set<string>;
  /** Whether the write was acknowledged, or its process died and nobody knows. */
  isAcked: boolean;
  /** Why it may be gone: the last copy was destroyed, or a person gave it up. */
  excuse: "destroyed" | "dropped" | undefined;
  /** Devices on which a person sent it again after a refusal: it is newer than what was written over it. */
  readonly retriedOn: Set<string>;
}

/** A forget that was acknowledged. */
export interface Forgetting {
  readonly namespace: string;
  readonly record: string;
  readonly device: string;
  excuse: "destroyed" | "dropped" | undefined;
}

/**
 * The truth of a run, kept apart from the product: what was written, by whom, knowing what, and what
 * became of the only copies. It knows nothing of clocks, digests, seqs or merges.
 */
export class Oracle {
  readonly tokens = new Map<string, Token>();
  readonly forgettings: Forgetting[] = [];
  /** Losing values that a person looked at and let go. */
  readonly dismissed = new Set<string>();
  #made = 0;

  /** A fresh word for a namespace, which says whose it is wherever it turns up. */
  word(namespaceNumber: number): string {
    this.#made += 1;
    return `wordof${namespaceNumber}no${this.#made}end`;
  }

  wrote(token: Omit<Token, "excuse" | "retriedOn">): void {
    this.tokens.set(token.text, { ...token, excuse: undefined, retriedOn: new Set() });
  }

  forgot(forgetting: Omit<Forgetting, "excuse">): void {
    this.forgettings.push({ ...forgetting, excuse: undefined });
  }

  tombstoneKey({ namespace, record }: Pick<Forgetting, "namespace" | "record">): string {
    return `dead ${namespace}/${record}`;
  }

  /** What a disaster took the last copy of is nobody's fault. */
  destroyed(before: ReadonlySet<string>, after: ReadonlySet<string>): number {
    let count = 0;
    for (const token of this.tokens.values()) {
      if (!before.has(token.text) || after.has(token.text)) continue;
      token.excuse ??= "destroyed";
      count += 1;
    }
    if (count > 0) this.#excuseReplaced(after);
    for (const forgetting of this.forgettings) {
      const key = this.tombstoneKey(forgetting);
      if (!before.has(key) || after.has(key)) continue;
      forgetting.excuse ??= "destroyed";
      this.#excuseErased(forgetting, after);
    }
    return count;
  }

  /** What was forgotten is nowhere by right; once the tombstone is destroyed, nothing says so. */
  #excuseErased({ namespace, record }: Forgetting, held: ReadonlySet<string>): void {
    for (const token of this.tokens.values()) {
      const isOfIt = token.record === record || token.parent === record;
      if (token.namespace !== namespace || !isOfIt || held.has(token.text)) continue;
      token.excuse ??= "destroyed";
    }
  }

  /** What was replaced is nowhere by right; once its successors are destroyed, nothing stands for it. */
  #excuseReplaced(held: ReadonlySet<string>): void {
    const tokens = [...this.tokens.values()];
    for (const token of tokens) {
      if (held.has(token.text) || token.excuse !== undefined) continue;
      const successors = tokens.filter(({ seen }) => seen.has(token.text));
      const isBereft =
        successors.some(({ excuse }) => excuse === "destroyed") &&
        !successors.some(({ text }) => held.has(text));
      if (isBereft) token.excuse = "destroyed";
    }
  }
}

/** Whether a person sent a value again somewhere. */
export function isRetried({ retriedOn }: Token): boolean {
  return retriedOn.size > 0;
}

type Place = Pick<Token, "namespace" | "record" | "field">;

/** Whether two values were written into the same field. */
export function isSamePlace(left: Place, right: Place): boolean {
  return (
    left.namespace === right.namespace && left.record === right.record && left.field === right.field
  );
}

/** Where a field is. */
export function placeOf(namespace: string, record: string, field: string): string {
  return `${namespace}/${record}/${field}`;
}

/** Notes that a device's view showed a value. */
export function learn(knowledge: Knowledge, place: string, value: unknown): void {
  const word = wordOf(value);
  if (word === undefined) return;
  const seen = knowledge.get(place) ?? new Set();
  knowledge.set(place, seen);
  seen.add(word);
}

/** The word of a value, whatever stands beside it. */
export function wordOf(value: unknown): string | undefined {
  return typeof value === "string" ? plainWordsIn(value)[0] : undefined;
}

/** Words in a text, sealed ones too. */
export function wordsIn(text: string): readonly string[] {
  return plainWordsIn(throughGlass(text));
}

/** Words in a text that anybody can read. */
export function plainWordsIn(text: string): readonly string[] {
  return text.match(/wordof\d+no\d+end/g) ?? [];
}
