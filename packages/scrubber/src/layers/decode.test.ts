import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { workBaseMax, workPerCharMax } from "../limits.ts";
import { bytesOf, inLines, toBase64, toBase64Url, toHex } from "../testing/encodings.ts";
import { alnum, base64, drawChars, fakeHmac, testScrubber } from "../testing/fakes.ts";
import { createScrubber } from "../scrubber.ts";
import { codedMarks } from "./coded-marks.ts";
import { openView, showBehind } from "./coded-view.ts";
import { decodePiece, startDecoding } from "./decode.ts";
import { mayBeText } from "./first-bytes.ts";
import { textOfSink } from "./text-sink.ts";

const scrubber = testScrubber();
const runs = { seed: 20_261_122, numRuns: 600 } as const;
const printable = fc
  .string({ unit: "grapheme", maxLength: 80 })
  .map((text) => text.replaceAll(/[\p{Cc}\p{Cs}]/gu, "").padEnd(24, "a"));

function decode(
  encoded: string,
  code: "base64" | "hex",
  cuts: readonly number[] = [],
): string | undefined {
  const decoding = startDecoding(code);
  const bare = encoded.replaceAll("=", "");
  let from = 0;
  for (const end of [...cuts, bare.length]) {
    if (!decodePiece(decoding, bare, from, end)) return undefined;
    from = end;
  }
  return textOfSink(decoding.sink);
}

describe("decoding", () => {
  test("[SC20] gives back every text, in one piece or in many", () => {
    fc.assert(
      fc.property(printable, fc.nat(20), (text, cut) => {
        expect(decode(toBase64(text), "base64", [cut])).toBe(text);
        expect(decode(toBase64Url(text), "base64", [cut])).toBe(text);
        expect(decode(toHex(text), "hex", [2 * (cut >> 1)])).toBe(text);
        expect(mayBeText(toBase64(text), 0)).toBe(true);
        expect(mayBeText(toHex(text), 0)).toBe(true);
      }),
      runs,
    );
  });

  test("[SC20] gives up what is not text at its first wrong byte", () => {
    const bytes = fc.uint8Array({ minLength: 24, maxLength: 60 });
    fc.assert(
      fc.property(bytes, (drawn) => {
        const text = String.fromCharCode(...drawn);
        let known: string | undefined;
        try {
          known = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(drawn);
        } catch {
          known = undefined;
        }
        const isText =
          known !== undefined &&
          !/\p{Cc}/u.test(
            known
              .replaceAll(/[\t\n\r]/g, "")
              .replaceAll("\u001b", "")
              .replaceAll("\0", ""),
          );
        const isWide = drawn[1] === 0 || (drawn[0] === 0xff && drawn[1] === 0xfe);
        if (!isWide) expect(decode(btoa(text), "base64") !== undefined).toBe(isText);
      }),
      { ...runs, numRuns: 3000 },
    );
  });

  test("[SC20] forgets a piece that is not text", () => {
    const decoding = startDecoding("base64");
    const good = toBase64("a good first line, in full");
    const first = good.slice(0, 32);
    expect(decodePiece(decoding, first, 0, first.length)).toBe(true);
    const before = textOfSink(decoding.sink);
    expect(decodePiece(decoding, "abc\u0001+/+/+/", 4, 10)).toBe(false);
    expect(textOfSink(decoding.sink)).toBe(before);
  });
});

describe("coded characters", () => {
  const pieces = fc.oneof(
    fc.constantFrom("%22", "%C3%A9", "%F0%9F%98%80", "%ff", "%2", "%", "&quot;", "&#39;", "&#x1F600;", "&amp", "&lt;", "\\u0022", "\\\\u0022", "\\u001b", "\\x3d", "\\u00e9", "+", "%3A+%22", " ", "a=b", "\n"), // prettier-ignore
    fc.string({ maxLength: 4 }),
    fc.string({ unit: "binary", maxLength: 2 }),
  );
  const texts = fc.array(pieces, { maxLength: 30 }).map((parts) => parts.join(""));

  test("[SC20] every stretch of a view leads back to the stretch behind it", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const marks = [...codedMarks(text)];
        const view = openView(text, { start: 0, end: text.length }, marks);
        let at = 0;
        let shown = "";
        for (const mark of marks) {
          expect(mark.start).toBeGreaterThanOrEqual(at);
          expect(mark.out.length).toBeGreaterThan(0);
          shown += text.slice(at, mark.start) + mark.out;
          at = mark.end;
        }
        expect(view.text).toBe(shown + text.slice(at));
        for (let place = 0; marks.length > 0 && place < view.text.length; place++) {
          const behind = showBehind(view, place, place + 1);
          const written = text.slice(behind.start, behind.end);
          const mark = marks.find(({ start }) => start === behind.start);
          if (mark === undefined) expect(written).toBe(view.text[place]);
          else expect(written).toBe(text.slice(mark.start, mark.end));
        }
      }),
      runs,
    );
  });

  test("[SC20] what text/plain readers decode is what a view shows", () => {
    fc.assert(
      fc.property(printable, (text) => {
        const coded = encodeURIComponent(text);
        const marks = [...codedMarks(coded)];
        expect(openView(coded, { start: 0, end: coded.length }, marks).text).toBe(text);
      }),
      runs,
    );
  });
});

describe("any bytes in any encoding", () => {
  const encodings = [
    (text: string) => btoa(bytesOf(text)),
    (text: string) => toHex(text),
    (text: string) => toBase64Url(text),
    (text: string) => encodeURIComponent(text),
    (text: string) => inLines(btoa(bytesOf(text)), 64),
    (text: string) => JSON.stringify(text),
    (text: string) => text.replaceAll('"', "&quot;"),
    (text: string) => text.replaceAll('"', "\\u0022"),
    (text: string) => text,
  ];
  const secrets = fc.constantFrom('password="S3cr', "token: ", "-----BEGIN PRIVATE KEY-----\n", "://u:p9x8@h", "eyJ", "<private>"); // prettier-ignore
  const contents = fc
    .array(
      fc.oneof(
        secrets,
        fc.string({ unit: "grapheme", maxLength: 40 }),
        fc.constant(drawChars(alnum, 30, 3)),
      ),
      { maxLength: 6 },
    ) // prettier-ignore
    .map((parts) => parts.join("").replaceAll(/\p{Cs}/gu, "?"));

  test("[SC5] no layer throws, and scrubbing again changes nothing", () => {
    fc.assert(
      fc.property(
        contents,
        fc.array(fc.constantFrom(...encodings), { maxLength: 5 }),
        (content, order) => {
          const text = order.reduce((inner, encode) => encode(inner), content);
          const { text: out, findings } = scrubber.scrub(`a=1 ${text}\nb=2`);
          expect(findings.every(({ kind }) => kind !== "withheld")).toBe(true);
          expect(scrubber.scrub(out)).toEqual({ text: out, findings: [] });
        },
      ),
      { ...runs, numRuns: 1500 },
    );
  });
});

const size = 60_000;
const fill = (piece: string): string => piece.repeat(Math.ceil(size / piece.length)).slice(0, size);
const nested = (text: string, times: number): string => times === 0 ? text : nested(toBase64(text), times - 1); // prettier-ignore
const adversarial: Readonly<Record<string, string>> = {
  "percent marks": fill("%41"),
  "percent marks without digits": fill("%"),
  "percent marks of percent marks": fill("%2525"),
  entities: fill("&amp;"),
  "entities of entities": fill("&amp;amp;"),
  "signs of entities": fill("&"),
  "coded escapes": fill("\\u0041"),
  "coded backslashes": fill("\\u005c"),
  backslashes: `${fill("\\")}u0022`,
  "every notation": fill("%26&quot;\\u0022\\x41"),
  "marks far apart": fill(`%20${"a".repeat(509)}`),
  "assignments in marks": fill("password%3Dx9y8z7%26"),
  "names in entities": fill("&quot;token&quot;:"),
  base64: fill(drawChars(base64, 997, 2)),
  "base64 of text": toBase64(fill("password=x9Y8z7w6 ")),
  "base64 in lines": inLines(toBase64(fill("a word and another, ")), 64),
  "base64 in many layers": nested(fill("deep ").slice(0, 8000), 6),
  "short runs of base64": fill(`${toBase64("nothing to see in here")} `),
  "escaped slashes": fill("abcdefgh\\/"),
  "lines that end runs": fill(`${"b".repeat(30)}\n`),
  hex: fill(toHex("not a secret at all, ")),
  zeros: fill("0"),
  dashes: fill("-"),
};

test.each(Object.entries(adversarial))("[SC4] is linear for %s (abuse 124)", (_name, text) => {
  let work = 0;
  const counted = createScrubber({
    hmac: fakeHmac,
    onWork: (visited) => {
      work = Math.max(work, visited);
    },
  });
  const { findings } = counted.scrub(text);
  expect(work).toBeLessThanOrEqual((workPerCharMax * text.length) / 2 + workBaseMax);
  expect(findings.every(({ kind }) => kind !== "withheld")).toBe(true);
});
