import { expect, test } from "vitest";
import { isBase64Key, isStrong, isUnmistakable, isUuid } from "./strength.ts";

const joined = (...pieces: readonly string[]): string => pieces.join("");
const key = joined("Zk3vQ9xB7mW2pL", "8nR4tY6uJ1");

test("[SC1] a key in base64 has both cases, many characters and a length", () => {
  expect([isBase64Key(key), isBase64Key(`${key}==`), isBase64Key(`base64:${key}`)]).toEqual([true, true, true]); // prettier-ignore
  expect(isBase64Key(`${key}===`)).toBe(false);
  expect([isBase64Key(key.slice(1)), isBase64Key(`${key.slice(1)}=`)]).toEqual([false, true]);
  expect([isBase64Key(key.toLowerCase()), isBase64Key(key.toUpperCase())]).toEqual([false, false]);
  expect([isBase64Key(`-${key}.`), isBase64Key(`${key} `), isBase64Key(`!${key}`)]).toEqual([false, false, false]); // prettier-ignore
  expect(isBase64Key("aB1aB1aB1aB1aB1aB1aB1aB1")).toBe(false);
  expect(isBase64Key("usr/local/Lib/node/Modules/x")).toBe(false);
  expect([isBase64Key("aBcDeFgHiJkLm1aBcDeFgHiJ"), isBase64Key("aBcDeFgHiJkLmaBcDeFgHiJk")]).toEqual([true, false]); // prettier-ignore
});

test("[SC10] a UUID is one whole, or cut off by a limit of length", () => {
  const uuid = "0f8fad5b-d9cb-469f-a165-70867728950e";
  for (const good of [
    uuid,
    uuid.toUpperCase(),
    uuid.slice(0, 30),
    uuid.slice(0, 25),
    uuid.slice(0, 20),
  ]) {
    expect([good, isUuid(good)]).toEqual([good, true]);
  }
  for (const bad of [
    uuid.slice(0, 19),
    `${uuid}0`,
    uuid.replaceAll("-", ""),
    uuid.replace("0f", "0g"),
    uuid.slice(1),
    `${uuid.slice(0, 8)}_${uuid.slice(9)}`,
    uuid.slice(0, 24),
  ]) {
    expect([bad, isUuid(bad)]).toEqual([bad, false]);
  }
});

test("[SC1] strong is what has letters, digits or marks, and is no word and no address", () => {
  for (const strong of ["abc123", "abc!de", "x@yzab", key, `k/${key}`.slice(2)]) {
    expect([strong, isStrong(strong)]).toEqual([strong, true]);
  }
  for (const weak of [
    "abc12",
    "abcdef",
    "123456",
    "don't1".replace("1", ""),
    "http://a1",
    "path/to1",
    "key:val1",
  ]) {
    expect([weak, isStrong(weak)]).toEqual([weak, false]);
  }
  expect(isStrong(joined("qXzJvKqW", "fGbT"))).toBe(true);
  expect(isStrong(joined("abc", "/Zk3vQ9xB7mW2pL8nR4tY6uJ1"))).toBe(true);
});

test("[SC1] unmistakable is what no word, no path and no expression looks like", () => {
  for (const value of [
    joined("Xk7#m", "Q2v"),
    key,
    `${key}/${key.slice(3)}`,
    joined("Lantern", "4071", "*"),
    joined("qXzJvKqW", "fGbT"),
    joined("aB3_", "xY9!q"),
  ]) {
    expect([value, isUnmistakable(value)]).toEqual([value, true]);
  }
  for (const value of [
    joined("Xk7#m", "Q2"),
    "sunshine",
    "sunshine12",
    "Sunshine123",
    "a(b1C2d3E4)",
    "path/To1/File2",
    "some_Name_1234",
    "name=Value12",
    "abcdefghijkl",
    "{abc: 1, D: 2}",
    "UPPER12345",
    "lower12345",
    "aaaaaaaaaaaaaaaaaaA1",
    "Some-Long-Name-Of-2024-x",
  ]) {
    expect([value, isUnmistakable(value)]).toEqual([value, false]);
  }
});
