/** Characters that an embedder is given: models read some hundred words, and cut the rest. */
const handedCharsMax = 2_000;

/** A text as an embedder is given it (RC33): cut, and not within a character, which it may refuse. */
export function handedText(text: string): string {
  return text.slice(0, handedCharsMax).replace(/[\uD800-\uDBFF]$/u, "");
}
