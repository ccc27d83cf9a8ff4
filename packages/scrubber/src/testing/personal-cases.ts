import type { IdRule, PersonalKind } from "../personal-rule.ts";
import { idRules } from "../rules/personal-ids.ts";
import { hasShape } from "../shape.ts";
import { digits, drawChars, upper } from "./draw.ts";
import { drawParts } from "./fakes.ts";

/** What a kind of personal data is tested with. */
export interface PersonalCase {
  readonly kind: PersonalKind;
  /** Texts that hold it, and it. */
  readonly positive: (seed: number) => readonly (readonly [text: string, held: string])[];
  /** Texts that look like it, by what is missing. */
  readonly negative: (seed: number) => Readonly<Record<string, string>>;
}

const triesMax = 4000;
/** The check digit or letter may be any: all are tried. */
const tails = Array.from(digits + upper);

/** How numbers of a kind begin, and how many characters they have beyond the least. */
const forms: Readonly<Partial<Record<PersonalKind, readonly (readonly [string, number])[]>>> = {
  payment_card: [["4", 16], ["51", 16], ["2221", 16], ["37", 15], ["6011", 16], ["36", 14]],
  iban: [["DE", 22], ["GB", 22], ["FR", 27], ["NL", 18]],
  us_itin: [["97170", 9]],
  es_nie: [["X", 9], ["Y", 9], ["Z", 9]],
  fr_nir: [["25508", 15], ["18512", 15]],
  se_personnummer: [["811228", 10], ["19811228", 12]],
  fi_hetu: [["131052", 10]],
  in_pan: [["ABCPE", 10]],
  za_id: [["800101", 13]],
  kr_rrn: [["800101", 13]],
  cn_id: [["11010519491231", 18]],
  sg_nric: [["S", 9], ["T", 9], ["F", 9], ["G", 9]],
  passport: [["C0100", 9]],
  it_fiscal_code: [["RSSMRA85T10A", 16]],
}; // prettier-ignore

function drawId(rule: IdRule, seed: number): string {
  const starts = forms[rule.kind] ?? [["", 0]];
  const isSound = rule.valid ?? (() => true);
  for (let step = 0; step < triesMax; step++) {
    const shape = rule.shapes[step % rule.shapes.length] ?? [];
    const [start, chars] = starts[(seed + step) % starts.length] ?? ["", 0];
    const drawn = drawParts(shape, seed * triesMax + step);
    const body = (start + drawn.slice(start.length)).padEnd(
      chars,
      drawChars(digits, 20, seed + step),
    );
    for (const tail of tails) {
      const id = body.slice(0, -1) + tail;
      if (rule.shapes.some((each) => hasShape(id, each)) && isSound(id)) return id;
    }
  }
  throw new Error(`no number of ${rule.kind} was found`);
}

/** Writes a number in groups such as `3-2-4`. */
function grouped(id: string, groups: string): string {
  let at = 0;
  return groups.replaceAll(/\d+/g, (count) => id.slice(at, (at += Number(count))));
}

/** How many letters and digits a number in such groups has; none where they are any number. */
function lengthOf(groups: string): number {
  const counts = groups.includes("*") ? [] : (groups.match(/\d+/g) ?? []);
  return counts.reduce((sum, count) => sum + Number(count), 0);
}

/** The number with another last digit or letter, for which no checksum holds. */
function spoilt(rule: IdRule, id: string): string {
  const isOther = (text: string): boolean =>
    idRules().every(
      ({ shapes, valid, labels }) =>
        labels !== undefined ||
        !shapes.some((each) => hasShape(text, each)) ||
        valid?.(text) === false,
    );
  const tail = tails.find(
    (each) => rule.valid?.(id.slice(0, -1) + each) === false && isOther(id.slice(0, -1) + each),
  );
  return tail === undefined ? "" : id.slice(0, -1) + tail;
}

function idCase(rule: IdRule): PersonalCase {
  const label = rule.labels?.[0];
  return {
    kind: rule.kind,
    positive: (seed) => {
      const id = drawId(rule, seed);
      const named = `${label ?? "number"}: ${id}\n`;
      const parts = (rule.groups ?? [])
        .filter((groups) => lengthOf(groups) === id.length)
        .map((groups) => grouped(id, groups));
      return [
        [named, id],
        [JSON.stringify({ [label ?? "number"]: id, next: 1 }), id],
        ...(label === undefined ? [[`it is ${id}, they said.`, id] as const] : []),
        ...parts.map((text) => [`it is ${text}, they said.`, text] as const),
      ];
    },
    negative: (seed) => {
      const id = drawId(rule, seed);
      return {
        ...(label === undefined ? {} : { "no label": `it is ${id}, they said.` }),
        ...(rule.valid === undefined
          ? {}
          : { "no checksum": `${label ?? "number"}: ${spoilt(rule, id)}\n` }),
        "in a word": `${label ?? "number"}: x${id}x\n`,
      };
    },
  };
}

/** Kind, texts with the held part in braces, and texts that hold nothing. */
type Place = readonly [kind: PersonalKind, held: readonly string[], kept: readonly string[]];

const machineNames = ["P<UTO", "ERIKSSON<<ANNA<MARIA"].join("").padEnd(44, "<");
const machineNumbers = ["L898902C36", "UTO7408122", "F1204159", `ZE184226B${"<".repeat(5)}10`].join(
  "",
);

const places: readonly Place[] = [
  ["email", ["write to {ann.lee+x@mail.corp.io} now", '{"by":"{bob@firm.de}"}', "a\\n{bob@firm.de}\\nb"], ["git@github.com:a/b.git", "ann@example.com", "noreply@firm.de", "ssh bob@host.firm.de", "https://bob@firm.de/a", "icon@2x.png", "lodash@4.17.21", "import x from '@scope/name.io'", "1@firm.de"]],
  ["phone", ["call {+49 30 901820} now", "call {+14155552671}.", "at {(415) 555-2671} or", "phone: {030 90 18 20}", '{"mobile": "{0171 1234567}"}', '{"phone_number": {4155552671}}'], ["took 4155552671 ns", "line 030 901820", "1+14155552671", "tel: none", "phones: 12"]],
  ["passport_lines", [`{${machineNames}}`, `x\n{${machineNumbers}}\ny`], ["A".repeat(44), machineNumbers.replace("C36", "C37")]],
  ["birth_date", ["born {1974-08-12} in", '{"dateOfBirth":"{12.08.1974}"}', "DOB: {8/12/74}"], ["released 1974-08-12", "birthday: none", "born 12"]],
  ["gps_position", ["GPS {52.520008, 13.404954}", '{"latitude": "{52.520008}"}', "lat={-33.868820}"], ["scale 52.520008, 13.404954", "lat: 52", "gps 1.2.3"]],
  ["home_user", ["in /home/{annlee}/src/a.ts", "C:\\\\Users\\\\{annlee}\\\\x", "/Users/{annlee}/x"], ["/home/runner/work", "/homes/ann/x", "/Users/Shared/x"]],
  ["ip_address", ["from {91.198.174.192} port", "ip={91.198.174.192}"], ["127.0.0.1:80", "10.1.2.3", "192.168.0.1", "version 1.2.3", "91.198.174.192.5"]],
  ["mac_address", ["ether {3c:22:fb:9a:01:7e} txqueuelen", "{3C-22-FB-9A-01-7E}"], ["3c:22:fb:9a:01:7e:aa:bb", "12:30:45"]],
]; // prettier-ignore

function placeCase([kind, held, kept]: Place): PersonalCase {
  return {
    kind,
    positive: () =>
      held.map((text) => {
        const inside = /\{([^{}"]+)\}/.exec(text)?.[1] ?? "";
        return [text.replace(`{${inside}}`, inside), inside];
      }),
    negative: () => Object.fromEntries(kept.map((text) => [text, text])),
  };
}

/** A case for every kind of personal data. */
export const personalCases: readonly PersonalCase[] = [
  ...idRules().map(idCase),
  ...places.map(placeCase),
];
