import fc from "fast-check";
import { expect, test } from "vitest";
import { commandWords } from "./command-words.ts";
import { readConfig } from "./read-config.ts";

test.each([
  ["claude -p --output-format json", ["claude", "-p", "--output-format", "json"]],
  ["  node   sum.js ", ["node", "sum.js"]],
  ["'/opt/my tools/sum' \"two words\"", ["/opt/my tools/sum", "two words"]],
  ["a'b c'd\"e\" ''", ["ab cde", ""]],
  [String.raw`/opt/my\ tools/sum a\"b "c\"d\\e"`, ["/opt/my tools/sum", 'a"b', String.raw`c"d\e`]],
  [String.raw`C:\tools\sum.exe "C:\x"`, [String.raw`C:\tools\sum.exe`, String.raw`C:\x`]],
  ["sum $HOME * | tee ; rm `x` $(y)", ["sum", "$HOME", "*", "|", "tee", ";", "rm", "`x`", "$(y)"]],
])("[SM1] %j is taken apart into words, and nothing is expanded", (text, words) => {
  expect(commandWords(text)).toEqual(words);
});

test.each(["", "   ", "'open", 'sum "open', "'' x", "sum\nrm", "sum\0", `sum ${"x ".repeat(99)}`])(
  "[SM1] %j is no command",
  (text) => {
    expect(commandWords(text)).toBeUndefined();
  },
);

test("[SM1] words in quotes come back as they were, whatever is in them", () => {
  const word = fc.string({ minLength: 1, maxLength: 20 }).filter((text) => !/\p{Cc}/u.test(text));
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 8 }), (words) => {
      const quoted = words.map((each) => `"${each.replaceAll(/["\\]/gu, String.raw`\$&`)}"`);
      expect(commandWords(quoted.join(" "))).toEqual(words);
    }),
    { numRuns: 500, seed: 11 },
  );
});

test("[SM1] no summariser is set unless a person sets one, and its bounds are numbers", () => {
  const none = readConfig({ env: {} });
  expect(none.ok && none.value).toMatchObject({
    summariser: undefined,
    summariserSeconds: 60,
    summariserRuns: 20,
  });
  const file = { summariser: "sum 'a b'", summariserSeconds: 5, summariserRuns: 0 };
  const set = readConfig({ env: {}, file });
  expect(set.ok && set.value).toMatchObject({
    summariser: ["sum", "a b"],
    summariserSeconds: 5,
    summariserRuns: 0,
  });
  const wrong = readConfig({ env: { TIDEMARK_SUMMARISER: "'open" }, file: { summariserRuns: -1 } });
  expect(wrong.ok ? [] : wrong.error.problems).toHaveLength(2);
});
