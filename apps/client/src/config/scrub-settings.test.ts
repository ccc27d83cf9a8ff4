import { expect, test } from "vitest";
import { parseScrubFile } from "./scrub-file.ts";
import { readScrubSettings } from "./scrub-settings.ts";

const whole = `
literals = ["build-07.acme.example"]

[personalData]
email = true
phone = false

[allow]
tags = ["abcdefghijkl", "__SECRET_github_pat_abcdefghijk2__"]
kinds = ["jwt"]
paths = ["test/fixtures/**"]

[[rules]]
id = "acme-token"
kind = "acme_token"
anchors = ["acme_"]
body = '[A-Za-z0-9]{24}'
`;

test("[SC55] a file says what goes, what stays, and which personal data", () => {
  const read = parseScrubFile(whole);
  expect(read.ok && read.value).toEqual({
    literals: ["build-07.acme.example"],
    rules: [{ id: "acme-token", kind: "acme_token", anchors: ["acme_"], body: "[A-Za-z0-9]{24}" }],
    allow: {
      tags: ["abcdefghijkl", "__SECRET_github_pat_abcdefghijk2__"],
      kinds: ["jwt"],
      paths: ["test/fixtures/**"],
    },
    personalData: new Map([
      ["email", true],
      ["phone", false],
    ]),
  });
});

test("[SC55] personal data may be all, none or a list", () => {
  const chosen = (value: unknown): ReadonlyMap<string, boolean> | undefined => {
    const read = readScrubSettings({ personalData: value });
    return read.ok ? read.value.personalData : undefined;
  };
  expect(chosen(true)?.get("email")).toBe(true);
  expect(chosen(true)?.has("ip_address")).toBe(false);
  expect(chosen(false)?.get("ip_address")).toBe(false);
  expect(chosen(["iban"])).toEqual(new Map([["iban", true]]));
  expect(chosen(undefined)).toEqual(new Map());
});

test("[SC55] a file that is no TOML is told by its line, which is not quoted", () => {
  const secret = ["sk", "live"].join("_");
  const read = parseScrubFile(`literals = ["a long one"]\n${secret} is no key\n`);
  expect(read.ok ? [] : read.error).toEqual([expect.stringMatching(/^line 2, column \d+: /)]);
  expect(JSON.stringify(read)).not.toContain(secret);
});

test("[SC55, OPS51] every mistake is told at once, by its key", () => {
  const read = readScrubSettings({
    literal: ["x"],
    literals: [1, "enough"],
    allow: { tag: [], kinds: "jwt" },
    personalData: { emial: true, phone: "yes" },
    rules: [{ id: "a", kind: "k", anchors: "x", body: 3, regex: "y" }, "none"],
  });
  expect(read.ok ? [] : read.error).toEqual([
    "literal: unknown; the keys are literals, rules, allow, personalData",
    "allow.tag: unknown; the keys are tags, kinds, paths",
    "literals[0]: expected a text",
    "rules[0].regex: unknown; the keys are id, kind, anchors, body",
    "rules[0].anchors: expected a list of texts",
    "rules[0].body: expected a text",
    "rules[1]: expected a table",
    "rules[1].id: expected a text",
    "rules[1].kind: expected a text",
    "rules[1].body: expected a text",
    "allow.kinds: expected a list of texts",
    expect.stringMatching(/^personalData: emial is no kind; the kinds are payment_card, iban/),
    "personalData.phone: expected true or false",
  ]);
});

test("[SC55] what the scrubber refuses is told with its way out", () => {
  const read = parseScrubFile(whole.replace("{24}'", "+[a-z]{2}'"));
  expect(read.ok ? [] : read.error).toEqual([
    expect.stringMatching(
      /^rules\[0\] \(acme-token\): a run of variable length .*; give it a fixed/,
    ),
  ]);
});

test("[SC55] a value that stands where a key belongs is not quoted", () => {
  const read = readScrubSettings({ "my pass word!": 1 });
  expect(read.ok ? [] : read.error).toEqual([
    "a key: unknown; the keys are literals, rules, allow, personalData",
  ]);
});
