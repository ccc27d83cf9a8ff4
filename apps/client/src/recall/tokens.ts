/**
 * Estimates the tokens of a text without a tokenizer, whose tables take longer to load than a hook may
 * run: high rather than low, so that a budget holds for what models count (RC26). A text is cut where
 * tokenizers cut one, into runs of letters, digits, marks and blanks, and each run is weighed by
 * how it is spelt: a word is a token or two, an id or a hash one for every two characters.
 */
export function tokensOf(text: string): number {
  let tokens = 0;
  for (let at = 0; at < text.length;) {
    const sort = sortAt(text, at);
    const end = endOfRun(text, at, sort);
    tokens += tokensOfRun(text, { at, end, sort });
    at = end;
  }
  return Math.ceil(tokens);
}

/** What a run is made of; letters and digits run on into each other. */
type Sort = "alnum" | "mark" | "blank" | "line end" | "letter" | "other";

interface Run {
  readonly at: number;
  readonly end: number;
  readonly sort: Sort;
}

function sortAt(text: string, at: number): Sort {
  const code = text.charCodeAt(at);
  if (code >= 0x8_00) return "other";
  if (code >= 0x80) return "letter";
  if (isLetter(code) || isDigit(code)) return "alnum";
  if (code === 32 || code === 9) return "blank";
  return code < 32 || code === 127 ? "line end" : "mark";
}

function endOfRun(text: string, at: number, sort: Sort): number {
  let end = at + 1;
  if (sort === "other") return end;
  while (end < text.length && sortAt(text, end) === sort) end += 1;
  return end;
}

function tokensOfRun(text: string, { at, end, sort }: Run): number {
  const length = end - at;
  switch (sort) {
    case "alnum":
      return tokensOfWords(text, at, end);
    case "mark":
      // Code has its pairs of marks, and one token for each.
      return length < 4 ? Math.max(1, length / 2) : 0.7 * length;
    case "blank":
      // One goes with the word after it.
      return length > 1 ? 1 : 0;
    case "line end":
      return 1;
    case "letter":
      return 0.6 * length + 0.4;
    default:
      return tokensOfCharacter(text.charCodeAt(at));
  }
}

/** Characters of Asian scripts are one or two, halves of pictures and what stands alone up to three. */
function tokensOfCharacter(code: number): number {
  if (code >= 0x2e_80 && code <= 0xd7_ff) return 1.3;
  return code >= 0x20_00 ? 2.5 : 1;
}

/** Letters and digits: words, cut before capitals, or what was drawn. */
function tokensOfWords(text: string, start: number, end: number): number {
  const isMixed = holdsDigit(text, start, end);
  // Digits take no blank before them.
  let tokens = isMixed && text.charCodeAt(start - 1) === 32 ? 1 : 0;
  for (let at = start; at < end;) {
    const next = endOfPart(text, at, end);
    tokens += tokensOfPart(text, { at, end: next, isMixed });
    at = next;
  }
  return tokens;
}

function holdsDigit(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (isDigit(text.charCodeAt(at))) return true;
  return false;
}

/** Where digits end, or capitals, or a word with a capital at its head. */
function endOfPart(text: string, start: number, end: number): number {
  const first = text.charCodeAt(start);
  const isPart = isDigit(first) ? isDigit : isSmall(text.charCodeAt(start + 1)) ? isSmall : isSame(first); // prettier-ignore
  let at = start + 1;
  while (at < end && isPart(text.charCodeAt(at))) at += 1;
  return at;
}

function isSame(first: number): (code: number) => boolean {
  return isSmall(first) ? isSmall : isCapital;
}

function tokensOfPart(
  text: string,
  { at, end, isMixed }: { readonly at: number; readonly end: number; readonly isMixed: boolean },
): number {
  const length = end - at;
  if (isDigit(text.charCodeAt(at))) return Math.ceil(length / 3);
  if (isMixed) return Math.ceil(length / 1.8);
  if (length <= 2) return 1;
  if (isCapital(text.charCodeAt(at + 1))) return Math.ceil(length / 2.5);
  return isSpelt(text, at, end)
    ? 1 + Math.max(0, Math.ceil((length - 6) / 5))
    : Math.ceil(length / 1.8);
}

/** Whether letters have vowels as words have: one in five, and no five without one. */
function isSpelt(text: string, start: number, end: number): boolean {
  let vowels = 0;
  let without = 0;
  for (let at = start; at < end; at += 1) {
    const isVowel = "aeiouyAEIOUY".includes(text.charAt(at));
    without = isVowel ? 0 : without + 1;
    if (isVowel) vowels += 1;
    if (without === 5) return false;
  }
  return vowels * 5 >= end - start;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isSmall(code: number): boolean {
  return code >= 97 && code <= 122;
}

function isCapital(code: number): boolean {
  return code >= 65 && code <= 90;
}

function isLetter(code: number): boolean {
  return isSmall(code) || isCapital(code);
}
