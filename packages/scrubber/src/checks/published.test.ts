import { expect, test } from "vitest";
import { hasBase58Check } from "./base58.ts";
import { hasBech32Check } from "./bech32.ts";
import { hasLuhn, hasMod11And10, hasMod97, hasVerhoeff } from "./digits.ts";
import * as ids from "./national-ids.ts";
import { sha256 } from "./sha256.ts";

/** Numbers that registers and standards print as examples; each with one that is off by one. */
const published: readonly (readonly [string, (id: string) => boolean, string, string])[] = [
  ["card, Visa", ids.isCard, ["4111", "1111", "1111", "1111"].join(""), ["4111", "1111", "1111", "1112"].join("")],
  ["card, American Express", ids.isCard, ["3782", "822463", "10005"].join(""), ["3782", "822463", "10006"].join("")],
  ["card of no issuer", ids.isCard, ["5555", "5555", "5555", "4444"].join(""), ["9111", "1111", "1111", "1111"].join("")],
  ["IBAN, United Kingdom", isIban, "GB82WEST12345698765432", "GB82WEST12345698765433"],
  ["IBAN, Germany", isIban, "DE89370400440532013000", "DE8937040044053201300"],
  ["NHS", ids.isNhs, "9434765919", "9434765918"],
  ["DNI", ids.isDni, "12345678Z", "12345678A"],
  ["NIE", ids.isNie, "X1234567L", "Y1234567L"],
  ["NIR", ids.isNir, "255081416802538", "255081416802539"],
  ["codice fiscale", ids.isFiscalCode, "RSSMRA85T10A562S", "RSSMRA85T10A562T"],
  ["tax number, Germany", hasMod11And10, "86095742719", "86095742718"],
  ["PESEL", ids.isPesel, "44051401359", "44051401358"],
  ["personnummer", ids.isPersonnummer, "8112289874", "8112289875"],
  ["HETU", ids.isHetu, "131052308T", "131052308U"],
  ["BSN", ids.isBsn, "111222333", "111222334"],
  ["rijksregister", ids.isBelgian, "93051822361", "93051822362"],
  ["CPF", ids.isCpf, "52998224725", "52998224724"],
  ["CNPJ", ids.isCnpj, "11222333000181", "11222333000182"],
  ["Aadhaar", hasVerhoeff, "999941057058", "999941057085"],
  ["SIN", hasLuhn, "046454286", "046454287"],
  ["TFN", ids.isTfn, "123456782", "123456783"],
  ["id of South Africa", ids.isZaId, "8001015009087", "8001015009086"],
  ["id of China", ids.isChineseId, "11010519491231002X", "110105194912310021"],
  ["My Number", ids.isMyNumber, "123456789018", "123456789019"],
  ["NRIC", ids.isNric, "S1234567D", "T1234567D"],
  ["id of Turkey", ids.isTurkishId, "10000000146", "10000000147"],
  ["AHV", ids.isAhv, "7569217076985", "7569217076986"],
  ["RUT", ids.isRut, "123456785", "123456784"],
  ["NIF", ids.isNif, "123456789", "123456788"],
  ["key of Bitcoin", base58, ["5HueCGU8rMjxEXxiPuD5BDku4MkF", "qeZyd4dZ1jvhTVqvbTLvyTJ"].join(""), ["5HueCGU8rMjxEXxiPuD5BDku4MkF", "qeZyd4dZ1jvhTVqvbTLvyTK"].join("")],
  ["bech32", bech32, "A12UEL5L", "A12UEL5M"],
  ["bech32 of BIP 173", bech32, "split1checkupstagehandshakeupstreamerranterredcaperred2y9e3w", "split1checkupstagehandshakeupstreamerranterredcaperredxy9e3w"],
]; // prettier-ignore

function isIban(id: string): boolean {
  return ids.hasIbanLength(id) && hasMod97(id.slice(4) + id.slice(0, 4));
}

function base58(text: string): boolean {
  return hasBase58Check(text, 0, text.length);
}

function bech32(text: string): boolean {
  return hasBech32Check(text, 0, text.length);
}

test.each(published)(
  "[SC12] the check of %s holds for what is published alone",
  (_, check, good, bad) => {
    expect([good, check(good)]).toEqual([good, true]);
    expect([bad, check(bad)]).toEqual([bad, false]);
  },
);

test("[SC12] areas, groups and serials that were never given out are no number", () => {
  const given = (id: string): boolean => ids.isSsn(id);
  expect(["219099999", "000123456", "666123456", "912345678", "123003456", "123450000"].map(given)).toEqual([true, false, false, false, false, false]); // prettier-ignore
  expect(["AB123456C", "BG123456C", "DA123456C"].map(ids.isNino)).toEqual([true, false, false]);
});

test("[SC7] the hash is SHA-256, over one block and over more", () => {
  const hexOf = (text: string): string =>
    Array.from(sha256(Uint8Array.from(text, (char) => char.charCodeAt(0))), (byte) =>
      byte.toString(16).padStart(2, "0"),
    ).join("");
  expect(hexOf("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  expect(hexOf("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")).toBe(
    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
  );
});
