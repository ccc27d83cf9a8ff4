import fc from "fast-check";
import { expect, test } from "vitest";
import { alnum, drawChars, hex, testScrubber } from "../testing/fakes.ts";
import { personalKinds } from "./personal-kinds.ts";
import type { UserRule } from "./user-rule.ts";

const token = `acme_${drawChars(alnum, 24, 5)}`;
const github = `ghp_${drawChars(alnum, 36, 9)}`;
const acme: UserRule = {
  id: "acme-token",
  kind: "acme_token",
  anchors: ["acme_"],
  body: "[A-Za-z0-9]{24}",
};
const host = "build-07.acme.example";

function tagIn(text: string): string {
  return /_([a-z2-7]{12})__/.exec(text)?.[1] ?? "";
}

test("[SC14] a literal goes in prose, JSON, JSON inside JSON and URLs, under one placeholder", () => {
  const literal = 'Müller & "Söhne"';
  const scrubber = testScrubber({ literals: [literal] });
  const json = JSON.stringify({ of: literal });
  const forms = [
    `for ${literal}.`,
    json,
    JSON.stringify({ line: json }),
    json.replaceAll(/[\u0080-\uffff]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`),
    `https://crm.example/find?of=${encodeURIComponent(literal)}&page=2`,
  ];
  const texts = forms.map((form) => scrubber.scrub(form).text);
  for (const text of texts) expect(text).toMatch(/__SECRET_literal_[a-z2-7]{12}__/);
  expect(new Set(texts.map(tagIn)).size).toBe(1);
  expect(texts.map((text) => text.replaceAll(/__SECRET_literal_[a-z2-7]{12}__/g, "X"))).toEqual([
    "for X.",
    '{"of":"X"}',
    JSON.stringify({ line: '{"of":"X"}' }),
    '{"of":"X"}',
    "https://crm.example/find?of=X&page=2",
  ]);
});

test("[SC14] a literal without two ASCII letters in a row goes as well, and case counts", () => {
  const scrubber = testScrubber({ literals: ["山田太郎", "Zephyr"] });
  expect(scrubber.scrub("by 山田太郎, zephyr and Zephyr").text).toMatch(
    /^by __SECRET_literal_\w{12}__, zephyr and __SECRET_literal_\w{12}__$/,
  );
});

test("[SC4, SC14] as many literals as are taken cost a text no more than it may", () => {
  const names = Array.from({ length: 256 }, (_, index) =>
    String.fromCharCode(0x4e00 + index, 0x5e00 + index, 0x6e00, 0x7e00 + index),
  );
  const scrubber = testScrubber({ literals: names });
  const text = `${"山田さんは来ました。".repeat(2_000)}${names[200] ?? ""} end`;
  expect(scrubber.scrub(text).text).toMatch(/来ました。__SECRET_literal_\w{12}__ end$/);
});

test("[SC14] a literal that is a number goes from JSON, which stays JSON", () => {
  const scrubber = testScrubber({ literals: ["4711081500"] });
  const { text } = scrubber.scrub('{"customer": 4711081500, "page": 2}');
  expect(JSON.parse(text)).toMatchObject({ page: 2 });
  expect(text).not.toContain("4711081500");
  expect(scrubber.scrubJson({ customer: 4_711_081_500, page: 2 }).value).toMatchObject({ page: 2 });
});

test("[SC14] a literal with half of a surrogate pair goes as it is", () => {
  const literal = "half \ud83d pair";
  const { text } = testScrubber({ literals: [literal] }).scrub(`a ${literal} b`);
  expect(text).toMatch(/^a __SECRET_literal_\w{12}__ b$/);
});

test("[SC14] a literal never cuts into a placeholder", () => {
  const scrubber = testScrubber({ literals: ["github_pat", "SECRET"] });
  const once = scrubber.scrub(`SECRET of ${github}`).text;
  expect(once).toMatch(/^__SECRET_literal_\w{12}__ of __SECRET_github_\w+__$/);
  expect(scrubber.scrub(once).text).toBe(once);
});

test("[SC4] a text of near literals costs linear work, or is withheld (abuse 124)", () => {
  const works: number[] = [];
  const scrubber = testScrubber({
    literals: [`${"a".repeat(60)}b`],
    onWork: (work) => works.push(work),
  });
  scrubber.scrub("a".repeat(4_000));
  scrubber.scrub("a".repeat(8_000));
  expect((works[1] ?? 0) / (works[0] ?? 1)).toBeLessThan(2.2);
});

test("[SC15] a user's rule takes its tokens out, and nothing that only looks like them", () => {
  const scrubber = testScrubber({ rules: [acme] });
  const { text, findings } = scrubber.scrub(
    `use ${token}, not acme_${drawChars(hex, 20, 1)} today`,
  );
  expect(text).toMatch(/^use __SECRET_acme_token_\w{12}__, not acme_/);
  expect(findings).toMatchObject([{ kind: "acme_token", ruleId: "user:acme-token", start: 4 }]);
});

test("[SC15] a user's token may read as words: the user has said what it is", () => {
  const scrubber = testScrubber({ rules: [{ ...acme, body: "[a-z]{8}" }] });
  expect(scrubber.scrub("acme_password").text).toMatch(/^__SECRET_acme_token_/);
});

test("[SC15] a body may be given in parts", () => {
  const body = [{ class: "digit", min: 4 }, "-", { class: "hex", min: 8, max: 16 }] as const;
  const scrubber = testScrubber({ rules: [{ ...acme, body }] });
  expect(scrubber.scrub("acme_2024-0a1b2c3d4e").text).toMatch(/^__SECRET_acme_token_\w{12}__$/);
});

test.each([
  [{ ...acme, anchors: ["a"] }, "an anchor is not 2 to 40", "acme_"],
  [{ ...acme, anchors: [] }, "1 to 16 anchors", "second rule"],
  [{ ...acme, kind: "Acme Token" }, "the kind is not lower-case", "acme_token"],
  [{ ...acme, kind: "private" }, "the kind private has a meaning", "acme_token"],
  [{ ...acme, kind: "k".repeat(41) }, "too long for a placeholder", "40"],
  [{ ...acme, body: "" }, "nothing is said", "[A-Za-z0-9]{32}"],
  [{ ...acme, body: "[a-z]+[a-z0-9]{4}" }, "could hold itself", "fixed length"],
  [{ ...acme, body: "(a|b)" }, "groups and alternatives", "one rule for each"],
  [{ ...acme, body: ".{20}" }, "a dot for any character", "[A-Za-z0-9]"],
  [{ ...acme, body: "[a-k]{20}" }, "takes part of a group", "a-f, g-z"],
  [{ ...acme, body: "[^a]{20}" }, "all but", "groups"],
  [{ ...acme, body: "[a-z]{20,10}" }, "out of bounds", "not smaller"],
  [{ ...acme, body: "[a-z]{2,9000}" }, "out of bounds", "4096"],
  [{ ...acme, body: "[a-z]{20}+" }, "a length is followed by +", "one length"],
  [{ ...acme, body: "[a-z" }, "not closed", "close it"],
  [{ ...acme, body: "x+" }, "x is repeated", "[x]"],
  [{ ...acme, body: String.raw`\s+` }, "has no meaning", "class"],
  [{ ...acme, body: [{ class: "runes", min: 3 }] }, "class that is none", "digit"],
  [{ ...acme, body: [{ class: "hex", min: 1.5 }] }, "whole numbers", "4096"],
  [{ ...acme, body: [{ class: "hex", min: 9, max: 3 }] }, "whole numbers", "4096"],
  [{ ...acme, body: "abc\\" }, "ends in a backslash", "itself"],
  [{ ...acme, body: "a)" }, ") stands alone", "itself"],
  [{ ...acme, body: "[a-z]{x}" }, "a length cannot be read", "{20}"],
  [{ ...acme, body: "[]{3}" }, "not closed", "close it"],
  [{ ...acme, body: "[é]{3}" }, "a range that is none", "groups"],
  [{ ...acme, body: "[a-z@]{3}" }, 'the character "@"', "groups"],
  [{ ...acme, body: "x".repeat(600) }, "longer than 512", "anchor"],
] as unknown as readonly (readonly [UserRule, string, string])[])(
  "[SC15] %o is refused by name, with the reason and another way",
  (rule, reason, way) => {
    const build = (): unknown => testScrubber({ rules: [rule] });
    expect(build).toThrow(reason);
    expect(build).toThrow(way);
    expect(build).toThrow("rules[0] (acme-token)");
  },
);

test.each([
  [String.raw`\d{4}-\h{8}`, "2024-0a1b2c3d"],
  [String.raw`[\w.-]+`, "a.b-c_D9"],
  [String.raw`x{3}\.[A-F\d]{4,}`, "xxx.00FF12"],
  ["[a-z]*:[0-9]?", "abc:7"],
  ["[A-Za-z0-9+/]{8,12}==", "abcdEFGH12=="],
  [String.raw`\{[g-z]{2}\}`, "{xy}"],
])("[SC15] the pattern %s takes %s", (body, rest) => {
  const scrubber = testScrubber({ rules: [{ ...acme, body }] });
  expect(scrubber.scrub(`see acme_${rest} there`).text).toMatch(
    /^see __SECRET_acme_token_\w{12}__ there$/,
  );
});

test("[SC15] lists have an end, which is told", () => {
  const fill = <T>(count: number, make: (index: number) => T): readonly T[] =>
    Array.from({ length: count }, (_, index) => make(index));
  const build = (): unknown =>
    testScrubber({
      literals: fill(257, (index) => `literal ${index}`),
      rules: fill(101, (index) => ({ ...acme, id: `rule-${index}` })),
      allow: { tags: fill(1025, () => "abcdefghijkl"), kinds: ["No Kind"], paths: [" "] },
    });
  expect(build).toThrow("literals: more than 256 literals");
  expect(build).toThrow("rules: more than 100 rules");
  expect(build).toThrow("allow.tags: more than 1024 entries");
  expect(build).toThrow("allow.kinds[0]: this is no kind");
  expect(build).toThrow("allow.paths[0]: this is no path");
  expect(() => testScrubber({ rules: [{ ...acme, id: "no id" }] })).toThrow("rules[0]: the id is");
});

test("[SC12] every kind of personal data has a name, and tells whether it must be asked for", () => {
  const kinds = new Map(personalKinds().map(({ kind, isByNameOnly }) => [kind, isByNameOnly]));
  expect(kinds.get("email")).toBe(false);
  expect(kinds.get("payment_card")).toBe(false);
  expect(kinds.get("ip_address")).toBe(true);
});

test("[SC15] every fault is told at once, and a literal's text never", () => {
  const build = (): unknown =>
    testScrubber({
      literals: ["abc"],
      rules: [acme, acme],
      allow: { tags: ["x"], kinds: ["private"] },
    });
  expect(build).toThrow("literals[0]: a literal has 4 to 512 characters");
  expect(build).toThrow("rules[1] (acme-token): another rule has this id");
  expect(build).toThrow("allow.tags[0]: this is no tag");
  expect(build).toThrow("allow.kinds[0]: private cannot be allowed");
  expect(build).not.toThrow("abc");
});

const samples = [
  `TOKEN=${github}\n`,
  `Authorization: Bearer ${github}\n`,
  `{"password":"${drawChars(alnum, 18, 3)}","token":"${github}"}`,
  `export DB_PASSWORD='${drawChars(alnum, 18, 4)}' # ${token}\n`,
  `postgres://app:${drawChars(alnum, 16, 6)}@db.example/app`,
];

test("[SC16] an allowed tag leaves the text as it was, and scrubbing again changes nothing", () => {
  for (const sample of samples) {
    for (const { placeholderTag } of testScrubber({ rules: [acme] }).scrub(sample).findings) {
      const scrubber = testScrubber({ rules: [acme], allow: { tags: [placeholderTag] } });
      const once = scrubber.scrub(sample);
      expect(once.findings.map((found) => found.placeholderTag)).not.toContain(placeholderTag);
      expect(once.text).not.toContain(placeholderTag);
      expect(scrubber.scrub(once.text).text).toBe(once.text);
    }
    const all = testScrubber()
      .scrub(sample)
      .findings.map((found) => found.placeholderTag);
    expect(testScrubber({ allow: { tags: all } }).scrub(sample)).toEqual({
      text: sample,
      findings: [],
    });
  }
});

test("[SC16] a placeholder is as good as its tag", () => {
  const { text } = testScrubber().scrub(github);
  expect(testScrubber({ allow: { tags: [text] } }).scrub(github).text).toBe(github);
});

test("[SC16] an allowed tag holds in every notation, and leaves JSON as it was", () => {
  const secret = drawChars(alnum, 18, 3);
  const tag = tagIn(testScrubber().scrub(`password=${secret}`).text);
  const scrubber = testScrubber({ allow: { tags: [tag] } });
  const value = { password: secret, list: [{ name: "password", value: secret }] };
  expect(scrubber.scrubJson(value)).toEqual({ value, findings: [] });
  const text = JSON.stringify({ inner: JSON.stringify(value) });
  expect(scrubber.scrub(text).text).toBe(text);
});

test("[SC16] an allowed kind stays, and a stronger find inside it goes", () => {
  const scrubber = testScrubber({
    allow: { kinds: [...kindsOf(`password="${drawChars(alnum, 18, 3)}"`)] },
  });
  const plain = `password="${drawChars(alnum, 18, 7)}"`;
  expect(scrubber.scrub(plain).text).toBe(plain);
  expect(scrubber.scrub(`password="${github}"`).text).toMatch(/^password="__SECRET_github_\w+__"$/);
});

function kindsOf(text: string): ReadonlySet<string> {
  return new Set(
    testScrubber()
      .scrub(text)
      .findings.map(({ kind }) => kind),
  );
}

test("[SC16] in an allowed path everything stays but private text and literals", () => {
  const scrubber = testScrubber({
    literals: [host],
    allow: { paths: ["test/fixtures/**", "*.pem"] },
  });
  const text = `${samples[0]}<private>x</private> on ${host}`;
  const kept = scrubber.scrub(text, { path: "test/fixtures/a/b.env" }).text;
  expect(kept).toContain(github);
  expect(kept).toMatch(/__SECRET_private_\w{12}__ on __SECRET_literal_\w{12}__$/);
  expect(scrubber.scrub(github, { path: "keys/x.pem" }).text).toBe(github);
  expect(scrubber.scrub(github, { path: "src/test/fixtures/b.env" }).text).not.toBe(github);
  expect(scrubber.scrub(github).text).not.toBe(github);
});

test("[SC16] with any allow-list, scrubbing again changes nothing", () => {
  const kinds = [...new Set(samples.flatMap((sample) => [...kindsOf(sample)]))];
  const parts = fc.array(fc.constantFrom(...samples, "x ", '"', "\\", "\n", host), {
    maxLength: 8,
  });
  fc.assert(
    fc.property(parts, fc.subarray(kinds), fc.nat(3), (list, allowed, count) => {
      const text = list.join("");
      const tags = testScrubber()
        .scrub(text)
        .findings.slice(0, count)
        .map((each) => each.placeholderTag);
      const scrubber = testScrubber({
        literals: [host],
        rules: [acme],
        allow: { kinds: allowed, tags },
      });
      const once = scrubber.scrub(text).text;
      expect(scrubber.scrub(once).text).toBe(once);
      expect(once).not.toContain(host);
    }),
    { numRuns: 200 },
  );
});

test("[SC16] a user's rule of an allowed kind does not cover up a known secret", () => {
  const rule = {
    id: "x",
    kind: "harmless",
    anchors: [github.slice(0, 12)],
    body: "[A-Za-z0-9]{28}",
  };
  const scrubber = testScrubber({ rules: [rule], allow: { kinds: ["harmless"] } });
  expect(scrubber.scrub(`see ${github} there`).text).toMatch(/^see __SECRET_github_\w+__ there$/);
});
