import { describe, expect, test } from "vitest";
import { quotedCharsMax } from "./limits.ts";
import { createScan } from "./scan.ts";
import { quoteAt, readBare, readValue } from "./value.ts";

/** What is read at a place: the quote, the stretch and the value. */
function read(text: string, at = 0, charsMax?: number): readonly string[] {
  const { start, end, quote, value } = readValue(createScan(text, false), at, charsMax);
  const stretch = text.slice(start, end);
  return stretch === value ? [quote, value] : [quote, stretch, value];
}

const bareOf = (text: string): string => readBare(createScan(text, false), 0).value;

describe("[SC1] a bare value", () => {
  test.each([
    "abc def",
    "abc	def",
    "abc\ndef",
    'abc"def',
    "abc'def",
    "abc`def",
    "abc<def",
    "abc>def",
    "abc…",
    "abc&user=x",
    "abc;Port=5",
    'abc,"x":1',
    "abc, def",
    "abc) def",
    "abc]",
    "abc}",
    "abc}}",
    "abc);",
    "abc.",
    "abc,",
    "abc|",
    "abc|other=x",
    "abc%20def",
    "abc%22def",
    "abc%26def",
    "abc%27def",
    "abc%0Adef",
    "abc%0d",
    "abc%3Cdef",
    "abc%3Edef",
    "abc&amp;def",
    "abc&quot;def",
    "abc&#34;def",
    String.raw`abc\ndef`,
    String.raw`abc\"def`,
    "abc\\",
    String.raw`abc\u0022`,
    String.raw`abc\x22`,
    String.raw`abc\t`,
    "abc,other_name: x",
    "abc,$x=1",
  ])("ends before what ends it: %j", (text) => {
    expect(bareOf(text)).toBe("abc");
  });

  test.each([
    "a;b",
    "a,b",
    "a&b",
    "a)b",
    "a]b",
    "a}b",
    "a|b",
    "a%41b",
    "a%2Fb",
    "a%3Db",
    "a:b=c",
    "a&?b",
    "a.b.c",
    String.raw`a\db`,
    String.raw`a\\db`,
    "a#b!c",
    "é-ü",
    "a,bc d",
    "a;1=2",
    "a&#b",
  ])("goes on over what is part of it: %j", (text) => {
    expect(bareOf(`${text}z rest`).startsWith(text.split(" ")[0] ?? "")).toBe(true);
  });

  test("is measured once, from wherever it is read", () => {
    const scan = createScan("  abcdef  xyz", false);
    expect(readBare(scan, 2)).toEqual({ start: 2, end: 8, quote: "", value: "abcdef" });
    expect(scan.work).toBe(13 + 7);
    expect(readBare(scan, 4)).toMatchObject({ start: 4, value: "cdef" });
    expect(readBare(scan, 2)).toMatchObject({ start: 2, value: "abcdef" });
    expect(scan.work).toBe(13 + 7);
    expect(readBare(scan, 8).value).toBe("");
    expect(readBare(scan, 10).value).toBe("xyz");
    expect(scan.work).toBe(13 + 7 + 1 + 4);
    expect(readBare(scan, 2).value).toBe("abcdef");
    expect(scan.work).toBe(13 + 7 + 1 + 4 + 7);
  });
});

test("[SC1] quotes are read at any depth of escaping, three of one as one", () => {
  expect(quoteAt('"', 0)).toEqual({ written: '"', char: '"', level: 0 });
  expect(quoteAt("'", 0)).toEqual({ written: "'", char: "'", level: 0 });
  expect(quoteAt("`", 0)).toEqual({ written: "`", char: "`", level: 0 });
  const escaped = (count: number): unknown => quoteAt(`${"\\".repeat(count)}"`, 0)?.level;
  expect([1, 2, 3, 4, 5, 6, 7, 15].map(escaped)).toEqual([1, undefined, 2, undefined, undefined, undefined, 3, 4]); // prettier-ignore
  for (const written of [
    "&quot;",
    "&#34;",
    "&apos;",
    "&#39;",
    "%22",
    "%27",
    String.raw`\u0022`,
    String.raw`\u0027`,
    String.raw`\x22`,
    String.raw`\\x27`,
  ]) {
    expect(quoteAt(`${written}x`, 0)).toEqual({ written, char: written, level: -1 });
  }
  for (const triple of [
    '"""',
    "'''",
    "```",
    String.raw`\"\"\"`,
    "&quot;".repeat(3),
    String.raw`\u0022`.repeat(3),
  ]) {
    expect(quoteAt(`${triple}x`, 0)).toEqual({ written: triple, char: triple, level: -1 });
  }
  expect(quoteAt('""x', 0)).toMatchObject({ written: '"', level: 0 });
  for (const none of [
    "x",
    "",
    "&amp;",
    "%41",
    String.raw`\n`,
    String.raw`\u0041`,
    String.raw`\x41`,
    "é",
  ]) {
    expect(quoteAt(none, 0)).toBeUndefined();
  }
});

test("[SC1] a quoted value ends at its own quote, and is bare of escapes", () => {
  expect(read('"abc" x')).toEqual(['"', "abc"]);
  expect(read(`"it's" x`)).toEqual(['"', "it's"]);
  expect(read(String.raw`"a\"b" x`)).toEqual(['"', String.raw`a\"b`, 'a"b']);
  expect(read(String.raw`"a\\" x`)).toEqual(['"', String.raw`a\\`, "a\\"]);
  expect(read(String.raw`'a\nb' x`)).toEqual(["'", String.raw`a\nb`]);
  expect(read(String.raw`\"abc\" x`)).toEqual([String.raw`\"`, "abc"]);
  expect(read(String.raw`\"a\\\"b\" x`)).toEqual([String.raw`\"`, String.raw`a\\\"b`, 'a"b']);
  expect(read(String.raw`\"abc" x`)).toEqual([String.raw`\"`, "abc"]);
  expect(read(String.raw`\\\"abc\\\" x`)).toEqual([String.raw`\\\"`, "abc"]);
  expect(read("&quot;abc&quot; x")).toEqual(["&quot;", "abc"]);
  expect(read("&quot;abc def")).toEqual(["&quot;", "abc"]);
  expect(read("%22abc%22&x=1")).toEqual(["%22", "abc"]);
  expect(read('"" x')).toEqual(['"', ""]);
  expect(read("abc x")).toEqual(["", "abc"]);
});

test("[SC1] a quoted value that does not close ends with its line, or where it is long enough", () => {
  expect(read('"abc\ndef"')).toEqual(['"', "abc"]);
  expect(read('"abc\r\ndef"')).toEqual(['"', "abc"]);
  expect(read('"abc def')).toEqual(['"', "abc def"]);
  expect(read('"abcdefgh"', 0, 4)).toEqual(['"', "abcd"]);
  expect(read('"abc\u{1f600}def"', 0, 4)).toEqual(['"', "abc"]);
  expect(read(`"${"x".repeat(quotedCharsMax + 9)}"`)[1]).toHaveLength(quotedCharsMax);
});

test("[SC1] a text of many lines begins and ends with a line", () => {
  expect(read('"""\n  abc\n"""')).toEqual(['"""', "abc"]);
  expect(read('"""abc\n"""')).toEqual(['"""', "abc"]);
  expect(read(String.raw`"""\nabc\n"""`)).toEqual(['"""', "abc"]);
  expect(read('"""\r\nabc\r\n"""')).toEqual(['"""', "abc"]);
  expect(read('"""abc\ndef"""')).toEqual(['"""', "abc\ndef"]);
});

test("[SC1] a value that was cut off ends before the dots that say so", () => {
  const long = "abcdefghijklmnopqrstuvwx";
  for (const dots of ["...", "…", "... (12 more)", "… [cut]", "...(x)"]) {
    expect(read(`"${long}${dots}"`)).toEqual(['"', long]);
  }
  expect(read(`"${long}... and more"`)).toEqual(['"', `${long}... and more`]);
  expect(read(`"${long.slice(4)}..."`)).toEqual(['"', `${long.slice(4)}...`]);
  expect(read(`"${long.slice(3)}..."`)).toEqual(['"', long.slice(3)]);
});

test("[SC4] reading a value costs what it is long", () => {
  const cost = (text: string): number => {
    const scan = createScan(text, false);
    readValue(scan, 0);
    return scan.work - text.length;
  };
  expect(cost('"abc" x')).toBe(5);
  expect(cost("&quot;abc&quot; x")).toBe(4);
  expect(cost("abc x")).toBe(4);
});
