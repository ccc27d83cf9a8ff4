import { describe, expect, test } from "vitest";
import { workBaseMax, workPerCharMax } from "./limits.ts";
import type { PersonalKind } from "./personal-rule.ts";
import { idRules } from "./rules/personal-ids.ts";
import { placeRules } from "./rules/personal-places.ts";
import { fakeHmac, testScrubber } from "./testing/fakes.ts";
import { personalCases } from "./testing/personal-cases.ts";

const seeds = [5, 811];
const secretsOnly = testScrubber();

describe.each(personalCases.map((each) => [each.kind, each] as const))("%s", (kind, each) => {
  const scrubber = testScrubber({ personalData: [kind] });

  test("[SC12] is taken out where it was asked for, and stays otherwise", () => {
    for (const seed of seeds) {
      for (const [text, held] of each.positive(seed)) {
        const found = scrubber.scrub(text);
        expect(found.text, `in ${text}`).not.toContain(held);
        expect(
          found.findings.map((finding) => finding.kind),
          `in ${text}`,
        ).toContain(kind);
        expect(scrubber.scrub(found.text)).toEqual({ text: found.text, findings: [] });
        expect(secretsOnly.scrub(text)).toEqual({ text, findings: [] });
      }
    }
  });

  test("[SC12] what lacks the checksum, the form or the label stays", () => {
    for (const seed of seeds) {
      for (const [fault, text] of Object.entries(each.negative(seed))) {
        expect(scrubber.scrub(text), `${fault}: ${text}`).toEqual({ text, findings: [] });
      }
    }
  });
});

const asked: readonly PersonalKind[] = ["home_user", "ip_address", "mac_address"];
const textOf = (kind: PersonalKind): string =>
  personalCases.find((each) => each.kind === kind)?.positive(1)[0]?.[0] ?? "";

test("[SC12] every kind has a case, and all but three are of the default set", () => {
  const kinds = [...idRules(), ...placeRules()].map(({ kind }) => kind);
  expect(personalCases.map(({ kind }) => kind).toSorted()).toEqual(kinds.toSorted());
  const every = testScrubber({ personalData: true });
  const kept = kinds.filter((kind) => every.scrub(textOf(kind)).findings.length === 0);
  expect(kept.toSorted()).toEqual(asked.toSorted());
});

test("[SC12] nothing is personal by default, with false or with an empty list", () => {
  const text = [textOf("email"), textOf("iban")].join("\n");
  for (const personalData of [undefined, false, []] as const) {
    const scrubber = testScrubber(personalData === undefined ? {} : { personalData });
    expect(scrubber.scrub(text).text).toBe(text);
  }
});

test("[SC3] personal data takes the second key, and one number has one tag however it is written", () => {
  const two = testScrubber({
    personalData: true,
    hmacLowEntropy: (message) => fakeHmac(`2${message}`),
  });
  const one = testScrubber({ personalData: true });
  expect(two.scrub(textOf("iban")).text).not.toBe(one.scrub(textOf("iban")).text);
  const account = personalCases.find(({ kind }) => kind === "iban")?.positive(3)[0]?.[1] ?? "";
  const spaced = account.replaceAll(/(.{4})(?!$)/g, "$1 ");
  const tags = [account, spaced].map((text) => one.scrub(text).findings[0]?.placeholderTag);
  expect(tags[1]).toBe(tags[0]);
});

test("[SC8] a number of JSON becomes a string, flat and in a walk", () => {
  const scrubber = testScrubber({ personalData: true });
  const value = { phone: 4_155_552_671, nested: [{ ssn: 219_099_999 }], count: 12 };
  const walked = scrubber.scrubJson(value).value;
  expect(JSON.parse(scrubber.scrub(JSON.stringify(value)).text)).toEqual(walked);
  expect(walked).toMatchObject({ phone: expect.stringMatching(/^__SECRET_phone_/), count: 12 });
  const inner = JSON.stringify({ line: JSON.stringify(value) });
  expect(() => JSON.parse(JSON.parse(scrubber.scrub(inner).text).line)).not.toThrow();
  expect(scrubber.scrub(inner).text).not.toContain("4155552671");
});

test("[SC4] the search for personal data is linear too (abuse 124)", () => {
  for (const piece of [
    "1 ",
    "1-",
    "a@",
    "12 34 ",
    "+1 ",
    "phone 1 ",
    "DE12 ",
    "<",
    "1.1.",
    "A1<",
  ]) {
    const text = piece.repeat(20_000);
    let work = 0;
    const every = [...idRules(), ...placeRules()].map(({ kind }) => kind);
    const scrubber = testScrubber({ personalData: every, onWork: (visited) => (work = visited) });
    scrubber.scrub(text);
    expect(work, `for ${piece}`).toBeLessThanOrEqual(workPerCharMax * text.length + workBaseMax);
  }
});

test("[SC12] cards of manuals and numbers that only begin like an insurance number stay", () => {
  const scrubber = testScrubber({ personalData: true });
  const cards = ["4242 ".repeat(4).trim(), `4${"1".repeat(15)}`, `${"5".repeat(12)}4444`];
  const texts = [...cards.map((card) => `Use test card ${card} with any code.`), "7561018602004"];
  for (const text of texts) expect(scrubber.scrub(text)).toEqual({ text, findings: [] });
});

test("[SC12] a number goes under the name of its column, also where that has an accent", () => {
  const scrubber = testScrubber({ personalData: true });
  const id = ["190481", "12083"].join("");
  expect(scrubber.scrub(`name,fødselsnummer,city\nA. Ott,${id},X\n`).text).not.toContain(id);
});
