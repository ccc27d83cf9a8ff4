import { expect, test } from "vitest";
import { endsLine, nextLineStart } from "./line-lead.ts";
import { createScan } from "./scan.ts";

const esc = "\u001b";

/** What follows on the next line, from after the first mark `|` on; nothing if the line goes on. */
function next(text: string): string | undefined {
  const scan = createScan(text.replace("¦", ""), false);
  const start = nextLineStart(scan, text.indexOf("¦"));
  return start < 0 ? undefined : scan.text.slice(start);
}

test("[SC1] a value on the next line begins behind what tools put before it", () => {
  for (const end of [
    "\n",
    "\r\n",
    " \t\n",
    String.raw`\n`,
    String.raw`\r\n`,
    String.raw`\\n`,
    `${esc}[0m\n`,
  ]) {
    expect([end, next(`name:¦${end}value`)]).toEqual([end, "value"]);
  }
  for (const lead of [
    "+",
    "-",
    "2026-01-02T10:11:12Z ",
    "[2026-01-02 10:11:12.123] ",
    "src/a.ts:12:",
    "src/a.ts:12-",
    "12:",
    "12-",
    "  12→",
    "12	",
    String.raw`12\t`,
    "web-1  | ",
    "> ",
    "> > ",
    "# ",
    "// ",
    "* ",
    "; ",
    "-- ",
    "    ",
    "	",
    String.raw`\t`,
    `${esc}[32m`,
    "+    ",
    `  12→${esc}[1m`,
  ]) {
    expect([lead, next(`name:¦\n${lead}value`)]).toEqual([lead, "value"]);
  }
});

test("[SC1] two blank lines are passed, and a third ends the search", () => {
  expect([next("a¦\n\nvalue"), next("a¦\n\n\nvalue"), next("a¦\n\n\n\nvalue")]).toEqual(["value", "value", "\nvalue"]); // prettier-ignore
});

test("[SC1] where the line goes on, or the text ends, there is no next line", () => {
  for (const text of ["a¦ b\nc", "a¦", "a¦\n", "a¦  ", `a¦${" ".repeat(17)}\nb`]) {
    expect([text, next(text)]).toEqual([text, undefined]);
  }
  expect(next(`a¦${" ".repeat(16)}\nb`)).toBe("b");
});

test("[SC4] the search costs no more than a window", () => {
  const cost = (text: string): number => {
    const scan = createScan(text, false);
    nextLineStart(scan, 0);
    return scan.work - text.length;
  };
  expect([cost("ab"), cost("\nab"), cost(`\n${" ".repeat(40)}ab`)]).toEqual([16, 17, 57]);
});

test("[SC1] a line ends behind blanks and colours, in raw text and in escapes", () => {
  const ends = (text: string): boolean => endsLine(text, 0);
  for (const text of [
    "",
    "\n",
    "\r\n",
    " \t\n",
    "...\n",
    "…",
    String.raw`\n`,
    String.raw`\r`,
    '"',
    "'",
    "`",
    "&quot;",
    "</b>",
    `${esc}[0m\n`,
    "... \n",
  ]) {
    expect([text, ends(text)]).toEqual([text, true]);
  }
  for (const text of ["a", " a", "..\n", "<b>", String.raw`\t`, ", ", "&amp;"]) {
    expect([text, ends(text)]).toEqual([text, false]);
  }
});
