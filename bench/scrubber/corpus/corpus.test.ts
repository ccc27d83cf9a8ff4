import { expect, test } from "vitest";
import { type Positive, secretsOf, windowsOf } from "./case.ts";
import { base58check, bech32, crcHex, isMnemonic, luhnDigit, pgpCrc } from "./checksums.ts";
import { drawCorpus } from "./corpus.ts";
import { layers } from "./layers.ts";
import { must, readMarks, secret, toBase64 } from "./marks.ts";
import { iban } from "./national-checks.ts";
import { forms, kinds } from "./positives.ts";
import { createRandom } from "./random.ts";

const corpus = drawCorpus("test");
const { positives, negatives } = corpus;
const secrets = positives.filter(({ priority }) => priority !== "P3");
const personal = positives.filter(({ priority }) => priority === "P3");

const count = <T>(list: readonly T[], nameOf: (each: T) => string): number =>
  new Set(list.map(nameOf)).size;

test("the same seed draws the same corpus, another seed another one", () => {
  expect(drawCorpus("test")).toEqual(corpus);
  const other = drawCorpus("other");
  expect(other.positives.map(({ id }) => id)).toEqual(positives.map(({ id }) => id));
  const texts = new Set(positives.map(({ text }) => text));
  expect(other.positives.filter(({ text }) => texts.has(text))).toEqual([]);
});

test("there are as many cases, kinds and contexts as the measures rest on", () => {
  expect(positives.length).toBeGreaterThanOrEqual(2_000);
  expect(negatives.length).toBeGreaterThanOrEqual(1_500);
  expect(count(secrets, ({ kind }) => kind)).toBeGreaterThanOrEqual(200);
  expect(count(personal, ({ kind }) => kind)).toBeGreaterThanOrEqual(15);
  expect(count(positives, ({ form }) => form)).toBeGreaterThanOrEqual(70);
});

test("every kind, form and layer is drawn, and every case has a name of its own", () => {
  expect(count(positives, ({ kind }) => kind)).toBe(kinds.length);
  const drawn = new Set(positives.map(({ form }) => form));
  expect(forms.filter(({ id }) => !drawn.has(id))).toEqual([]);
  expect(count(positives, ({ layer }) => layer)).toBe(layers.length);
  const ids = [...positives, ...negatives].map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

test("every case holds its secrets, and nothing of them besides", () => {
  expect(positives.filter((each) => secretsOf(each).length === 0)).toEqual([]);
  const failing = positives.filter((each) => {
    const rest = withoutSecrets(each);
    return secretsOf(each).some((found) => {
      const windows = windowsOf(found, each.prefix);
      return windows.length === 0 || windows.some((window) => rest.includes(window));
    });
  });
  expect(failing.map(({ id }) => id)).toEqual([]);
});

test("what the layers of JSON hold is JSON", () => {
  const isJson = ({ layer }: Positive): boolean => /^json(?! l|l)/.test(layer);
  const found = positives.filter(isJson);
  expect(found.length).toBeGreaterThan(300);
  for (const { text } of found) expect(() => JSON.parse(text) as unknown).not.toThrow();
});

test("base64 keeps the mark on the characters that carry a secret", () => {
  for (let length = 0; length < 4; length++) {
    const { text, spans } = readMarks(toBase64(`${"x".repeat(length)}${secret("sesame")}, then`));
    const span = spans.find(({ label }) => label === "secret");
    const part = Buffer.from(text.slice(span?.start, span?.end), "base64").toString();
    expect(part).toContain("sesame");
    expect(part.length).toBeLessThanOrEqual(10);
  }
});

test("marks are read as they are nested", () => {
  const { text, spans } = readMarks(`a${must("b")}${secret(`c${must("d")}`)}`);
  expect(text).toBe("abcd");
  expect(spans).toEqual([
    { label: "must", start: 1, end: 2 },
    { label: "must", start: 3, end: 4 },
    { label: "secret", start: 2, end: 4 },
  ]);
});

test("checksums are those of their standards", () => {
  expect(luhnDigit("7992739871")).toBe("3");
  expect(crcHex("123456789")).toBe("cbf43926");
  expect(pgpCrc(Buffer.from("123456789"))).toBe(`=${Buffer.from("21cf02", "hex").toString("base64")}`); // prettier-ignore
  expect(bech32("a", new Uint8Array())).toBe("a12uel5l");
  expect(base58check(new Uint8Array(21))).toBe("1111111111111111111114oLvT2");
  const phrase = Array.from({ length: 11 }, () => "abandon");
  expect(isMnemonic([...phrase, "about"])).toBe(true);
  expect(isMnemonic([...phrase, "zoo"])).toBe(false);
  const account = iban(createRandom("account")).replaceAll(" ", "");
  const digits = Array.from(`${account.slice(4)}${account.slice(0, 4)}`).map((char) => Number.parseInt(char, 36)); // prettier-ignore
  expect(BigInt(digits.join("")) % 97n).toBe(1n);
});

function withoutSecrets({ text, spans }: Positive): string {
  let out = "";
  let at = 0;
  const found = spans.filter(({ label }) => label === "secret");
  for (const { start, end } of found.toSorted((left, right) => left.start - right.start)) {
    out += `${text.slice(at, start)}\0`;
    at = end;
  }
  return out + text.slice(at);
}
