import type { SnippetKind } from "../corpus/kind.ts";
import { secret } from "../corpus/marks.ts";
import * as check from "../corpus/national-checks.ts";
import type { Random } from "../corpus/random.ts";
import { chars, fill, word } from "../corpus/template.ts";

type Draw = (random: Random) => string;

const firstNames = "maria jonas amelie tomasz ines oliver priya chen".split(" ");
const lastNames = "keller novak moreau rossi santos lindqvist okafor tanaka".split(" ");

function email(random: Random): string {
  const name = `${random.pick(firstNames)}${random.pick([".", "_", ""])}${random.pick(lastNames)}${random.pick(["", String(random.int(1, 99))])}`;
  return `${name}@${random.pick(["gmail.com", "outlook.com", `${word(random)}-consulting.de`, "proton.me"])}`;
}

const international: Draw = (random) =>
  random.pick([
    () => fill(random, "+49 151 <d:8>"),
    () => fill(random, "+44 7911 <d:6>"),
    () => fill(random, "+1 415 8<d:2> <d:4>"),
    () => fill(random, "+33 6 <d:2> <d:2> <d:2> <d:2>"),
    () => fill(random, "+4917<d:8>"),
    () => fill(random, "+1-212-8<d:2>-<d:4>"),
  ])();

const american: Draw = (random) => {
  const area = random.int(100, 665);
  return `${area}-${String(random.int(1, 99)).padStart(2, "0")}-${String(random.int(1, 9999)).padStart(4, "0")}`;
};

/** Ways in which a record shows a field: as a form, a row, a line of a log, a sentence. */
const shown: readonly ((label: string, value: string, random: Random) => string)[] = [
  (label, value) => `${label}: ${value}\n`,
  (label, value) => `{"id": 7, "${key(label)}": "${value}", "active": true}`,
  (label, value) => `The customer's ${label} is ${value}, please update it.`,
  (label, value) => `2026-03-11 10:11:12 INFO signup ${key(label)}="${value}" plan=pro`,
  (label, value) => `INSERT INTO people (id, ${key(label)}) VALUES (7, '${value}');`,
  (label, value) => `id,${key(label)},plan\n7,${value},pro\n`,
  (label, value) => `- ${key(label)}: "${value}"\n  plan: pro`,
  (label, value) => `<${key(label)}>${value}</${key(label)}>`,
  (label, value) => `expect(person.${key(label)}).toBe("${value}");`,
  (label, value) => `| ${label} | ${value} |`,
];

/** Ways without a label. */
const alone: readonly ((value: string) => string)[] = [
  (value) => `Please write to ${value} about it.`,
  (value) => `["a", "${value}", 3]`,
  (value) => `${value}\n`,
  (value) => `found (${value}) in row 3`,
];

const key = (label: string): string => label.toLowerCase().replaceAll(/[^a-z]+/g, "_");

interface About {
  readonly id: string;
  readonly labels: string;
  readonly draw: Draw;
  readonly hasChecksum?: boolean;
  /** Whether it is told without a label as well. */
  readonly isPlain?: boolean;
}

function personal({ id, labels, draw, hasChecksum = false, isPlain = false }: About): SnippetKind {
  return {
    id,
    priority: "P3",
    form: "personal record",
    hasChecksum,
    draw: (random) => {
      const value = secret(draw(random));
      if (isPlain && random.chance(0.3)) return random.pick(alone)(value);
      return random.pick(shown)(random.pick(labels.split("|")), value, random);
    },
  };
}

const checked = (id: string, labels: string, draw: Draw, isPlain: boolean = false): SnippetKind =>
  personal({ id, labels, draw, hasChecksum: true, isPlain });

/** Personal data: with a checksum, or with a label that says what it is. */
export const personalKinds: readonly SnippetKind[] = [
  personal({ id: "email", labels: "email|contact", draw: email, isPlain: true }),
  personal({ id: "phone", labels: "phone|mobile", draw: international, isPlain: true }),
  personal({
    id: "phone-national",
    labels: "phone|telephone|mobile number",
    draw: (random) => random.pick([fill(random, "0171 <d:7>"), fill(random, "(415) 8<d:2>-<d:4>")]),
  }),
  checked("credit-card", "card number|credit card|pan", check.creditCard, true),
  checked("iban", "iban|account", check.iban, true),
  personal({ id: "us-ssn", labels: "ssn|social security number", draw: american }),
  personal({ id: "us-itin", labels: "itin|tax id", draw: (random) => fill(random, "9<d:2>-7<d:1>-<d:4>") }), // prettier-ignore
  personal({
    id: "uk-nino",
    labels: "national insurance number|nino",
    draw: (random) =>
      `${random.pick(["AB", "CE", "JG", "PW"])} ${chars(random, "d", 2)} ${chars(random, "d", 2)} ${chars(random, "d", 2)} ${random.pick(["A", "B", "C", "D"])}`,
  }),
  checked("uk-nhs", "nhs number", check.nhs),
  checked("es-dni", "dni|documento", (random) => check.dni(random, false)),
  checked("es-nie", "nie", (random) => check.dni(random, true)),
  checked("fr-nir", "nir|numero de securite sociale", check.nir),
  checked("it-codice-fiscale", "codice fiscale", check.codiceFiscale, true),
  checked("de-steuer-id", "steuer id|tax id", check.steuerId),
  checked("pl-pesel", "pesel", check.pesel),
  checked("se-personnummer", "personnummer", check.personnummer),
  checked("fi-hetu", "hetu|henkilotunnus", check.hetu),
  checked("nl-bsn", "bsn|burgerservicenummer", check.bsn),
  checked("be-rijksregister", "rijksregisternummer|national number", check.rijksregister),
  checked("br-cpf", "cpf", check.cpf, true),
  checked("br-cnpj", "cnpj", check.cnpj, true),
  checked("in-aadhaar", "aadhaar|aadhaar number", check.aadhaar),
  personal({ id: "in-pan", labels: "pan card|pan number", draw: (random) => fill(random, "<UP:3>P<UP:1><d:4><UP:1>") }), // prettier-ignore
  checked("ca-sin", "sin|social insurance number", check.sin),
  checked("au-tfn", "tfn|tax file number", check.tfn),
  checked("za-id", "id number|south african id", check.southAfrican),
  checked("kr-rrn", "rrn|resident registration number", check.rrn),
  checked("cn-resident-id", "resident id|id card", check.residentId),
  checked("sg-nric", "nric", check.nric),
  checked("tr-tckn", "tckn|tc kimlik no", check.turkish),
  checked("passport-mrz", "mrz", check.passportLine, true),
  personal({
    id: "birth-date",
    labels: "date of birth|dob|birthday",
    draw: (random) => {
      const [year, month, day] = check.birthday(random);
      return random.pick([`19${year}-${month}-${day}`, `${day}.${month}.19${year}`, `${month}/${day}/19${year}`]); // prettier-ignore
    },
  }),
  personal({
    id: "gps",
    labels: "gps|location|coordinates",
    draw: (random) =>
      `${random.int(36, 58)}.${chars(random, "d", 6)}, ${random.int(1, 19)}.${chars(random, "d", 6)}`,
  }),
];
