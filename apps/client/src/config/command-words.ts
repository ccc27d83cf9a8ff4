/** Characters of a command line, and words of it. */
const charsMax = 2_000;
const wordsMax = 64;

/**
 * The words of a command line, as a shell would tell them apart: by blanks, but for those in single
 * or double quotes or after a backslash. Nothing is expanded and no shell is asked, so `$HOME`, `*`,
 * `|` and `;` are letters like any other (SM1). Undefined where a quote is left open.
 */
export function commandWords(text: string): readonly string[] | undefined {
  if (text.length > charsMax || /\p{Cc}/u.test(text)) return undefined;
  const words: string[] = [];
  let rest = text.trimStart();
  while (rest !== "") {
    const taken = takeWord(rest);
    if (taken === undefined || words.length === wordsMax) return undefined;
    words.push(taken.word);
    rest = taken.rest.trimStart();
  }
  return words.length === 0 || words[0] === "" ? undefined : words;
}

// A backslash takes the next sign's meaning only where it has one: `C:\tools` is a path.
const parts = [
  /^'(?<said>[^']*)'/u,
  /^"(?<quoted>(?:[^"\\]|\\.)*)"/u,
  /^\\(?<said>[\s"'\\])/u,
  /^(?<said>[^\s"'\\]+|\\)/u,
];

function takeWord(text: string): { readonly word: string; readonly rest: string } | undefined {
  let word = "";
  let rest = text;
  while (rest !== "" && !/^\s/u.test(rest)) {
    const found = parts.map((part) => part.exec(rest)).find((match) => match !== null);
    if (found === undefined) return undefined;
    const { said, quoted } = found.groups ?? {};
    word += said ?? (quoted ?? "").replaceAll(/\\(["\\])/gu, "$1");
    rest = rest.slice(found[0].length);
  }
  return { word, rest };
}
