import { expect, test } from "vitest";
import {
  distinctChars,
  estimateBits,
  hasDenseRun,
  isDrawnRow,
  isMixed,
  isOddlySpelt,
  looksRandom,
  readsAsDrawn,
  readsAsFiller,
  readsAsKey,
} from "./randomness.ts";

/** Pieces, so that no tool takes them for what they look like. */
const joined = (...pieces: readonly string[]): string => pieces.join("");
const drawn = joined("Zk3vQ9xB", "7mW2pL8n", "R4tY6uJ1");

test("[SC10] a stand-in is known by its words, its few characters or one long run", () => {
  for (const body of [
    "your-api-key-1234",
    "my_example_key_12",
    "placeholder1",
    "redacted99",
    "changeme123",
    "change-me-12",
    "change_me_12",
    "replace-this-1",
    "insert1token",
    "key2-goes-here",
    "sample-key-1",
    "dummy12345",
    "abc-xxxx-1234",
    "abcd****1234",
    "abcde1....fgh",
    "aaaa1111",
    "xxxxxxxxxxxx",
    "abcdabcdabcdabcd",
    `${"k".repeat(20)}abcdef1`,
    "AKIAIOSFODNN7EXAMPLE",
    "wJalrXUtnFEMI7K7MDENGbPxRfiCYEXAMPLEKEY",
    "plain-words-in-a-row",
  ]) {
    expect([body, readsAsFiller(body)]).toEqual([body, true]);
  }
});

test("[SC1] what is drawn is no stand-in, even where a word happens to be in it", () => {
  for (const body of [
    drawn,
    joined("a1b2c3", "d4"),
    joined("abcd", "1"),
    // A word in a dense run of letters and digits.
    joined("q7your8Zk3vQ9xB7mW", "2pL8n"),
    // Letters alone, long and unbroken.
    joined("JPXJUIDX", "OYLMGLEY"),
    joined("abcdefgh", "ijklmnop"),
    joined("EXAMPLES", "8dKx92mQpL3z"),
    joined("here", "8dKx92mQpL3z"),
  ]) {
    expect([body, readsAsFiller(body)]).toEqual([body, false]);
  }
  expect(readsAsFiller(joined("abcdefgh", "ijklmno"))).toBe(true);
  expect(readsAsFiller(joined("abcdefgh", "ijklmno-p"))).toBe(true);
  // One character eight times over is half of sixteen, and no more.
  expect(readsAsFiller("aaaaaaaabcdefg12")).toBe(false);
  expect(readsAsFiller("aaaaaaaabcdef12")).toBe(true);
  // What comes after 160 characters is not looked at.
  const long = "a7Kq9ZmX".repeat(20);
  expect(readsAsFiller(long)).toBe(false);
  expect(readsAsFiller(`${long}-your-example`)).toBe(false);
  expect(readsAsFiller(`${long.slice(1)}EXAMPLE`)).toBe(false);
});

test("[SC10] digits and letters are mixed, and dense where sixteen of both stand in turn", () => {
  expect([isMixed("a1"), isMixed("Z9"), isMixed("abc"), isMixed("123"), isMixed("-_")]).toEqual([true, true, false, false, false]); // prettier-ignore
  expect(hasDenseRun("a1b2c3d4e5f6g7h8")).toBe(true);
  expect(hasDenseRun("1abcdefghijklmn2")).toBe(true);
  expect(hasDenseRun("a1b2c3d4e5f6g7h")).toBe(false);
  expect(hasDenseRun("a1b2c3d4-e5f6g7h8")).toBe(false);
  expect(hasDenseRun("abcdefghijklmnopqr1")).toBe(false);
  expect(hasDenseRun("1abcdefghijklmnopqr")).toBe(false);
  expect(hasDenseRun("1234567890123456789")).toBe(false);
});

test("[SC10] letters look drawn by their changes of case, their vowels and their rows", () => {
  // Twelve letters with four changes of case, and with three.
  expect(looksRandom("aBaCeDeGalal")).toBe(true);
  expect(looksRandom("aBaCeDegalal")).toBe(false);
  expect(looksRandom("abacadAbacad")).toBe(false);
  expect(looksRandom("bacedi-bcdfghj-ouai")).toBe(true);
  expect(looksRandom("bacedi-bcdfgha-ouai")).toBe(false);
  expect(looksRandom("BACEDI-BCDFGHJ-OUAI")).toBe(true);
  expect(looksRandom("stronglybuilt")).toBe(false);
  expect(looksRandom("sternlatisent".repeat(2))).toBe(false);
  expect(looksRandom("sternlystrandsplots")).toBe(false);
  expect(looksRandom("strandsplotscrnts")).toBe(true);
  expect(looksRandom("the quick brown fox")).toBe(false);
  expect(looksRandom("1234567890123456")).toBe(false);
  expect(looksRandom("")).toBe(false);
  // Of less than twelve letters the spelling decides, of less than six nothing does.
  expect(looksRandom(joined("qX", "zJvK"))).toBe(true);
  expect(looksRandom(joined("qX", "zJv"))).toBe(false);
  expect(looksRandom("bcdfghjk")).toBe(false);
  expect(looksRandom("PassWord")).toBe(false);
});

test("[SC10] names in code are spelt as words are, and what is drawn is not", () => {
  for (const name of [
    "getUserName",
    "XMLHttpRequest",
    "dbTxCtx",
    "maxRetries",
    "parseJwtToken",
    "lowercase",
    "UPPERCASE",
    "qxzjvk",
    "QXZJVK",
    "",
    "12",
    "aB",
    "readSqlIdFromDbUrl",
    "isOAuthHttpsUrl",
  ]) {
    expect([name, isOddlySpelt(name)]).toEqual([name, false]);
  }
  for (const text of [
    joined("qxZ", "jvKqW"),
    joined("fgQz", "XwVkj"),
    joined("hQxV", "bTzqK-jZx"),
  ]) {
    expect([text, isOddlySpelt(text)]).toEqual([text, true]);
  }
  // A word of five letters or more speaks against it.
  expect(isOddlySpelt(joined("qxZ", "jvK"))).toBe(true);
  expect(isOddlySpelt(joined("qxZ", "jvKWordyTable"))).toBe(false);
  // What comes after 96 characters is not looked at.
  expect(isOddlySpelt(`${"Table".repeat(20)}${joined("qxZ", "jvKqW").repeat(20)}`)).toBe(false);
  // Less is asked where the caller says so.
  expect([isOddlySpelt("Bqat", 1.5), isOddlySpelt("Bqat", 2.4)]).toEqual([true, false]);
  expect([isOddlySpelt("Bqaq", 1.5), isOddlySpelt("Bqaq", 2.4)]).toEqual([true, true]);
});

test("[SC1] small letters in a row are drawn where their pairs are in no word", () => {
  expect(isDrawnRow(joined("qxzjvkqw", "fgbtzqkj"))).toBe(true);
  expect(isDrawnRow("understandingwords")).toBe(false);
  expect(isDrawnRow(joined("qxzjvkqw", "fgbtzq"))).toBe(false);
  expect(isDrawnRow(joined("qxzjvkqw", "fgbtzqk"))).toBe(true);
  expect(isDrawnRow(joined("qxzjvkqw", "fgbtzqkj").repeat(2))).toBe(true);
  expect(isDrawnRow(`${joined("qxzjvkqw", "fgbtzqkj").repeat(2)}a`)).toBe(false);
  expect(isDrawnRow(joined("qxzjvkqw", "fgbtzqK"))).toBe(false);
  expect(isDrawnRow(joined("1qxzjvkqw", "fgbtzqkj"))).toBe(false);
  expect(isDrawnRow(joined("qxzjvkqw", "fgbtzqkj1"))).toBe(false);
});

test("[SC3] characters are counted up to what is asked for", () => {
  expect(distinctChars("aabbcc", 9)).toBe(3);
  expect(distinctChars("abcdef", 4)).toBe(4);
  expect(distinctChars("abc", 3)).toBe(3);
  expect(distinctChars("", 3)).toBe(0);
});

test("[SC3] bits are estimated from the kinds of characters, and halved for what people choose", () => {
  const bits = (secret: string): number => Math.round(10 * estimateBits(secret)) / 10;
  expect(bits("abcdefghij")).toBe(23.5);
  expect(bits("ABCDEFGHIJ")).toBe(23.5);
  expect(bits("abcdeFGHIJ")).toBe(26.6);
  expect(bits("0123456789")).toBe(16.6);
  expect(bits("abcde01234")).toBe(25.8);
  expect(bits("!#$%&()*+,")).toBe(21.6);
  expect(bits("abcdefg!#$")).toBe(26.6);
  // Few characters hold less, however many their kind has.
  expect(bits("aaaaaaaaaa")).toBe(10);
  expect(bits("1111111111")).toBe(10);
  expect(bits("abababab")).toBe(12);
  // From twenty characters on nobody chooses.
  expect(bits("abcdefghijabcdefghi")).toBe(44.7);
  expect(bits("abcdefghijabcdefghij")).toBe(94);
  // No more than 128 characters count.
  expect(bits("abcdefghij".repeat(13))).toBe(601.7);
  expect(bits("abcdefghij".repeat(20))).toBe(601.7);
  expect(bits("")).toBe(0);
});

test("[SC10] a token is drawn where a third of it changes between digits and both cases", () => {
  const reads = (text: string): boolean => readsAsDrawn(`  ${text}  `, 2, 2 + text.length);
  expect(reads(joined("a7Kq", "9ZmX"))).toBe(true);
  expect(reads(drawn)).toBe(true);
  for (const text of ["a7kq9zmx", "A7KQ9ZMX", "aKqZmXbV", "12345678", ""])
    expect(reads(text)).toBe(false);
  // Three changes in nine, and in ten.
  expect([reads("abcD9fghi"), reads("abcD9fghij")]).toEqual([true, false]);
  expect([reads("abcDefgh9"), reads("9bcdefghI")]).toEqual([true, false]);
  expect(reads(joined("your", "A1b2C3d4E5-ex"))).toBe(false);
  // No more than 160 characters are looked at.
  expect(reads(`${"a7Kq9ZmX".repeat(20)}${"z".repeat(400)}`)).toBe(true);
  expect(reads(`${"z".repeat(160)}${"a7Kq9ZmX".repeat(60)}`)).toBe(false);
});

test("[SC10] behind its first dash a key is one run that is no stand-in, or drawn between marks", () => {
  const reads = (text: string): boolean => readsAsKey(`  ${text}  `, 2, 2 + text.length);
  expect(reads(joined("sk-a7kq9", "zmxb4c2"))).toBe(true);
  expect(reads("sk-your1key2here")).toBe(false);
  expect(reads("sk-this-is-a-key-1")).toBe(false);
  expect(reads(joined("sk-a7Kq", "-9ZmXb2_Vw3"))).toBe(true);
  expect(reads(joined("toolong12-a7kq9", "zmxb4c2"))).toBe(false);
  expect(reads(joined("abcdefgh-a7kq9", "zmxb4c2"))).toBe(true);
  expect(reads(joined("abcdefghi-a7kq9", "zmxb4c2"))).toBe(false);
});
