import { describe, expect, test } from "vitest";
import { base64, drawChars, testScrubber } from "../testing/fakes.ts";

const scrubber = testScrubber();
const lines = Array.from({ length: 8 }, (_, index) => drawChars(base64, 64, index + 40));
const body = [...lines, `${drawChars(base64, 22, 98)}==`];
const label = ["RSA PRIVATE", "KEY"].join(" ");
const key = [`-----BEGIN ${label}-----`, ...body, `-----END ${label}-----`];

/** How tools and pages write the lines of a file. */
const written: Readonly<Record<string, (line: string, index: number) => string>> = {
  "grep -n": (line, index) => `${index + 1}:${line}`,
  "grep -rn": (line, index) => `deploy/app.txt:${index + 1}:${line}`,
  "a time": (line, index) => `2026-03-11T10:11:1${index % 10}.120Z ${line}`,
  "dim colour": (line) => `\u001b[2m${line}\u001b[0m`,
  "a service": (line) => `web-1  | ${line}`,
  "numbers and an arrow": (line, index) => `${String(index + 1).padStart(5)}→${line}`,
  "strings of a list": (line) => `  "${line}",`,
  "strings of a list in a diff": (line) => `+  "${line}",`,
  "strings of a list, numbered": (line, index) => `${index + 1}:  "${line}",`,
  "strings in coded quotes": (line) => `  &quot;${line}&quot;,`,
};

describe("private keys between other things", () => {
  test.each(Object.entries(written))("[SC7] every line goes: %s", (_name, write) => {
    for (const part of [key, key.slice(0, -4), key.slice(-5)]) {
      const { text } = scrubber.scrub(`a: kept\n${part.map(write).join("\n")}\nb: kept`);
      for (const line of part.filter((each) => lines.includes(each))) {
        expect(text).not.toContain(line);
      }
      expect(text).toMatch(/^a: kept\n[^]*\nb: kept$/);
    }
  });

  test("[SC7] tags may end the lines", () => {
    const { text } = scrubber.scrub(`<pre>${key.join("<br>")}</pre>`);
    expect(text).toMatch(/^<pre>__SECRET_private_key_[a-z2-7]{12}__<\/pre>$/);
  });

  test("[SC7] PuTTY's private lines are as many as the file says", () => {
    const file = ["Private-Lines: 3", ...lines.slice(0, 3), "Public-Note: kept", lines[4]];
    const { text } = scrubber.scrub(file.map((line, at) => `${at + 1}→${line}`).join("\n"));
    for (const line of lines.slice(0, 3)) expect(text).not.toContain(line);
    expect(text).toContain("Public-Note: kept");
  });

  test("[SC10] the stand-in of a key and what stands before it stay", () => {
    const text = `key="-----BEGIN ${label}-----\\nXXXX\\nXXXX\\n-----END ${label}-----"`;
    expect(scrubber.scrub(text).text).toBe(text);
  });
});
