/**
 * Estimates the tokens of a text without a tokenizer, whose tables take longer to load than a hook may
 * run: high rather than low, so that a budget holds for what models count (RC26). A text is cut where
 * tokenizers cut one, into runs of letters, digits, marks and blanks, and each run is weighed by
 * how it is spelt: a word is a token or two, an id or a hash one for every two characters.
 */
export function tokensOf(text: string): number {
  let tokens = 0;
  for (const [run] of text.matchAll(runs())) tokens += tokensOfRun(run);
  return Math.ceil(tokens);
}

const runs = (): RegExp =>
  / ?[A-Za-z]*\d[A-Za-z\d]*|[A-Z]?[a-z]+|[A-Z]+|[ \t]{2,}|[\r\n]+|[\x21-\x2F\x3A-\x40\x5B-\x60\x7B-\x7E]+|[\u00C0-\u07FF]+|[\u0080-\u{10FFFF}]|\p{Cc}/gu;

function tokensOfRun(run: string): number {
  const first = run.charCodeAt(0);
  if (first >= 0x8_00) return tokensOfCharacter(first);
  if (first > 0x7f) return 0.6 * run.length + 0.4;
  if (/\d/u.test(run)) return tokensOfMixed(run);
  if (/^[A-Za-z]/u.test(run)) return tokensOfWord(run);
  if (/^\s/u.test(run)) return 1;
  // Code has its pairs of marks, and one token for each.
  return run.length < 4 ? Math.max(1, run.length / 2) : 0.7 * run.length;
}

/** Runs of digits are cut after three, take no blank before them, and letters between them are no word. */
function tokensOfMixed(run: string): number {
  let tokens = run.startsWith(" ") ? 1 : 0;
  for (const part of run.match(/\d+|[A-Za-z]+/gu) ?? []) {
    tokens += /\d/u.test(part) ? Math.ceil(part.length / 3) : Math.ceil(part.length / 1.8);
  }
  return tokens;
}

function tokensOfWord(run: string): number {
  const { length } = run;
  if (length <= 2) return 1;
  if (run === run.toUpperCase()) return Math.ceil(length / 2.5);
  const vowels = run.match(/[aeiouy]/giu)?.length ?? 0;
  const isSpelt = vowels * 5 >= length && !/[^aeiouy]{5}/iu.test(run);
  return isSpelt ? 1 + Math.max(0, Math.ceil((length - 6) / 5)) : Math.ceil(length / 1.8);
}

/** Characters of Asian scripts are one or two, pictures and what is beyond the first plane up to three. */
function tokensOfCharacter(code: number): number {
  if (code >= 0x2e_80 && code <= 0xd7_ff) return 1.3;
  return code >= 0xd8_00 || code >= 0x20_00 ? 2.5 : 1;
}
