import { expect, test } from "vitest";
import { hasBase32Id } from "./base32.ts";
import { hasBase58Check, toBase58Check } from "./base58.ts";
import { decodeBase64, isPrintable } from "./base64.ts";
import { bech32Check, hasBech32Check } from "./bech32.ts";
import { digitsOf, hasLuhn, hasMod11And10, hasVerhoeff, isDay, weighted } from "./digits.ts";
import { endsJunosPassword } from "./junos.ts";
import { endsInCount, isMadeUp, isMarkedWord } from "./made-up.ts";
import { isWordPhrase } from "./word-phrase.ts";

test("[SC7] an AWS access key has an id in base 32 after its four letters", () => {
  const text = "..AKIAABCDEFGH2345670189";
  expect(hasBase32Id(text, 2, 19)).toBe(true);
  expect(hasBase32Id("..1890ABCDEFGH234567", 2, 20)).toBe(true);
  expect(hasBase32Id(text, 2, 20)).toBe(true);
  expect(hasBase32Id(text, 2, 21)).toBe(false);
  for (const alien of ["0", "1", "8", "9", "a", "-"]) {
    expect(hasBase32Id(`AKIA${alien}BCDEFGH`, 0, 12)).toBe(false);
    expect(hasBase32Id(`AKIAABCDEFG${alien}`, 0, 12)).toBe(false);
    expect(hasBase32Id(`AKIAABCDEFGH${alien}`, 0, 12)).toBe(true);
  }
});

test("[SC10] what Junos stored is no salt of a hash, and has more than three characters", () => {
  expect(endsJunosPassword("$9$abcd ", 0, 7)).toBe(true);
  expect(endsJunosPassword("$9$abca ", 0, 7)).toBe(false);
  expect(endsJunosPassword("$9$abcd$", 0, 7)).toBe(false);
  expect(endsJunosPassword("$9$abcd", 0, 7)).toBe(true);
  expect(endsJunosPassword("xy$9$aaaa", 2, 9)).toBe(false);
});

test("[SC7] every character of base64 has its bits, and any other ends the text", () => {
  const bytes = Uint8Array.from({ length: 48 }, (_, at) => (at * 37 + 11) & 255);
  const all = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  const read = (text: string): number[] => Array.from(decodeBase64(text), (char) => char.charCodeAt(0)); // prettier-ignore
  expect(read(`${all}+/`)).toEqual([...Buffer.from(`${all}+/`, "base64")]);
  expect(read(`${all}-_`)).toEqual([...Buffer.from(`${all}+/`, "base64")]);
  expect(read(Buffer.from(bytes).toString("base64"))).toEqual([...bytes]);
  for (const alien of ["@", "[", "`", "{", ":", ",", ".", "=", " ", "^"]) {
    expect(decodeBase64(`Ym9i${alien}Ym9i`)).toBe("bob");
  }
  expect(decodeBase64("AAAA")).toBe("\0\0\0");
  expect(decodeBase64("")).toBe("");
});

test("[SC20] a decoded text is printable as a whole or not at all", () => {
  expect([" a~\t\r\n", ""].map(isPrintable)).toEqual([true, true]);
  expect(["\u007f", "\u001f", "a\u0000b", "é", "a\u0000", "\u0000a"].map(isPrintable)).toEqual(Array.from({ length: 6 }, () => false)); // prettier-ignore
});

test("[SC7] base58 and bech32 are read where they lie, whole, and up to a length", () => {
  const key = toBase58Check([0x80, ...Array.from({ length: 32 }, (_, at) => at + 1)]);
  expect(hasBase58Check(`ab${key}cd`, 2, 2 + key.length)).toBe(true);
  expect(hasBase58Check(`ab${key}cd`, 1, 2 + key.length)).toBe(false);
  expect(hasBase58Check(`${key.slice(0, -1)}0`, 0, key.length)).toBe(false);
  const zeros = toBase58Check([0, 0, 0, 5]);
  expect(zeros.startsWith("111")).toBe(true);
  expect(hasBase58Check(zeros, 0, zeros.length)).toBe(true);
  expect(hasBase58Check(zeros, 1, zeros.length)).toBe(false);
  const nothing = toBase58Check([]);
  expect(hasBase58Check(nothing, 0, nothing.length)).toBe(false);
  const one = toBase58Check([7]);
  expect(hasBase58Check(one, 0, one.length)).toBe(true);
  const ofBytes = (count: number): string =>
    toBase58Check(Array.from({ length: count }, () => 255));
  const [longest, longer] = [ofBytes(89), ofBytes(90)];
  expect([longest.length, longer.length]).toEqual([128, 129]);
  expect(hasBase58Check(longest, 0, 128)).toBe(true);
  expect(hasBase58Check(longer, 0, 129)).toBe(false);

  const bech = (prefix: string, body: string): string => `${prefix}1${body}${bech32Check(prefix, body)}`; // prettier-ignore
  const good = bech("age", "qpzry9x8gf2tvdw0s3jn54khce6mua7l");
  expect(hasBech32Check(`x${good}y`, 1, 1 + good.length)).toBe(true);
  expect(hasBech32Check(good.toUpperCase(), 0, good.length)).toBe(true);
  expect(hasBech32Check(good.replace("qpz", "qzp"), 0, good.length)).toBe(false);
  expect(hasBech32Check(good.replace("qpz", "bpz"), 0, good.length)).toBe(false);
  const bare = bech("", "qpzry9x8");
  expect(hasBech32Check(bare, 0, bare.length)).toBe(false);
  const ofChars = (count: number): string => bech("a", "q".repeat(count - 8));
  expect(hasBech32Check(ofChars(160), 0, 160)).toBe(true);
  expect(hasBech32Check(ofChars(161), 0, 161)).toBe(false);
});

test("[SC12] sums of digits", () => {
  expect(digitsOf("0a9/:5 ")).toEqual([0, 0, 9, 0, 0, 5, 0]);
  expect(weighted("1234", [1, 10])).toBe(1 + 20 + 3 + 40);
  expect(["0", "18", "26", "59", "79927398713", "91"].map(hasLuhn)).toEqual([true, true, true, true, true, true]); // prettier-ignore
  expect(["1", "19", "27", "79927398710", "90"].map(hasLuhn)).toEqual([false, false, false, false, false]); // prettier-ignore
  expect(["236", "758722", "123451", "84736430954837284567892"].map(hasVerhoeff)).toEqual([true, true, true, true]); // prettier-ignore
  expect(["235", "326", "758712", "123415"].map(hasVerhoeff)).toEqual([false, false, false, false]);
  expect(["07945", "86095742719", "95"].map(hasMod11And10)).toEqual([true, true, false]);
  for (const [month, day, is] of [
    ["01", "01", true],
    ["12", "31", true],
    ["00", "15", false],
    ["13", "15", false],
    ["06", "00", false],
    ["06", "32", false],
  ] as const) {
    expect([month, day, isDay(month, day)]).toEqual([month, day, is]);
  }
});

test("[SC10] a made-up password has its word, its number and its mark, and no name of code has", () => {
  const pieces = (...all: readonly string[]): string => all.join("");
  for (const value of [
    pieces("Cat", "12", "!"),
    pieces("Cat", "1234", "!?#"),
    pieces("Lantern", "-meadow", "93", "!"),
    pieces("A", "b".repeat(36), "12", "!"),
  ]) {
    expect([value, isMarkedWord(value), isMadeUp(value)]).toEqual([value, true, true]);
  }
  for (const value of [
    pieces("Ca", "12", "!"),
    pieces("cat", "12", "!"),
    pieces("Cat", "1", "!"),
    pieces("Cat", "12345", "!"),
    pieces("Cat", "12", "!!!!"),
    pieces("xCat", "12", "!"),
    pieces("Cat", "12", "!x"),
    pieces("Lantern", "-me", "93", "!"),
    pieces("Field", "12", "!"),
    pieces("A", "b".repeat(37), "12", "!"),
  ]) {
    expect([value, isMarkedWord(value)]).toEqual([value, false]);
  }
  const madeUp = [
    "Lantern_meadow57",
    "Lantern.meadow48",
    "abcdEFG123",
    "a1b2EFGH123",
    `${"a".repeat(34)}EFG123`,
  ];
  for (const value of madeUp) expect([value, isMadeUp(value)]).toEqual([value, true]);
  for (const value of [
    "Lantern_meadow5",
    "Lantern_meadow571",
    "La_meadow57",
    "Lantern_me57",
    "xLantern_meadow57",
    "abcEFG123",
    "abcdEF123",
    "abcdEFG12",
    "abcdEFG1234",
    "-abcdEFG123",
    "ABCDEFG123",
    "abcdEFGabc",
    "Lantern_field57",
    `${"a".repeat(35)}EFG123`,
  ]) {
    expect([value, isMadeUp(value)]).toEqual([value, false]);
  }
  for (const value of ["base64", "x.sha2", "word-16", "Type_string64", "buffer4096", "abc512"]) {
    expect([value, endsInCount(value)]).toEqual([value, true]);
  }
  for (const value of ["abc51", "meadow57", "xsha2", "512", "abc512x"]) {
    expect([value, endsInCount(value)]).toEqual([value, false]);
  }
});

test("[SC1] a pass-phrase has four to ten words of three to nine small letters and a vowel each", () => {
  const words = ["marble", "ginger", "otter", "lantern", "cobalt", "velvet", "thistle", "pepper", "canyon", "willow", "saddle"]; // prettier-ignore
  const phrase = (count: number, mark = "-"): string => words.slice(0, count).join(mark);
  expect([3, 4, 10, 11].map((count) => isWordPhrase(phrase(count)))).toEqual([false, true, true, false]); // prettier-ignore
  expect([isWordPhrase(phrase(4, ".")), isWordPhrase(phrase(4, ".")), isWordPhrase(phrase(4, "."), true)]).toEqual([true, true, false]); // prettier-ignore
  expect([isWordPhrase(phrase(4, " ")), isWordPhrase(phrase(4, " "), true)]).toEqual([false, true]);
  expect([isWordPhrase(phrase(4, "")), isWordPhrase(phrase(4, "_")), isWordPhrase("")]).toEqual([false, false, false]); // prettier-ignore
  expect(["7", "27", "127", "2027"].map((count) => isWordPhrase(`${phrase(3)}-${count}`))).toEqual([false, true, true, false]); // prettier-ignore
  expect([isWordPhrase(`${phrase(2)}-27`), isWordPhrase(`${phrase(4)}-27`), isWordPhrase(`${phrase(3, ".")}.27`)]).toEqual([false, true, false]); // prettier-ignore
  const four = (word: string): string => ["marble", "ginger", "otter", word].join("-");
  for (const word of ["owl", "abcdefghi", "sylph"]) expect([word, isWordPhrase(four(word))]).toEqual([word, true]); // prettier-ignore
  for (const word of ["ox", "abcdefghij", "brtk", "Otter", "ott3r", "öl", "", "a b"]) {
    expect([word, isWordPhrase(four(word))]).toEqual([word, false]);
  }
  // Fifteen characters to eighty.
  expect(isWordPhrase("owl-ant-bee-cat")).toBe(true);
  expect(isWordPhrase("owl-ant-bee-ox")).toBe(false);
  const long = Array.from({ length: 8 }, (_, at) => `${"abcdefgh"[at]}aaaaaaaa`).join("-");
  expect([long.length, isWordPhrase(long)]).toEqual([79, true]);
  expect(isWordPhrase(`${long.slice(0, -9)}haaa-aaaaa`)).toBe(true);
  expect(isWordPhrase(`${long.slice(0, -9)}haaa-aaaaaa`)).toBe(false);
  // Three of the words differ.
  expect(isWordPhrase("otter-otter-marble-ginger")).toBe(true);
  expect(isWordPhrase("otter-otter-marble-marble")).toBe(false);
  for (const word of [
    "secret",
    "secrets",
    "token",
    "key",
    "keys",
    "config",
    "password",
    "prod",
    "user",
    "the",
    "and",
  ]) {
    expect([word, isWordPhrase(`${word}-marble-ginger-otter`)]).toEqual([word, false]);
    expect([word, isWordPhrase(`marble-ginger-otter-${word}`)]).toEqual([word, false]);
  }
  expect(isWordPhrase("monkey-marble-ginger-otter")).toBe(true);
  expect(isWordPhrase("keystone-marble-ginger-otter")).toBe(true);
});
