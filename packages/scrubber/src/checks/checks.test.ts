import { expect, test } from "vitest";
import { alnum, drawChars, testScrubber } from "../testing/fakes.ts";
import { decodeBase64 } from "./base64.ts";
import { crc32, toBase62 } from "./crc32.ts";

const prefix = ["gh", "p_"].join("");
const body = drawChars(alnum, 30, 1);

test("[SC7] the checksum is the CRC-32 everyone uses", () => {
  expect(crc32("123456789", 0, 9)).toBe(0xcbf4_3926);
});

test("[SC7] a checksum that holds is reported, one that fails is reported and redacted too", () => {
  const tail = toBase62(crc32(body, 0, 30));
  const good = testScrubber().scrub(prefix + body + tail);
  const bad = testScrubber().scrub(
    prefix + body + (tail.startsWith("0") ? "1" : "0") + tail.slice(1),
  );
  expect(good.findings[0]).toMatchObject({ kind: "github_pat", valid: true, confidence: "high" });
  expect(bad.findings[0]).toMatchObject({ kind: "github_pat", valid: false, confidence: "medium" });
  expect(bad.text).toMatch(/^__SECRET_github_pat_[a-z2-7]{12}__$/);
});

test("[SC7] a token cut off by the end of the text is taken out", () => {
  for (const end of ["", "...", "…"]) {
    const { text } = testScrubber().scrub(`token is ${prefix}${body.slice(0, 12)}${end}`);
    expect(text).not.toContain(body.slice(0, 12));
  }
});

test("[SC7] base64 and base64url decode alike, and alien characters end them", () => {
  expect(decodeBase64("Ym9iOj8-Pw==")).toBe("bob:?>?");
  expect(decodeBase64("Ym9iOj8+Pw")).toBe("bob:?>?");
  expect(decodeBase64("Ym9i*Ym9i")).toBe("bob");
});

test("[SC7] a key that was drawn without a digit is taken out, a stand-in of letters is not", () => {
  const access = ["AK", "IA"].join("");
  for (const drawn of [
    access + "JPXJUIDXOYLMGLEY",
    `${prefix}WmVIcFmivjeuUbZYqAAHOFeqmvWVaOVjPWAZ`,
  ]) {
    expect(testScrubber().scrub(`use ${drawn} here`).text).not.toContain(drawn.slice(8));
  }
  const standIn = `${access}YOURACCESSKEYIDX`;
  expect(testScrubber().scrub(`use ${standIn} here`).text).toContain(standIn);
});
