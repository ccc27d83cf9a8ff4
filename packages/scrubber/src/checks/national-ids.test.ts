import { expect, test } from "vitest";
import * as ids from "./national-ids.ts";

/** Numbers whose check notices every single digit that is wrong. */
const noticing: readonly (readonly [string, ids.IdTest, string])[] = [
  ["identity card of Germany", ids.isIdCard, "T220001293"],
  ["CNP", ids.isCnp, "1800101221144"],
  ["NHS", ids.isNhs, "9434765919"],
  ["NHS that ends in nothing", ids.isNhs, "9434760070"],
  ["NIR", ids.isNir, "255081416802538"],
  ["PESEL", ids.isPesel, "44051401359"],
  ["BSN", ids.isBsn, "111222333"],
  ["rijksregister", ids.isBelgian, "93051822361"],
  ["CPF", ids.isCpf, "52998224725"],
  ["CNPJ", ids.isCnpj, "11222333000181"],
  ["TFN", ids.isTfn, "123456782"],
  ["id of China", ids.isChineseId, "11010519491231002X"],
  ["My Number", ids.isMyNumber, "123456789018"],
  ["NRIC of the last century", ids.isNric, "S1234567D"],
  ["NRIC", ids.isNric, "T0000003A"],
  ["FIN of the last century", ids.isNric, "F0000000X"],
  ["FIN", ids.isNric, "G0000009X"],
  ["id of Turkey", ids.isTurkishId, "10000000146"],
  ["AHV", ids.isAhv, "7569217076985"],
  ["RUT", ids.isRut, "123456785"],
  ["RUT of seven digits", ids.isRut, "1000005K"],
  ["RUT that ends in nothing", ids.isRut, "100000040"],
  ["NIF", ids.isNif, "123456789"],
  ["DNI", ids.isDni, "12345678Z"],
  ["HETU", ids.isHetu, "131052308T"],
  ["codice fiscale", ids.isFiscalCode, "RSSMRA85T10A562S"],
  ["id of South Africa", ids.isZaId, "8001015009087"],
  ["personnummer", ids.isPersonnummer, "8112289874"],
  ["fødselsnummer", ids.isFodselsnummer, "01018000055"],
];

test.each(noticing)("[SC12] %s: no single digit may be another", (_, check, id) => {
  expect(check(id)).toBe(true);
  for (let at = 0; at < id.length; at++) {
    if (!/\d/.test(id.charAt(at))) continue;
    for (let digit = 0; digit <= 9; digit++) {
      const other = id.slice(0, at) + digit + id.slice(at + 1);
      if (other !== id) expect([other, check(other)]).toEqual([other, false]);
    }
  }
});

test("[SC12] checks that some wrong digits pass refuse the others", () => {
  const passing = (check: ids.IdTest, id: string): number => {
    expect(check(id)).toBe(true);
    return Array.from({ length: 10 * id.length }, (_, index) => {
      const at = Math.floor(index / 10);
      return id.slice(0, at) + (index % 10) + id.slice(at + 1);
    }).filter((other) => other !== id && check(other)).length;
  };
  expect(passing(ids.isThaiId, "1234567890121")).toBe(18);
  expect(passing(ids.isRrn, "8001012345671")).toBe(9);
  // Its last digit counts cards and is checked by nothing.
  expect(passing(ids.isMedicare, "2123456701")).toBe(9);
});

test("[SC12] a number of birth has a day and a month that there are", () => {
  expect(ids.isRrn("8013012345675")).toBe(false);
  expect(ids.isZaId("8013015009083")).toBe(false);
  expect(ids.isPersonnummer("198112289874")).toBe(true);
  // A number that stands for a person without one has sixty more for its day.
  expect(ids.isPersonnummer("8112889871")).toBe(true);
});

test("[SC12] months of a NIR: twelve, those beside them, and from fifty on", () => {
  const check = (month: string): boolean =>
    Array.from({ length: 100 }, (_, key) => `255${month}14168025${String(key).padStart(2, "0")}`).some(ids.isNir); // prettier-ignore
  for (const month of ["01", "12", "20", "42", "50", "99"]) expect([month, check(month)]).toEqual([month, true]); // prettier-ignore
  for (const month of ["00", "13", "19", "43", "49"]) expect([month, check(month)]).toEqual([month, false]); // prettier-ignore
  expect([ids.isNir("255082A16802597"), ids.isNir("255082B16802527")]).toEqual([true, true]);
  expect([ids.isNir("255082B16802597"), ids.isNir("255082A16802527")]).toEqual([false, false]);
});

test("[SC12] a rest that has no digit of its own counts as one that has", () => {
  expect([ids.isCnp("1800101220021"), ids.isCnp("1800101220020")]).toEqual([true, false]);
  expect([ids.isNif("123450020"), ids.isNif("123450080")]).toEqual([true, true]);
  expect(ids.isMyNumber("123456700050")).toBe(true);
});

test("[SC12] who was born from 2000 on has a two before the number", () => {
  expect(ids.isBelgian("05010100113")).toBe(true);
  expect(ids.isBelgian("05010100114")).toBe(false);
});

test("[SC12] the same digit all over is no CPF", () => {
  expect(ids.isCpf("11111111111")).toBe(false);
  expect(ids.isCnpj("00000000000000")).toBe(false);
});

test("[SC12] groups that are given out, and those that never are", () => {
  for (const id of [
    "900501234",
    "900591234",
    "900601234",
    "900651234",
    "900701234",
    "900801234",
    "900881234",
    "900901234",
    "900921234",
    "900941234",
    "900991234",
  ]) {
    expect([id, ids.isItin(id)]).toEqual([id, true]);
  }
  for (const id of [
    "900491234",
    "900661234",
    "900691234",
    "900891234",
    "900931234",
    "800701234",
    "190070123",
  ]) {
    expect([id, ids.isItin(id)]).toEqual([id, false]);
  }
  for (const id of ["123456789", "899456789", "123016789", "123450001", "123450009", "665010001"]) {
    expect([id, ids.isSsn(id)]).toEqual([id, true]);
  }
  for (const id of ["AA123456A", "ZX123456A", "WY123456A", "JR123456A"]) expect([id, ids.isNino(id)]).toEqual([id, true]); // prettier-ignore
  for (const id of ["GB123456A", "ZZ123456A", "NT123456A", "QA123456A", "AO123456A", "1AA123456", "VA123456A"]) expect([id, ids.isNino(id)]).toEqual([id, false]); // prettier-ignore
});

/** A number with its issuer's first digits and Luhn's last digit. */
function cardOf(first: string, chars: number): string {
  const body = first.padEnd(chars - 1, "0");
  const last = Array.from({ length: 10 }, (_, digit) => `${body}${digit}`);
  return last.find((each) => /^\d+$/.test(each) && luhn(each)) ?? "";
}

function luhn(text: string): boolean {
  const sum = Array.from(text)
    .toReversed()
    .map((char, at) => Number(char) * (at % 2 === 0 ? 1 : 2))
    .reduce((total, each) => total + (each > 9 ? each - 9 : each), 0);
  return sum % 10 === 0;
}

test("[SC12] a card has its issuer's first digits and length", () => {
  const cards = (list: string): [string, number][] =>
    list.split(" ").map((each): [string, number] => [each.split(":")[0] ?? "", Number(each.split(":")[1])]); // prettier-ignore
  for (const [first, chars] of cards(
    "4:13 4:16 4:19 51:16 55:16 2221:16 2229:16 223:16 229:16 23:16 26:16 270:16 271:16 2720:16 34:15 37:15 6011:16 644:16 649:16 65:16 62:16 62:19 3528:16 3529:16 353:16 358:16 300:14 305:14 36:14 38:14 39:14 300:15",
  )) {
    expect([first, chars, ids.isCard(cardOf(first, chars))]).toEqual([first, chars, true]);
  }
  for (const [first, chars] of cards(
    "4:14 4:15 4:17 4:18 4:20 50:16 56:16 2220:16 2721:16 272:15 28:16 51:15 35:15 34:14 34:16 37:16 6012:16 643:16 65:15 62:15 3527:16 359:16 306:14 31:14 1:16 7:16 301:13",
  )) {
    expect([first, chars, ids.isCard(cardOf(first, chars))]).toEqual([first, chars, false]);
  }
  expect(ids.isCard("4000000000000001")).toBe(false);
  expect(ids.isCard(`x${cardOf("4", 16)}`)).toBe(false);
});

test("[SC12] an account number has its country's length", () => {
  const of = (country: string, chars: number): boolean => ids.hasIbanLength(country.padEnd(chars, "1")); // prettier-ignore
  for (const [country, chars] of [
    ["DE", 22],
    ["NO", 15],
    ["MT", 31],
    ["FR", 27],
  ] as const) {
    expect([chars - 1, chars, chars + 1].map((each) => of(country, each))).toEqual([false, true, false]); // prettier-ignore
  }
  expect(of("ZZ", 22)).toBe(false);
});
