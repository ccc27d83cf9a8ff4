import fc from "fast-check";
import { marked, type Token } from "marked";
import { expect, test } from "vitest";
import { markdownLines, markdownText } from "./markdown.ts";

/** Every token of a Markdown text, however deep it stands. */
function tokensOf(markdown: string): readonly Token[] {
  const tokens: Token[] = [];
  void marked.walkTokens(marked.lexer(markdown, { gfm: true }), (token) => {
    tokens.push(token);
  });
  return tokens;
}

const plain = new Set(["paragraph", "text", "escape", "space", "br", "code"]);

function formsOf(markdown: string): readonly string[] {
  return tokensOf(markdown)
    .map(({ type }) => type)
    .filter((type) => !plain.has(type));
}

/** What a reader sees. */
function shownText(markdown: string): string {
  const html = marked.parse(markdown, { gfm: true, async: false });
  return html
    .replaceAll(/<br>/gu, "\n")
    .replaceAll(/<[^>]*>/gu, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
}

const attacks = [
  "# A heading",
  "A heading\n===",
  "A heading\n---",
  "[a link](https://evil.example)",
  "https://evil.example and www.evil.example",
  "ftp://evil.example, mailto:a@evil.example, b@evil.example",
  "![](https://evil.example/p.png)",
  "<img src=x onerror=alert(1)> <!-- --> </div>",
  "[x]: https://evil.example\n\n[x]",
  "> quoted\n\n- item\n\n1. item\n\n2) item",
  "| a | b |\n| - | - |\n| 1 | 2 |",
  "***\n\n___\n\n- - -",
  "`code` **bold** ~~gone~~ _it_ &#35; \\# $x$",
  "    # indented\n\n\t# tabbed",
  "<https://evil.example>",
];

test.each(attacks)("[IM11] %j is shown and makes nothing", (text) => {
  expect(formsOf(markdownLines(text))).toEqual([]);
  expect(formsOf(markdownText(text))).toEqual([]);
  expect(shownText(markdownLines(text)).replaceAll(/\s+/gu, " ").trim()).toBe(
    text.replaceAll(/\s+/gu, " ").trim(),
  );
});

test("[IM11] fenced code stays code and ends where it ends", () => {
  const markdown = markdownLines("See:\n```ts\n# not a heading\n````\nstill ` code\n```\n# after");
  const code = tokensOf(markdown).find(({ type }) => type === "code");
  expect(code).toMatchObject({ text: "# not a heading" });
  expect(formsOf(markdown)).toEqual([]);
  expect(formsOf(markdownLines("```\nnever closed\n# x"))).toEqual([]);
});

test("[IM11] whatever a text holds, no parser finds more in it than text and code", () => {
  const part = fc.oneof(
    fc.constantFrom(
      ...attacks.flatMap((attack) => attack.split(/(?<=\W)/u)),
      "\n",
      "\n\n",
      "  ",
      "```",
      "~~~~",
    ),
    fc.string({ unit: "binary", maxLength: 5 }),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
      const text = parts.join("");
      expect(formsOf(markdownLines(text))).toEqual([]);
      expect(formsOf(markdownText(text))).toEqual([]);
      expect(formsOf(`- ${markdownText(text)}`).filter((type) => !type.startsWith("list"))).toEqual(
        [],
      );
    }),
    { seed: 34, numRuns: 2_000 },
  );
});
