/** Letters that look like Latin ones, in words that mix scripts. */
const lookAlikes = new Map(
  Object.entries({
    а: "a",
    е: "e",
    о: "o",
    р: "p",
    с: "c",
    у: "y",
    х: "x",
    і: "i",
    ѕ: "s",
    ј: "j",
    ԁ: "d",
    һ: "h",
    ո: "n",
    м: "m",
    т: "t",
    к: "k",
    в: "b",
    н: "h",
    г: "r",
    ɡ: "g",
    α: "a",
    ε: "e",
    ι: "i",
    ο: "o",
    ρ: "p",
    τ: "t",
    υ: "u",
    ν: "v",
    κ: "k",
    ı: "i",
  }),
);

/** Digits and signs that stand for letters in words that hold letters as well. */
const digitLetters = new Map(
  Object.entries({ "0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "@": "a", $: "s" }),
);

const wordsOf = (): RegExp => /[\p{L}\p{M}\p{N}_@$.'’-]+/gu;

/** Characters that nobody sees, and marks above and below letters. */
const unseen = (): RegExp => /[\p{Cf}\p{Mn}\u{FE00}-\u{FE0F}]/gu;

/**
 * The words of a text as a reader would say them: small letters, without what is not seen, letters
 * that only look like others told as those, and single letters in a row joined.
 */
export function plainWords(text: string): readonly string[] {
  const words: string[] = [];
  let spelt = "";
  const endSpelling = (): void => {
    if (spelt.length >= 4) words.push(...splitSpelt(spelt));
    spelt = "";
  };
  for (const [found] of text.normalize("NFKD").replaceAll(unseen(), "").matchAll(wordsOf())) {
    const trimmed = found.replaceAll(/^[.'’-]+|[.'’-]+$/g, "");
    if (trimmed === "") continue;
    const word = plainWord(trimmed);
    if (isOneLetter(word)) spelt += word;
    else endSpelling();
    words.push(word);
    // `skip-permissions` is a word of its own and two others.
    if (/[-.'’_]/.test(word)) words.push(...word.split(/[-.'’_]+/).filter((part) => part !== ""));
  }
  endSpelling();
  return words;
}

function isOneLetter(word: string): boolean {
  return word.length === 1 && /\p{L}/u.test(word);
}

function plainWord(found: string): string {
  const word = found.toLowerCase();
  if (/^[a-z]+$/.test(word)) return word;
  if (!/[a-z]/.test(word)) return word;
  return Array.from(word)
    .map((letter) => lookAlikes.get(letter) ?? digitLetters.get(letter) ?? letter)
    .join("");
}

/** Where spelt letters had no gap between words, the words that matter are looked for in them. */
const speltWords = [
  "ignore",
  "disregard",
  "forget",
  "previous",
  "prior",
  "earlier",
  "instructions",
  "instruction",
  "rules",
  "prompt",
  "system",
  "secret",
  "secrets",
  "token",
  "send",
  "upload",
  "execute",
] as const;

function splitSpelt(letters: string): readonly string[] {
  return speltWords
    .map((word) => ({ word, at: letters.indexOf(word) }))
    .filter(({ at }) => at >= 0)
    .toSorted((left, right) => left.at - right.at)
    .map(({ word }) => word);
}
