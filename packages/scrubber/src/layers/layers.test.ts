import { describe, expect, test } from "vitest";
import type { Finding } from "../finding.ts";
import { alnum, base64, drawChars, testScrubber } from "../testing/fakes.ts";
import {
  inLines,
  toBase64,
  toBase64Url,
  toCodedJson,
  toEntities,
  toHex,
  toPercent,
  toWide,
} from "../testing/encodings.ts";

const scrubber = testScrubber();
const password = ["Tr0ub4", "dor&3x"].join("");
const token = `${["gh", "p_"].join("")}${drawChars(alnum, 36, 4)}`;
const keyLines = [0, 1, 2, 3].map((seed) => drawChars(base64, 64, seed)).join("\n");
const armour = (place: string): string => `-----${place} RSA PRIVATE KEY-----`;
const key = `${armour("BEGIN")}\n${keyLines}\n${armour("END")}\n`;
const dotenv = `APP=web\nDB_PASSWORD="${password}"\nPORT=80\n`;
const json = JSON.stringify({ user: "ann", password, note: "é" });

const placeholderIn = (text: string): string =>
  /__SECRET_\w+?_[a-z2-7]{12}__/.exec(text)?.[0] ?? "";
const layerOf = (findings: readonly Finding[]): readonly string[] => [
  ...new Set(findings.map(({ layer }) => layer)),
];

const runs: Readonly<Record<string, readonly [write: (text: string) => string, layer: string]>> = {
  base64: [toBase64, "base64"],
  "base64url without padding": [toBase64Url, "base64"],
  "base64 twice": [(text) => toBase64(toBase64(text)), "base64"],
  "base64 in three layers": [(text) => toBase64(toHex(toBase64(text))), "base64"],
  "base64 in lines of 76": [(text) => inLines(toBase64(text), 76), "base64"],
  "base64 in lines of 64 with CRLF": [(text) => inLines(toBase64(text), 64, "\r\n"), "base64"],
  "base64 in lines with line numbers": [
    (text) => inLines(toBase64(text), 60, "\n    2\t"),
    "base64",
  ],
  "base64 in strings": [(text) => inLines(toBase64(text), 60, '" +\n  "'), "base64"],
  "base64 with escaped slashes": [(text) => toBase64(text).replaceAll("/", "\\/"), "base64"],
  "base64 of UTF-16": [toWide, "base64"],
  hex: [toHex, "hex"],
  "hex in capitals": [(text) => toHex(text).toUpperCase(), "hex"],
  "hex in lines": [(text) => inLines(toHex(text), 60), "hex"],
  "hex of base64": [(text) => toHex(toBase64(text)), "hex"],
};

describe.each(Object.entries(runs))("%s", (_name, [write, layer]) => {
  const inside = { token: `use ${token} for it\n`, key, dotenv, json };

  test.each(Object.entries(inside))("[SC20] holds a secret and goes as a whole: %s", (_, text) => {
    if (layer === "base64" && write === toWide && text === json) return;
    const { text: out, findings } = scrubber.scrub(`{"file": "${write(text)}", "n": 1}`);
    expect(out).toMatch(/^\{"file": "__SECRET_\w+__", "n": 1\}$/);
    expect(layerOf(findings)).toEqual([layer]);
    expect(findings).toHaveLength(1);
    expect(scrubber.scrub(out)).toEqual({ text: out, findings: [] });
  });

  test("[SC3] the secret has the placeholder that it has bare", () => {
    for (const text of [`use ${token} for it\n`, key, dotenv]) {
      const bare = placeholderIn(scrubber.scrub(text).text);
      expect(bare).not.toBe("");
      expect(placeholderIn(scrubber.scrub(`data: ${write(text)}\n`).text)).toBe(bare);
    }
  });

  test("[SC10] what holds no secret stays", () => {
    const text = "The build ran on four workers and wrote its report to dist/report.html today.\n";
    const given = `{"file": "${write(text)}", "n": 1}`;
    expect(scrubber.scrub(given)).toEqual({ text: given, findings: [] });
  });
});

describe("runs among other text", () => {
  test.each([
    ["after an escaped line end", (run: string) => `{"t":"a\\n${run}\\nb"}`],
    ["after a coded quote", (run: string) => `{\\u0022data\\u0022:\\u0022${run}\\u0022}`],
    ["in a colour", (run: string) => `\u001b[32m${run}\u001b[0m`],
    ["in a path", (run: string) => `GET /v1/files/${run} HTTP/1.1`],
    ["as an added line", (run: string) => `@@ -0,0 +1 @@\n+${run}\n`],
    ["in a shell", (run: string) => `echo ${run} | base64 -d > .env`],
    ["cut off before", (run: string) => `…${run.slice(3)}`],
    ["in a data address", (run: string) => `data:text/plain;base64,${run}`],
  ] as const)("[SC20] are found %s (abuse 127)", (_name, place) => {
    const out = scrubber.scrub(place(toBase64(`# settings\n${dotenv}`))).text;
    expect(out).toMatch(/__SECRET_credential_[a-z2-7]{12}__/);
    expect(out).not.toContain(toBase64(password).slice(0, 8));
  });

  test("[SC20] are found in the data of a cluster's secret, and its names stay", () => {
    const text = `kind: Secret\ndata:\n  app.env: ${toBase64(dotenv)}\n  tls.key: ${toBase64(key)}\n  region: ${toBase64("eu-west-1 and nothing else")}\n`;
    const out = scrubber.scrub(text).text;
    expect(out).toMatch(
      /^kind: Secret\ndata:\n {2}app\.env: __SECRET_\w+__\n {2}tls\.key: __SECRET_private_key_\w+__\n {2}region: [A-Za-z0-9+/]+=*\n$/,
    );
  });

  test("[SC10] hashes, ids, pictures and words stay", () => {
    const picture = `iVBORw0KGgoAAAANSUhEUgAA${drawChars(base64, 400, 9)}`;
    const given = [
      `integrity: sha512-${drawChars(base64, 86, 1)}==`,
      `commit ${"0123456789abcdef0123".repeat(2)}`,
      `<img src="data:image/png;base64,${picture}">`,
      "src/components/authentication/PasswordResetForm/index.test.tsx",
      "6f1c2d3e-4a5b-4c6d-8e9f-0a1b2c3d4e5f",
      "-".repeat(80),
      "this_is_a_very_long_identifier_of_a_function_that_returns_tokens",
    ].join("\n");
    expect(scrubber.scrub(given)).toEqual({ text: given, findings: [] });
  });
});

describe("coded characters", () => {
  const found = (text: string, layer: string): string => {
    const { text: out, findings } = scrubber.scrub(text);
    expect(layerOf(findings)).toEqual([layer]);
    expect(scrubber.scrub(out)).toEqual({ text: out, findings: [] });
    return out.replaceAll(/__SECRET_\w+?_[a-z2-7]{12}__/g, "#");
  };

  test("[SC20] only the secret goes out of percent-encoded text", () => {
    const text = `https://host.test/cb?state=${toPercent(json)}&next=%2Fhome`;
    const kept = `https://host.test/cb?state=${toPercent(json).replace(toPercent(password), "#")}&next=%2Fhome`;
    expect(found(text, "percent")).toBe(kept);
  });

  test("[SC20] only the secret goes out of text that was percent-encoded twice", () => {
    const inner = toPercent(`https://in.test/?access_token=${token}&lang=en`);
    expect(found(`https://out.test/?to=${toPercent(inner)}`, "percent")).toBe(
      `https://out.test/?to=${toPercent(inner).replace(token, "#")}`,
    );
  });

  test("[SC20] a plus between coded characters is a blank", () => {
    const text = `body=${toPercent(`{"password": "${password}"}`).replaceAll("%20", "+")}`;
    expect(found(text, "percent")).toBe("body=%7B%22password%22%3A+%22#%22%7D");
  });

  test("[SC20] only the secret goes out of entities", () => {
    const text = `<div data-app="${toEntities(json)}">&lt;b&gt;</div>`;
    expect(found(text, "html")).toBe(text.replace(toEntities(password), "#"));
  });

  test("[SC20] only the secret goes out of JSON with coded quotes", () => {
    const text = toCodedJson(json);
    expect(found(text, "json")).toBe(text.replace(password.replace("&", "\\u0026"), "#"));
  });

  test("[SC20] a key goes out of coded text", () => {
    expect(found(`body=${toPercent(key)}&n=1`, "percent")).toBe("body=#%0A&n=1");
    expect(found(`<pre>&lt;key&gt;${key}&lt;/key&gt;</pre>`, "plain")).toBe(
      "<pre>&lt;key&gt;#\n&lt;/key&gt;</pre>",
    );
  });

  test("[SC20] a run in coded text goes, and names the outermost layer", () => {
    const run = toPercent(toBase64(dotenv));
    expect(found(`?data=${run}&n=1`, "percent")).toBe("?data=#&n=1");
  });

  test("[SC8] a bare number in coded JSON gets the quotes of its notation", () => {
    const pin = ["839", "201", "74"].join("");
    const text = `<i>{&quot;password&quot;: ${pin}, &quot;n&quot;: 1}</i>`;
    expect(found(text, "html")).toBe(
      "<i>{&quot;password&quot;: &quot;#&quot;, &quot;n&quot;: 1}</i>",
    );
  });

  test("[SC3] the secret has the placeholder that it has bare", () => {
    const bare = placeholderIn(scrubber.scrub(json).text);
    for (const write of [toPercent, toEntities, toCodedJson])
      expect(placeholderIn(scrubber.scrub(`body=${write(json)}`).text)).toBe(bare);
  });

  test("[SC10] formats, addresses and markup without secrets stay", () => {
    for (const text of [
      'printf("%20s %5d%%\\n", name, 10); git log --format="%an %ae %ad %cd"',
      "https://host.test/search?q=a%20b%26c&page=2#%E2%9C%93",
      "<p>Forgot your password? &lt;b&gt;Reset&lt;/b&gt; it &amp; sign in &quot;again&quot;.</p>",
      '{"text":"\\u003cb\\u003epassword\\u003c/b\\u003e is required \\u0026 checked"}',
    ]) {
      expect(scrubber.scrub(text)).toEqual({ text, findings: [] });
    }
  });
});

describe("tokens broken at the end of a line", () => {
  const broken = (width: number, written: string, tail = " # kept\n"): string => {
    const line = `${"echo ".repeat(40).slice(0, width - 20)}KEY=${written}`;
    return `${line.slice(0, width)}\n${line.slice(width)}${tail}`;
  };
  const vault = `${["hv", "s."].join("")}${drawChars(alnum, 120, 5)}`;

  test("[SC20] go whole, with the placeholder of the whole", () => {
    const bare = placeholderIn(scrubber.scrub(`KEY=${token}\n`).text);
    for (const width of [72, 80, 120, 160]) {
      const { text, findings } = scrubber.scrub(broken(width, token));
      expect(text).toMatch(/KEY=__SECRET_\w+__ # kept\n$/);
      expect(placeholderIn(text)).toBe(bare);
      expect(layerOf(findings)).toEqual(["wrapped"]);
    }
  });

  test("[SC20] go whole where any length would do", () => {
    const out = scrubber.scrub(broken(100, vault)).text;
    expect(out).toMatch(/KEY=__SECRET_\w+__ # kept\n$/);
  });

  test("[SC20] go whole below a line that is as long", () => {
    const text = broken(91, token);
    const above = `${"y".repeat(88)} zz\n`;
    expect(above.length).toBe(92);
    expect(scrubber.scrub(`${above}${text}`).text).toMatch(/KEY=__SECRET_\w+__ # kept\n$/);
    expect(scrubber.scrub(`${above.slice(1)}${text}`).text).toBe(`${above.slice(1)}${text}`);
  });

  test("[SC20] go whole over many lines", () => {
    const parts = [`{"alg":"HS256","typ":"JWT"}`, `{"sub":"${"7".repeat(300)}"}`, "x"];
    const jwt = parts.map((part) => toBase64Url(part.padEnd(30, " "))).join(".");
    const written = inLines(`curl https://host.test/v1/users?limit=10 --token ${jwt}`, 80);
    expect(scrubber.scrub(`$ ls\n${written}\ndone\n`).text).toMatch(
      / --token __SECRET_jwt_\w+?__\ndone\n$/,
    );
  });

  test("[SC10] a word of the next line stays", () => {
    const line = `${"echo ".repeat(40).slice(0, 36)}KEY=${token}`;
    expect(line.length).toBe(80);
    for (const next of ["PORT=80", "done", "Running tests"]) {
      expect(scrubber.scrub(`${line}\n${next}\n`).text).toMatch(
        new RegExp(`KEY=__SECRET_\\w+?_[a-z2-7]{12}__\n${next}\n$`),
      );
    }
  });
});
