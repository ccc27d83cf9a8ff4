import { expect, test } from "vitest";
import { drawPairCode, drawPairHalf, pairCodeText, parsePairCode } from "./pair-code.ts";

const whole = { code: "WDJBMJHT", half: "7KQ2XN" };

test("[PR2] a code is read however it is typed (abuse 11)", () => {
  for (const text of [
    "WDJB-MJHT-7KQ2XN",
    "wdjbmjht7kq2xn",
    "wd jb-mj ht 7kq-2xn",
    "WDJBMJHT 7KQ2XN",
  ]) {
    expect(parsePairCode(text)).toEqual(whole);
  }
  expect(parsePairCode("wdjb mjht")).toEqual({ code: "WDJBMJHT", half: undefined });
  expect(parsePairCode("WDJB-MJHT-oilOIL")).toEqual({ code: "WDJBMJHT", half: "011011" });
});

test("[PR2] vowels, digits and look-alikes in the server's half are no code (abuse 11)", () => {
  for (const text of [
    "",
    "WDJB",
    "WDJA-MJHT",
    "WDJ8-MJHT",
    "WDJB-MJHT-7KQ2X",
    "WDJB-MJHT-7KQ2XN9",
    "WDJB-MJHT-7KQ2XU",
    // Cyrillic, long s, full width: upper-casing one of them would make a letter of it.
    "ВDJB-MJHT",
    "WDJB-MJHſ",
    "ＷDJB-MJHT",
    "WDJB\u200B-MJHT",
    "WDJB\tMJHT",
    `WDJB-MJHT${" ".repeat(64)}`,
  ]) {
    expect(parsePairCode(text)).toBeUndefined();
  }
});

test("[PR1] both halves are drawn evenly, and what is shown reads back", () => {
  const every = (count: number): Uint8Array => {
    const bytes = Uint8Array.from({ length: count }, (_, index) => (at + index) % 256);
    at += count;
    return bytes;
  };
  let at = 0;
  const seen = new Map<string, number>();
  for (let round = 0; round < 30; round += 1) {
    for (const letter of drawPairCode(every)) seen.set(letter, (seen.get(letter) ?? 0) + 1);
  }
  expect([...seen.keys()].toSorted().join("")).toBe("BCDFGHJKLMNPQRSTVWXZ");
  expect(Math.max(...seen.values()) - Math.min(...seen.values())).toBeLessThan(4);
  at = 0;
  expect(drawPairHalf(every)).toBe("012345");
  const shown = pairCodeText(whole.code, whole.half);
  expect(shown).toBe("WDJB-MJHT-7KQ2XN");
  expect(parsePairCode(shown)).toEqual(whole);
});
