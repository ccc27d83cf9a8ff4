import { digitsOf, hasLuhn, isDay, remainder, weighted } from "./digits.ts";

/** Tests on numbers of people, given without the marks between their groups. */
export type IdTest = (id: string) => boolean;

/** A number whose last digit is what the weighted sum of the others leaves to eleven. */
function eleven(weights: readonly number[]): IdTest {
  return (id) => {
    const rest = 11 - (weighted(id.slice(0, -1), weights) % 11);
    return (rest === 11 ? 0 : rest) === digitsOf(id).at(-1);
  };
}

/** A number whose weighted sum is a multiple of another. */
function multiple(weights: readonly number[], of: number): IdTest {
  return (id) => weighted(id, weights) % of === 0;
}

export const isSsn: IdTest = (id) => !/^(?:000|666|9)|^...00|0000$/.test(id);
export const isItin: IdTest = (id) => /^9..(?:5\d|6[0-5]|7\d|8[0-8]|9[0-24-9])/.test(id);
export const isNhs: IdTest = eleven([10, 9, 8, 7, 6, 5, 4, 3, 2]);
export const isNino: IdTest = (id) =>
  /^(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]/.test(id);

const dniLetters = "TRWAGMYFPDXBNJZSQVHLCKE";
export const isDni: IdTest = (id) => id.at(-1) === dniLetters[remainder(id.slice(0, 8), 23)];
export const isNie: IdTest = (id) => isDni("XYZ".indexOf(id[0] ?? "") + id.slice(1));

export const isNir: IdTest = (id) => {
  const month = Number(id.slice(3, 5));
  const body = id.slice(0, 13).replace("2A", "19").replace("2B", "18");
  const isMonth = (month >= 1 && month <= 12) || (month >= 20 && month <= 42) || month >= 50;
  return isMonth && 97 - remainder(body, 97) === Number(id.slice(13));
};

const fiscalOdd = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23]; // prettier-ignore
/** Digits and letters count alike: `0` and `A` are the first of both. */
export const isFiscalCode: IdTest = (id) => {
  const places = Array.from(id, (char) => {
    const value = Number.parseInt(char, 36);
    return value < 10 ? value : value - 10;
  });
  const sum = places
    .slice(0, 15)
    .reduce(
      (total, place, index) => total + (index % 2 === 0 ? (fiscalOdd[place] ?? 0) : place),
      0,
    );
  return sum % 26 === places[15];
};

/** The check of machine-readable documents: letters count from ten, fillers nothing. */
export function machineCheck(text: string): number {
  const weights = [7, 3, 1];
  const sum = Array.from(text, (char, index) => {
    const value = char === "<" ? 0 : Number.parseInt(char, 36);
    return value * (weights[index % 3] ?? 0);
  });
  return sum.reduce((total, each) => total + each, 0) % 10;
}

export const isIdCard: IdTest = (id) => machineCheck(id.slice(0, 9)) === Number(id[9]);
export const isPesel: IdTest = multiple([1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1], 10);
export const isPersonnummer: IdTest = (id) =>
  hasLuhn(id.slice(-10)) && isDay(id.slice(-8, -6), String(Number(id.slice(-6, -4)) % 60));
export const isHetu: IdTest = (id) =>
  "0123456789ABCDEFHJKLMNPRSTUVWXY"[remainder(id.slice(0, 6) + id.slice(-4, -1), 31)] === id.at(-1);
export const isBsn: IdTest = multiple([9, 8, 7, 6, 5, 4, 3, 2, -1], 11);
export const isBelgian: IdTest = (id) =>
  ["", "2"].some((century) => 97 - remainder(century + id.slice(0, 9), 97) === Number(id.slice(9)));

/** Two check digits, each over all before it; a rest of ten counts as nothing. */
function brazilian(weights: readonly number[]): IdTest {
  return (id) =>
    !/^(\d)\1+$/.test(id) &&
    [id.length - 1, id.length].every((end) => {
      const from = weights.slice(weights.length - end + 1);
      return ((weighted(id.slice(0, end - 1), from) * 10) % 11) % 10 === Number(id[end - 1]);
    });
}

export const isCpf: IdTest = brazilian([11, 10, 9, 8, 7, 6, 5, 4, 3, 2]);
export const isCnpj: IdTest = brazilian([6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]);
export const isTfn: IdTest = multiple([1, 4, 3, 7, 5, 8, 6, 9, 10], 11);
export const isMedicare: IdTest = (id) =>
  weighted(id.slice(0, 8), [1, 3, 7, 9, 1, 3, 7, 9]) % 10 === Number(id[8]);
export const isZaId: IdTest = (id) => hasLuhn(id) && isDay(id.slice(2, 4), id.slice(4, 6));
export const isRrn: IdTest = (id) =>
  isDay(id.slice(2, 4), id.slice(4, 6)) &&
  (11 - (weighted(id.slice(0, 12), [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]) % 11)) % 10 ===
    Number(id[12]);
export const isChineseId: IdTest = (id) =>
  isDay(id.slice(10, 12), id.slice(12, 14)) &&
  "10X98765432"[weighted(id.slice(0, 17), [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]) % 11] === id[17]; // prettier-ignore
export const isMyNumber: IdTest = (id) => {
  const rest = weighted(id.slice(0, 11), [6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11;
  return (rest <= 1 ? 0 : 11 - rest) === Number(id[11]);
};
export const isNric: IdTest = (id) => {
  const offset = "TG".includes(id[0] ?? "x") ? 4 : 0;
  const letters = "ST".includes(id[0] ?? "x") ? "JZIHGFEDCBA" : "XWUTRQPNMLK";
  return letters[(weighted(id.slice(1, 8), [2, 7, 6, 5, 4, 3, 2]) + offset) % 11] === id[8];
};
export const isTurkishId: IdTest = (id) => {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0, i = 0, tenth] = digitsOf(id);
  const first = ((a + c + e + g + i) * 7 - (b + d + f + h) + 100) % 10;
  const second = digitsOf(id.slice(0, 10)).reduce((sum, digit) => sum + digit, 0) % 10;
  return tenth === first && second === Number(id[10]);
};
export const isThaiId: IdTest = (id) =>
  (11 - (weighted(id.slice(0, 12), [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 10 ===
  Number(id[12]);
export const isAhv: IdTest = multiple([1, 3], 10);
export const isRut: IdTest = (id) => {
  const body = id.slice(0, -1).padStart(8, "0");
  return "0K987654321"[weighted(body, [3, 2, 7, 6, 5, 4, 3, 2]) % 11] === id.at(-1);
};
export const isCnp: IdTest = (id) => {
  const rest = weighted(id.slice(0, 12), [2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9]) % 11;
  return (rest === 10 ? 1 : rest) === Number(id[12]);
};
export const isNif: IdTest = (id) => {
  const rest = weighted(id.slice(0, 8), [9, 8, 7, 6, 5, 4, 3, 2]) % 11;
  return (rest < 2 ? 0 : 11 - rest) === Number(id[8]);
};
export const isFodselsnummer: IdTest = (id) =>
  eleven([3, 7, 6, 1, 8, 9, 4, 5, 2])(id.slice(0, 10)) &&
  eleven([5, 4, 3, 2, 7, 6, 5, 4, 3, 2])(id);

const issuers = (): RegExp =>
  /^(?:4(?:.{12}|.{15}|.{18})|(?:5[1-5]|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)).*|3[47].{13}|6(?:011|4[4-9]|5).*|62.*|35(?:2[89]|[3-8]\d).*|3(?:0[0-5]|[689]).{11,12}.*)$/;

/** Cards: the first digits are an issuer's, the length is that issuer's, and Luhn's check holds. */
export const isCard: IdTest = (id) =>
  issuers().test(id) && (id.length >= 16 || /^(?:4|3)/.test(id)) && hasLuhn(id);

/** What the manuals of processors have people pay with in tests. */
export const testCards = (): RegExp =>
  /^(?:(?:42){8}|41{15}|40128{8}1881|40{9}\d{6}|40000\d0000\d{6}|400005665566555\d|5{12}4{4}|5200828282828210|5105105105105100|2223003122003222|378282246310005|371449635398431|60111{11}7|6011000990139424|3056930009020004|30569309025904|38520000023237|3530111333300000|3566002020360505|6200000000000005)$/;

let ibanLengths: ReadonlyMap<string, number> | undefined;

function lengthsOfIbans(): ReadonlyMap<string, number> {
  return new Map(
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 FI18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SE24 SI19 SK24 SM27 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20"
      .split(" ")
      .map((each) => [each.slice(0, 2), Number(each.slice(2))]),
  );
}

/** An account number: its country's length; the checksum is another test's. */
export const hasIbanLength: IdTest = (id) =>
  (ibanLengths ??= lengthsOfIbans()).get(id.slice(0, 2)) === id.length;
