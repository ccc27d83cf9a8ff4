import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { catalog } from "./catalog.ts";
import { passesMax, textCharsMax, workBaseMax, workPerCharMax } from "./limits.ts";
import { isPlaceholder, placeholderPattern } from "./placeholder.ts";
import type { TokenRule } from "./rule.ts";
import { createScrubber } from "./scrubber.ts";
import {
  alnum,
  base64,
  drawChars,
  drawToken,
  fakeHmac,
  hex,
  namedContexts,
  seededRandom,
  testScrubber,
} from "./testing/fakes.ts";

const scrubber = testScrubber();
const tokenRules = catalog.filter((rule): rule is TokenRule => !("scan" in rule));
const password = ["S3cr", "etPw", "9"].join("");

/** Pieces from which adversarial and realistic texts are put together. */
const pieces = fc.oneof(
  fc.integer({ min: 1, max: 9999 }).chain((seed) =>
    fc.constantFrom(...tokenRules).map((rule) => drawToken(rule, seed)),
  ),
  fc
    .tuple(
      fc.constantFrom(...Object.values(namedContexts)),
      fc.constantFrom("DB_PASSWORD", "api_key", "token", "clientSecret", "auth"),
      fc.integer({ min: 1, max: 9999 }),
    )
    .map(([write, name, seed]) => write(name, drawChars(alnum, 24, seed))),
  fc.constantFrom(
    "password=", "token: ", "\"secret\":", "'", '"', "\\", '\\"', '\\\\\\"', "\\n", "\\u0022", "://",
    "user:pw1x@", "@host", " ", "\n", "\r\n", "&", ";", ",", "{", "}", "[", "]", "<private>",
    "</private>", "eyJ", "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----",
    "Authorization: Bearer ", "Cookie: sid=", "__SECRET_", "__SECRET_jwt_abcdefghijkl__", "\u001b[31m",
    "%22", "%3D", "é", "😀", "\u2028", "…", "...", "curl -u bob:", "--password ", "-p",
  ),
  fc.string({ maxLength: 12 }),
  fc.string({ unit: "binary", maxLength: 6 }),
); // prettier-ignore
const texts = fc.array(pieces, { maxLength: 14 }).map((parts) => parts.join(""));
const runs = { seed: 20_260_301, numRuns: 1500 };

describe("properties", () => {
  test("[SC2] scrubbing again changes nothing", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const once = scrubber.scrub(text).text;
        expect(scrubber.scrub(once).text).toBe(once);
      }),
      runs,
    );
  });

  test("[SC8] JSON stays JSON, and so does JSON in JSON", () => {
    const leaves = fc.oneof(texts, fc.integer(), fc.boolean(), fc.constant(null));
    const keys = fc.oneof(texts, fc.constantFrom("password", "token", "Cookie", "name", "value"));
    const values = fc.oneof(
      leaves,
      fc.array(leaves, { maxLength: 3 }),
      fc.dictionary(keys, leaves, { maxKeys: 4 }),
    );
    fc.assert(
      fc.property(fc.dictionary(keys, values, { maxKeys: 4 }), fc.boolean(), (value, isNested) => {
        const inner = JSON.stringify(value);
        const text = isNested ? JSON.stringify({ line: inner }) : inner;
        const scrubbed = scrubber.scrub(text);
        const parsed: unknown = JSON.parse(scrubbed.text);
        expect(typeof parsed).toBe("object");
        expect(scrubber.scrub(scrubbed.text).text).toBe(scrubbed.text);
      }),
      runs,
    );
  });

  test("[SC8] JSON lines stay JSON lines", () => {
    fc.assert(
      fc.property(fc.array(texts, { minLength: 1, maxLength: 4 }), (leaves) => {
        const text = leaves.map((leaf) => JSON.stringify({ text: leaf })).join("\n");
        const lines = scrubber.scrub(text).text.split("\n");
        expect(lines.length).toBe(leaves.length);
        for (const line of lines) expect(() => JSON.parse(line)).not.toThrow();
      }),
      { ...runs, numRuns: 500 },
    );
  });

  test("[SC1] findings lie in the input, and their tags stand in the output", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { text: out, findings } = scrubber.scrub(text);
        expect(out === text).toBe(findings.length === 0);
        for (const { start, end, placeholderTag } of findings) {
          expect(start).toBeGreaterThanOrEqual(0);
          expect(end).toBeLessThanOrEqual(text.length);
          expect(start).toBeLessThan(end);
          expect(placeholderTag).toMatch(/^[a-z2-7]{12}$/);
        }
      }),
      runs,
    );
  });

  test("[SC9] a tree keeps its shape and a second walk changes nothing", () => {
    const value = fc.jsonValue({ maxDepth: 4 });
    fc.assert(
      fc.property(value, texts, (tree, text) => {
        const given = JSON.parse(JSON.stringify({ tree, text, [text]: 1 }));
        const once = scrubber.scrubJson(given).value;
        expect(scrubber.scrubJson(once).value).toEqual(once);
      }),
      { ...runs, numRuns: 500 },
    );
  });
});

describe("work", () => {
  const size = 60_000;
  const fill = (piece: string): string =>
    piece.repeat(Math.ceil(size / piece.length)).slice(0, size);
  const next = seededRandom(5);
  const anchors = catalog.flatMap((rule) => ("scan" in rule ? rule.anchors : [rule.anchor]));
  const shuffled = Array.from({ length: 9000 }, () => anchors[Math.floor(next() * anchors.length)]);
  const adversarial: Readonly<Record<string, string>> = {
    "repeated eyJ": fill("eyJ"),
    "repeated eyJ with dots": fill("eyJ."),
    "repeated eyJ with dashes": fill("eyJ-"),
    "JWT headers": fill("eyJhbGciOiJI."),
    "long JWT headers": fill(`-eyJ${"A".repeat(100)}.`),
    "repeated BEGIN": fill("-----BEGIN"),
    "repeated BEGIN lines": fill("-----BEGIN RSA PRIVATE KEY-----\n"),
    "BEGIN with short lines": fill(`-----BEGIN RSA PRIVATE KEY-----\n${"ab ".repeat(40)}`),
    "BEGIN with bodies": fill(`-----BEGIN PRIVATE KEY-----\n${drawChars(base64, 64, 3)}\n`),
    "repeated END": fill("-----END RSA PRIVATE KEY-----\n"),
    "END after bodies": fill(`${drawChars(base64, 64, 3)}\n-----END PRIVATE KEY-----`),
    "word run before a keyword": `${fill("a")}password=`,
    "dashes before keywords": fill("a-password"),
    "keywords in a row": fill("password"),
    "assignments in a row": fill("password="),
    "calls in assignments": fill("token=f("),
    "quoted assignments": fill("password='"),
    "quotes at many levels": fill('token=\\"token=\\\\\\"token="token=\''),
    "coded quotes": fill("token=\\u0022"),
    "blanks after keywords": fill(`password${" ".repeat(63)}`),
    "run of blanks": `password${fill(" ")}`,
    "ansi after keywords": fill(`token${"\u001b[31m".repeat(8)}`),
    "soft marks": fill("token=,a;a&a)a"),
    "nested arrays": "[".repeat(size),
    "nested objects": '{"password":'.repeat(size / 12),
    backslashes: fill("\\"),
    "password and backslashes": fill("password=\\\\"),
    "every anchor": shuffled.join(""),
    "every anchor, apart": shuffled.join(" "),
    URLs: fill("://"),
    "URLs with users": fill("a://b:c"),
    "URLs with late hosts": fill("a://b:c/@d"),
    "AWS ids": fill("AKIA"),
    "letters A": fill("A"),
    "sk-": fill("sk-"),
    "marks with long heads": fill(`${"a".repeat(80)}AZDO`),
    "mailchimp marks": fill("0123456789abcdef-us"),
    cookies: fill("cookie: a=b; "),
    "cookie pairs": `cookie: ${fill("sid=abcdefgh12; ")}`,
    bearers: fill("bearer "),
    placeholders: fill("__SECRET_jwt_abcdefghijkl__"),
    "broken placeholders": fill("__SECRET_a"),
    "private tags": fill("<private>"),
    "private pairs": fill("<private></private>"),
    putty: fill("Private-Lines: 4\nAAAA\n"),
    curl: fill("curl -u a:bcd "),
    pgpass: fill(":5432:a:b:c"),
    pairs: fill("name: token\n"),
    "ids in lines": fill(`"${"0".repeat(8)}-0000-4000-8000-${"0".repeat(12)}",\n`),
    "tokens in lines": fill(`A_REF=ghp_${drawChars(alnum, 36, 4)}\n`),
    "tokens in tokens": fill(`p_${"ghp_".repeat(12)}32886565105\n`),
    "tokens glued to one another": fill(`key_${drawChars(hex, 48, 3)}`),
    "joined texts that do not end": fill(
      String.raw`,\"requestId\":\"\"token\":req_${drawChars(alnum, 24, 6)}\",\"type\"`,
    ),
    "marks in tokens": fill("1fILnD-H3yJf-p_VftiLT3BlbkFJ1fI"),
  };

  test.each(Object.entries(adversarial))("[SC4] is linear for %s (abuse 124)", (_name, text) => {
    let work = 0;
    let passes = 0;
    const counted = createScrubber({
      hmac: fakeHmac,
      onWork: (visited) => {
        passes++;
        work = Math.max(work, visited);
      },
    });
    const { findings } = counted.scrub(text);
    expect(work).toBeLessThanOrEqual(workPerCharMax * text.length + workBaseMax);
    expect(passes).toBeLessThan(passesMax);
    expect(findings.every((finding) => finding.kind !== "withheld")).toBe(true);
  });
});

describe("faults", () => {
  test("[SC5] a text that is too long is withheld", () => {
    const { text, findings } = scrubber.scrub("a".repeat(textCharsMax + 1));
    expect(isPlaceholder(text)).toBe(true);
    expect(text).toContain("__SECRET_withheld_");
    expect(findings.map((finding) => finding.kind)).toEqual(["withheld"]);
  });

  test("[SC5] a text is withheld when its tag cannot be made", () => {
    const broken = createScrubber({
      hmac: () => {
        throw new Error("no key");
      },
    });
    const { text, findings } = broken.scrub(`DB_PASSWORD=${password}`);
    expect(isPlaceholder(text)).toBe(true);
    expect(findings).toHaveLength(1);
    expect(broken.scrub("nothing to hide").text).toBe("nothing to hide");
    expect(broken.scrubJson({ a: `DB_PASSWORD=${password}` }).value).toEqual({ a: text });
  });

  test("[SC5] a short HMAC is a fault, and the text is withheld", () => {
    const broken = createScrubber({ hmac: () => new Uint8Array(4) });
    expect(isPlaceholder(broken.scrub(`DB_PASSWORD=${password}`).text)).toBe(true);
  });

  test("[SC5] JSON nested too deeply is withheld where it is too deep", () => {
    let deep: unknown = `DB_PASSWORD=${password}`;
    for (let depth = 0; depth < 100_000; depth++) deep = [deep];
    const { value, findings } = scrubber.scrubJson({ kept: 1, deep: deep as never });
    expect((value as { kept: number }).kept).toBe(1);
    expect(findings.map((finding) => finding.kind)).toEqual(["withheld"]);
  });
});

describe("placeholders", () => {
  test("[SC3] different secrets have different placeholders", () => {
    const seen = new Set<string>();
    for (let seed = 0; seed < 500; seed++)
      seen.add(scrubber.scrub(`API_KEY=${drawChars(alnum, 32, seed)}`).text);
    expect(seen.size).toBe(500);
  });

  test("[SC3] a guessable secret takes the second key", () => {
    const two = createScrubber({
      hmac: fakeHmac,
      hmacLowEntropy: (message) => fakeHmac(`2${message}`),
    });
    const weak = `DB_PASSWORD=${["hun", "ter2"].join("")}`;
    const strong = `API_KEY=${drawChars(alnum, 40, 1)}`;
    expect(two.scrub(weak).text).not.toBe(scrubber.scrub(weak).text);
    expect(two.scrub(strong).text).toBe(scrubber.scrub(strong).text);
  });

  test("[SC3] a password has one placeholder in a URL, a flag and a file", () => {
    const tricky = ["p@s", "s/w0", "rd"].join("");
    const inUrl = scrubber.scrub(`postgres://bob:${encodeURIComponent(tricky)}@db/x`).text;
    const inFile = scrubber.scrub(`DB_PASSWORD="${tricky}"`).text;
    const tagOf = (text: string): string | undefined => /_([a-z2-7]{12})__/.exec(text)?.[1];
    expect(tagOf(inUrl)).toBe(tagOf(inFile));
    expect(inUrl).toMatch(/^postgres:\/\/bob:__SECRET_credential_[a-z2-7]{12}__@db\/x$/);
  });

  test("[SC2] a placeholder in any context stays as it is", () => {
    const { text } = scrubber.scrub(`API_KEY=${drawChars(alnum, 32, 1)}`);
    const placeholder = text.slice("API_KEY=".length);
    expect(placeholder).toMatch(placeholderPattern);
    for (const write of Object.values(namedContexts)) {
      const given = write("DB_PASSWORD", placeholder);
      expect(scrubber.scrub(given)).toEqual({ text: given, findings: [] });
    }
  });

  test("[SC2] what stands beside a placeholder is still taken out", () => {
    const { text } = scrubber.scrub(`DB_PASSWORD=${password}__SECRET_jwt_abcdefghijkl__`);
    expect(text).not.toContain(password);
    expect(text).toContain("__SECRET_jwt_abcdefghijkl__");
  });
});

describe("private tags", () => {
  test("[SC6] what is marked private goes, tags and all", () => {
    const { text } = scrubber.scrub("a <private>my diary</private> b");
    expect(text).toMatch(/^a __SECRET_private_[a-z2-7]{12}__ b$/);
  });

  test("[SC6] what HTML shows of such tags goes, and stays where it tells of them", () => {
    const { text } = scrubber.scrub("a &lt;private&gt;my diary&lt;/private&gt; b");
    expect(text).toMatch(/^a __SECRET_private_[a-z2-7]{12}__ b$/);
    const told = "put &lt;private&gt; around it";
    expect(scrubber.scrub(told).text).toBe(told);
  });

  test("[SC6] a tag left open is private to the end", () => {
    expect(scrubber.scrub("a <PRIVATE>rest\nof it").text).toMatch(
      /^a __SECRET_private_[a-z2-7]{12}__$/,
    );
  });

  test("[SC6] tags may nest", () => {
    const text = "x <private>a<private>b</private>c</private> y";
    expect(scrubber.scrub(text).text).toMatch(/^x __SECRET_private_[a-z2-7]{12}__ y$/);
  });

  test("[SC8] a tag left open in JSON ends with its string", () => {
    const { text } = scrubber.scrub(JSON.stringify({ a: "x <private>secret", b: "kept" }));
    const parsed = JSON.parse(text) as { a: string; b: string };
    expect(parsed.a).toMatch(/^x __SECRET_private_/);
    expect(parsed.b).toBe("kept");
  });
});

describe("JSON values", () => {
  test("[SC9] keys, pairs and flags are context", () => {
    const { value, findings } = scrubber.scrubJson({
      password,
      nested: {
        headers: {
          Cookie: `sid=${drawChars(alnum, 20, 1)}; theme=dark`,
          Authorization: `Token ${drawChars(alnum, 30, 2)}`,
        },
      },
      env: [
        { name: "DB_PASSWORD", value: password },
        { name: "PORT", value: "5432" },
      ],
      argv: ["tool", "--password", password, "--user", "bob"],
      pin: { password: 83_920_174, max_tokens: 4096 },
    });
    expect(JSON.stringify(value)).not.toContain(password);
    expect(JSON.stringify(value)).toContain("theme=dark");
    expect(JSON.stringify(value)).toContain('"PORT","value":"5432"');
    expect(JSON.stringify(value)).toContain('"max_tokens":4096');
    expect(findings.map((finding) => finding.path)).toEqual([
      "/password",
      "/nested/headers/Cookie",
      "/nested/headers/Authorization",
      "/env/0/value",
      "/argv/2",
      "/pin/password",
    ]);
  });

  test("[SC9] keys are scrubbed as well", () => {
    const [token = ""] = tokenRules.map((rule) => drawToken(rule, 3));
    const { value, findings } = scrubber.scrubJson({ [token]: 1, __proto__x: 2 });
    expect(JSON.stringify(value)).not.toContain(token);
    expect(findings).toHaveLength(1);
  });

  test("[SC9] a key that means something to an object stays a key", () => {
    const given = JSON.parse('{"__proto__":{"a":1},"b":2}');
    expect(JSON.stringify(scrubber.scrubJson(given).value)).toBe('{"__proto__":{"a":1},"b":2}');
  });
});

describe("what is known of a text", () => {
  const strong = ["Xk7mQ2v", "Lp9Zr4Tb8"].join("");
  const named = `password = "${strong}"`;

  test("[SC10] lock files and minified code are searched for shapes alone", () => {
    for (const path of [
      "package-lock.json",
      "a/pnpm-lock.yaml",
      "yarn.lock",
      "Cargo.lock",
      "go.sum",
      "poetry.lock",
      "app.min.js",
      "site.min.css",
      "app.js.map",
      "app.css.map",
      "node_modules/a/b.js",
      String.raw`a\node_modules\b.js`,
      "bun.lock",
      "bun.lockb",
      "gradle.lockfile",
    ]) {
      expect([path, testScrubber().scrub(named, { path }).text]).toEqual([path, named]);
    }
    for (const path of [
      "package.json",
      "my_node_modules/a.js",
      "app.js",
      "yarn.lock.txt",
      "app.min.jsx",
    ]) {
      expect([path, testScrubber().scrub(named, { path }).findings.length]).toEqual([path, 1]);
    }
    const parts = JSON.stringify({ a: [named], b: { password: strong } });
    expect(testScrubber().scrub(parts, { path: "a/yarn.lock" }).text).toBe(parts);
  });

  test("[SC9] under a header's name findings lie in the text that was given", () => {
    const text = `theme=dark; session_id=${strong}`;
    const { text: scrubbed, findings } = testScrubber().scrub(text, { name: "Cookie" });
    expect(scrubbed).toMatch(/^theme=dark; session_id=__SECRET_\w+__$/);
    expect(findings.map(({ start, end }) => text.slice(start, end))).toEqual([strong]);
    const bearer = testScrubber().scrub(`Bearer ${strong}`, { name: "Authorization" });
    expect(bearer.text).toMatch(/^Bearer __SECRET_\w+__$/);
    expect(bearer.findings.map(({ start, end }) => [start, end])).toEqual([[7, 23]]);
  });

  test("[SC5] what is withheld says so, and takes a tag of its own", () => {
    const fail = (): never => {
      throw new Error("no key");
    };
    const { text, findings } = testScrubber({ hmac: fail }).scrub(named);
    expect(text).toBe("__SECRET_withheld_aaaaaaaaaaaa__");
    const withheld = { kind: "withheld", ruleId: "withheld", confidence: "low", layer: "plain" };
    expect(findings).toEqual([
      { ...withheld, start: 0, end: named.length, placeholderTag: "aaaaaaaaaaaa" },
    ]);
    expect(testScrubber({ hmac: fail }).scrub("nothing here").text).toBe("nothing here");
    const json = testScrubber({ hmac: fail }).scrubJson({ password: strong });
    expect(json.value).toEqual({ password: "__SECRET_withheld_aaaaaaaaaaaa__" });
  });

  test("[SC12] numbers of JSON are looked at where personal data is asked for, or a literal is one", () => {
    const card = Number(["4539", "1488", "0343", "6467"].join(""));
    const value = { card, n: 7 };
    expect(testScrubber().scrubJson(value).value).toEqual(value);
    expect(testScrubber({ personalData: true }).scrubJson(value).value).toEqual({
      card: expect.stringMatching(/^__SECRET_\w+__$/) as unknown,
      n: 7,
    });
    expect(testScrubber({ literals: [String(card)] }).scrubJson(value).value).not.toEqual(value);
  });

  test("[SC8] where JSON is not kept, findings have their places in the text", () => {
    const text = `{"password": ${JSON.stringify(`a"${strong}`)}, "n": 1}`;
    const { findings } = testScrubber({ keepsJson: false }).scrub(text);
    expect(findings).toHaveLength(1);
    expect(text.slice(findings[0]?.start, findings[0]?.end)).toContain(strong);
  });
});
