import { describe, expect, test } from "vitest";
import {
  backslashesBefore,
  endsEscape,
  skipAnsi,
  skipEscapeTail,
  startsToken,
  unescapeJson,
  unescapePercent,
} from "./escapes.ts";

const esc = "\u001b";

test("[SC8] backslashes are counted up to what stands before them", () => {
  expect(backslashesBefore(String.raw`ab\\\c`, 5)).toBe(3);
  expect(backslashesBefore(String.raw`ab\\\c`, 4)).toBe(2);
  expect(backslashesBefore(String.raw`ab\\\c`, 6)).toBe(0);
  expect(backslashesBefore(String.raw`\\`, 2)).toBe(2);
  expect(backslashesBefore("abc", 0)).toBe(0);
  expect(backslashesBefore("\\".repeat(63), 63)).toBe(63);
  expect(backslashesBefore("\\".repeat(80), 80)).toBe(64);
});

describe("the start of a token", () => {
  test.each([
    "=",
    " ",
    "_",
    "-",
    "é",
    "\n",
    '"',
    ...["n", "r", "t", "b", "f", "0"].map((letter) => `\\${letter}`),
    "%3D",
    "%0a",
    "\\u0022",
    "\\u003d",
    "\\x22",
    "\\x3D",
    `${esc}[0m`,
    `${esc}[1;31m`,
    `${esc}[K`,
    String.raw`\u001b[31m`,
    String.raw`\x1b[m`,
    String.raw`\033[1m`,
    String.raw`\e[0m`,
    String.raw`\u001B[0m`,
    String.raw`\x1B[0m`,
  ])("[SC1] comes after %j", (before) => {
    expect(startsToken(`x${before}TOKEN`, 1 + before.length)).toBe(true);
  });

  test.each([
    "a",
    "Z",
    "7",
    "\\a",
    "\\z",
    "u0022",
    "x22",
    "3D",
    "%g1",
    "%1g",
    "G22",
    "\\yz2",
    "[0m",
    "[31m",
    "a[0m",
    `${esc}0m`,
    "1;31m",
    "\\u00a0[0mq",
    String.raw`\d[0m`,
  ])("[SC10] does not come after %j", (before) => {
    expect(startsToken(`x${before}TOKEN`, 1 + before.length)).toBe(false);
  });

  test("[SC1] comes at the start of the text", () => {
    expect(startsToken("TOKEN", 0)).toBe(true);
    expect(startsToken("", 0)).toBe(true);
  });

  test("[SC4] colours of more than two dozen characters are none", () => {
    const colour = (digits: number): string => `${esc}[${"1".repeat(digits)}m`;
    expect(endsEscape(colour(22), 24 + 1)).toBe(true);
    expect(endsEscape(colour(23), 25 + 1)).toBe(false);
  });
});

test("[SC1] what runs back into an escape begins after it", () => {
  const from = (text: string, start: number): string =>
    text.slice(skipEscapeTail(text, start, text.length));
  expect(from(String.raw`\nabc`, 1)).toBe("abc");
  expect(from(String.raw`\u0022abc`, 1)).toBe("abc");
  expect(from("%3Dabc", 1)).toBe("abc");
  expect(from(`${esc}[31mabc`, 2)).toBe("abc");
  expect(from(`${esc}[1;31mabc`, 4)).toBe("abc");
  expect(from("=nabc", 1)).toBe("nabc");
  expect(from("nabc", 0)).toBe("nabc");
  expect(from(String.raw`\qabc`, 1)).toBe("qabc");
  expect(skipEscapeTail(String.raw`\u0022abc`, 1, 5)).toBe(1);
  expect(skipEscapeTail(String.raw`\u0022abc`, 1, 6)).toBe(6);
});

test("[SC1] colours are passed, raw or written, a few one after the other", () => {
  const after = (text: string): string => text.slice(skipAnsi(text, 0));
  for (const colour of [
    `${esc}[0m`,
    `${esc}[K`,
    `${esc}[38;5;208m`,
    String.raw`\u001b[1m`,
    String.raw`\\u001B[1m`,
    String.raw`\x1b[0m`,
    String.raw`\033[0;1m`,
    String.raw`\e[m`,
  ]) {
    expect(after(`${colour}value`)).toBe("value");
    expect(after(`${colour.repeat(4)}value`)).toBe("value");
    expect(after(`${colour.repeat(5)}value`)).toBe(`${colour}value`);
  }
  for (const other of [
    `${esc}]0;title`,
    `${esc}0m`,
    "[0m",
    String.raw`\n[0m`,
    String.raw`\e0m`,
    "value",
    "",
  ]) {
    expect(after(other)).toBe(other);
  }
  expect(after(`${esc}[${"1".repeat(22)}mvalue`)).toBe("value");
  expect(after(`${esc}[${"1".repeat(23)}mvalue`)).toBe(`${esc}[${"1".repeat(23)}mvalue`);
});

test("[SC3] escapes of JSON are undone once, and what is none stays", () => {
  expect(unescapeJson(String.raw`a\nb\rc\td\be\ff`)).toBe("a\nb\rc\td\be\ff");
  expect(unescapeJson(String.raw`\"\'\\\/` + "\\`")).toBe("\"'\\/`");
  expect(unescapeJson(String.raw`\u0041\u00e9\u0022`)).toBe('Aé"');
  expect(unescapeJson(String.raw`\d\u00g1\w \u12`)).toBe(String.raw`\d\u00g1\w \u12`);
  expect(unescapeJson(String.raw`\\n`)).toBe(String.raw`\n`);
  expect(unescapeJson("a\\\nb")).toBe("a\\\nb");
  expect(unescapeJson("plain")).toBe("plain");
  expect(unescapeJson("end\\")).toBe("end\\");
});

test("[SC3] percent-encoding is undone where all of it is valid", () => {
  expect(unescapePercent("a%20b%C3%A9")).toBe("a bé");
  expect(unescapePercent("50%-off%20")).toBe("50%-off%20");
  expect(unescapePercent("plain")).toBe("plain");
});
