import { luhnDigit } from "./checksums.ts";
import type { Random } from "./random.ts";
import { chars } from "./template.ts";

const digits = (text: string): readonly number[] => Array.from(text).map(Number);

function weighed(text: string, weights: readonly number[]): number {
  return digits(text).reduce((sum, digit, index) => sum + digit * (weights[index] ?? 0), 0);
}

/** Draws until a check digit exists: some remainders have none. */
function until(random: Random, draw: (random: Random) => string | undefined): string {
  for (;;) {
    const found = draw(random);
    if (found !== undefined) return found;
  }
}

const two = (value: number): string => String(value).padStart(2, "0");

/** A day of birth: year, month, day in two digits each. */
export function birthday(random: Random): readonly [string, string, string] {
  return [two(random.int(50, 99)), two(random.int(1, 12)), two(random.int(1, 28))];
}

/** Remainder of a long number. */
function modulo(text: string, by: bigint): number {
  return Number(BigInt(text) % by);
}

/** A card number of an issuer, with Luhn's digit, in groups or not. */
export function creditCard(random: Random): string {
  const [prefix, length] = random.pick([
    ["4", 16],
    ["51", 16],
    ["55", 16],
    ["2221", 16],
    ["34", 15],
    ["37", 15],
    ["6011", 16],
    ["3528", 16],
  ] as const);
  const body = prefix + chars(random, "d", length - prefix.length - 1);
  const whole = body + luhnDigit(body);
  const mark = random.pick(["", " ", "-"]);
  const groups =
    length === 15 ? [whole.slice(0, 4), whole.slice(4, 10), whole.slice(10)] : whole.match(/.{4}/g);
  return (groups ?? []).join(mark);
}

/** An account number of a country, with its check digits, in groups of four or not. */
export function iban(random: Random): string {
  const [country, form] = random.pick([
    ["DE", "d18"],
    ["FR", "d20 UP1 d2"],
    ["GB", "UP4 d14"],
    ["NL", "UP4 d10"],
    ["ES", "d20"],
    ["IT", "UP1 d22"],
    ["PL", "d24"],
    ["CH", "d17"],
    ["AT", "d16"],
    ["SE", "d20"],
    ["BE", "d12"],
  ] as const);
  const account = form
    .split(" ")
    .map((part) => {
      const [, alphabet = "d", count = "1"] = /^(d|UP)(\d+)$/.exec(part) ?? [];
      return chars(random, alphabet as "d" | "UP", Number(count));
    })
    .join("");
  const number = Array.from(`${account}${country}00`)
    .map((char) => Number.parseInt(char, 36))
    .join("");
  const whole = `${country}${two(98 - modulo(number, 97n))}${account}`;
  return random.chance(0.5) ? whole : (whole.match(/.{1,4}/g) ?? []).join(" ");
}

/** Spain's DNI, or NIE for residents: a letter by the number modulo 23. */
export function dni(random: Random, isResident: boolean): string {
  const letters = "TRWAGMYFPDXBNJZSQVHLCKE";
  if (!isResident) {
    const number = chars(random, "d", 8);
    return number + (letters[Number(number) % 23] ?? "");
  }
  const first = random.int(0, 2);
  const rest = chars(random, "d", 7);
  return `${"XYZ"[first] ?? ""}${rest}${letters[Number(`${first}${rest}`) % 23] ?? ""}`;
}

/** France's number of the register: its key is 97 less the number modulo 97. */
export function nir(random: Random): string {
  const [year, month] = birthday(random);
  const number = `${random.int(1, 2)}${year}${month}${two(random.int(1, 95))}${chars(random, "d", 6)}`;
  const key = two(97 - modulo(number, 97n));
  if (random.chance(0.5)) return number + key;
  return `${number[0]} ${year} ${month} ${number.slice(5, 7)} ${number.slice(7, 10)} ${number.slice(10)} ${key}`;
}

const oddValues = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23]; // prettier-ignore

/** Italy's tax code with its check letter. */
export function codiceFiscale(random: Random): string {
  const [year, , day] = birthday(random);
  const head = `${chars(random, "UP", 6)}${year}${random.pick(Array.from("ABCDEHLMPRST"))}${day}${chars(random, "UP", 1)}${chars(random, "d", 3)}`;
  const sum = Array.from(head)
    .map((char, index) => {
      const value = /\d/.test(char) ? Number(char) : char.charCodeAt(0) - 65;
      return index % 2 === 0 ? (oddValues[value] ?? 0) : value;
    })
    .reduce((total, value) => total + value, 0);
  return head + String.fromCharCode(65 + (sum % 26));
}

/** Germany's tax number: ISO 7064 MOD 11,10. */
export function steuerId(random: Random): string {
  const order = random.shuffled(Array.from("0123456789"));
  const twice = random.pick(order.slice(1));
  const unsorted = random.shuffled([...order.slice(0, 9), twice]);
  const head = unsorted[0] === "0" ? unsorted.toReversed().join("") : unsorted.join("");
  const safe = head.startsWith("0") ? `5${head.slice(1)}` : head;
  let product = 10;
  for (const digit of digits(safe)) {
    const sum = (digit + product) % 10;
    product = ((sum === 0 ? 10 : sum) * 2) % 11;
  }
  const check = 11 - product;
  return safe + String(check === 10 ? 0 : check);
}

/** Poland's PESEL. */
export function pesel(random: Random): string {
  const head = `${birthday(random).join("")}${chars(random, "d", 4)}`;
  return head + String((10 - (weighed(head, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3]) % 10)) % 10);
}

/** Sweden's personnummer, its last digit by Luhn. */
export function personnummer(random: Random): string {
  const head = birthday(random).join("");
  const serial = chars(random, "d", 3);
  return `${head}-${serial}${luhnDigit(head + serial)}`;
}

/** Finland's personal code. */
export function hetu(random: Random): string {
  const [year, month, day] = birthday(random);
  const serial = String(random.int(2, 899)).padStart(3, "0");
  const check = "0123456789ABCDEFHJKLMNPRSTUVWXY"[Number(day + month + year + serial) % 31] ?? "";
  return `${day}${month}${year}-${serial}${check}`;
}

/** The Netherlands' BSN: the test of eleven. */
export function bsn(random: Random): string {
  return until(random, (draws) => {
    const head = `${draws.int(1, 9)}${chars(draws, "d", 7)}`;
    const check = weighed(head, [9, 8, 7, 6, 5, 4, 3, 2]) % 11;
    return check === 10 ? undefined : head + String(check);
  });
}

/** Belgium's national number. */
export function rijksregister(random: Random): string {
  const [year, month, day] = birthday(random);
  const serial = String(random.int(1, 997)).padStart(3, "0");
  const check = two(97 - (Number(year + month + day + serial) % 97));
  return `${year}.${month}.${day}-${serial}.${check}`;
}

function cpfDigit(head: string, first: number): string {
  const sum = digits(head).reduce((total, digit, index) => total + digit * (first - index), 0);
  const rest = (sum * 10) % 11;
  return String(rest === 10 ? 0 : rest);
}

/** Brazil's number of a person. */
export function cpf(random: Random): string {
  const head = chars(random, "d", 9);
  const one = cpfDigit(head, 10);
  const all = head + one + cpfDigit(head + one, 11);
  return all.replace(/^(...)(...)(...)(..)$/, "$1.$2.$3-$4");
}

/** Brazil's number of a company. */
export function cnpj(random: Random): string {
  const weights = [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2];
  const next = (head: string): string => {
    const rest = weighed(head, weights.slice(weights.length - head.length)) % 11;
    return String(rest < 2 ? 0 : 11 - rest);
  };
  const head = `${chars(random, "d", 8)}0001`;
  const one = head + next(head);
  return (one + next(one)).replace(/^(..)(...)(...)(....)(..)$/, "$1.$2.$3/$4-$5");
}

const verhoeffTimes = [
  "0123456789", "1234067895", "2340178956", "3401289567", "4012395678",
  "5987604321", "6598710432", "7659821043", "8765932104", "9876543210",
]; // prettier-ignore
const verhoeffOrder = [
  "0123456789", "1576283094", "5803796142", "8916043527",
  "9453126870", "4286573901", "2793806415", "7046913258",
]; // prettier-ignore

/** India's Aadhaar: Verhoeff's digit. */
export function aadhaar(random: Random): string {
  const head = `${random.int(2, 9)}${chars(random, "d", 10)}`;
  const inverse = "0432156789";
  const sum = Array.from(head)
    .toReversed()
    .reduce(
      (state, digit, index) =>
        Number(
          verhoeffTimes[state]?.[Number(verhoeffOrder[(index + 1) % 8]?.[Number(digit)] ?? 0)],
        ),
      0,
    );
  const whole = head + (inverse[sum] ?? "");
  return random.chance(0.6) ? whole.replace(/^(....)(....)(....)$/, "$1 $2 $3") : whole;
}

/** Canada's SIN. */
export function sin(random: Random): string {
  const head = `${random.pick([1, 2, 4, 5, 6, 7])}${chars(random, "d", 7)}`;
  return (head + luhnDigit(head)).replace(/^(...)(...)(...)$/, "$1-$2-$3");
}

/** Australia's tax file number: a weighted sum of eleven. */
export function tfn(random: Random): string {
  return until(random, (draws) => {
    const head = `${draws.int(1, 9)}${chars(draws, "d", 7)}`;
    const sum = weighed(head, [1, 4, 3, 7, 5, 8, 6, 9]);
    const check = digits("0123456789").find((digit) => (sum + digit * 10) % 11 === 0);
    return check === undefined ? undefined : (head + String(check)).replace(/(...)(...)(...)/, "$1 $2 $3"); // prettier-ignore
  });
}

/** South Africa's identity number. */
export function southAfrican(random: Random): string {
  const head = `${birthday(random).join("")}${chars(random, "d", 4)}08`;
  return head + luhnDigit(head);
}

/** Korea's registration number. */
export function rrn(random: Random): string {
  const head = `${birthday(random).join("")}${random.int(1, 2)}${chars(random, "d", 5)}`;
  const check = (11 - (weighed(head, [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]) % 11)) % 10;
  return `${head.slice(0, 6)}-${head.slice(6)}${check}`;
}

/** China's identity number: MOD 11-2. */
export function residentId(random: Random): string {
  const [year, month, day] = birthday(random);
  const head = `${random.pick(["110101", "310115", "440305"])}19${year}${month}${day}${chars(random, "d", 3)}`;
  const weights = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];
  return head + ("10X98765432"[weighed(head, weights) % 11] ?? "");
}

/** Singapore's NRIC. */
export function nric(random: Random): string {
  const first = random.pick(["S", "T"]);
  const body = chars(random, "d", 7);
  const sum = weighed(body, [2, 7, 6, 5, 4, 3, 2]) + (first === "T" ? 4 : 0);
  return first + body + ("JZIHGFEDCBA"[sum % 11] ?? "");
}

/** Britain's number of the health service. */
export function nhs(random: Random): string {
  return until(random, (draws) => {
    const head = `${draws.int(4, 7)}${chars(draws, "d", 8)}`;
    const check = 11 - (weighed(head, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11);
    if (check === 10) return undefined;
    return (head + String(check === 11 ? 0 : check)).replace(/(...)(...)(....)/, "$1 $2 $3");
  });
}

/** Turkey's identity number. */
export function turkish(random: Random): string {
  const head = `${random.int(1, 9)}${chars(random, "d", 8)}`;
  const all = digits(head);
  const odd = all.filter((_, index) => index % 2 === 0).reduce((sum, digit) => sum + digit, 0);
  const even = all.filter((_, index) => index % 2 === 1).reduce((sum, digit) => sum + digit, 0);
  const tenth = (((odd * 7 - even) % 10) + 10) % 10;
  return `${head}${tenth}${(odd + even + tenth) % 10}`;
}

/** The second line of a passport's machine-readable zone. */
export function passportLine(random: Random): string {
  const digit = (text: string): string => {
    const sum = Array.from(text)
      .map(
        (char, index) =>
          (char === "<" ? 0 : Number.parseInt(char, 36)) * ([7, 3, 1][index % 3] ?? 0),
      ) // prettier-ignore
      .reduce((total, value) => total + value, 0);
    return String(sum % 10);
  };
  const number = chars(random, "up", 9);
  const born = birthday(random).join("");
  const ends = `${random.int(27, 34)}${birthday(random).slice(1).join("")}`;
  const personal = "<".repeat(14);
  const parts = [number + digit(number), born + digit(born), ends + digit(ends), `${personal}0`];
  return `${parts[0]}UTO${parts[1]}F${parts[2]}${parts[3]}${digit(parts.join(""))}`;
}
