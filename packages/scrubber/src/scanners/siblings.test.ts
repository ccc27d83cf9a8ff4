import { describe, expect, test } from "vitest";
import type { JsonValue } from "../finding.ts";
import { alnum, base64, drawChars, hex, testScrubber } from "../testing/fakes.ts";

const scrubber = testScrubber();
const drawn = drawChars(alnum, 24, 11);
const long = `${drawChars(base64, 86, 4)}==`;
const member = drawChars(alnum, 43, 6);
const open = drawChars(alnum, 43, 8);
const held = btoa(drawChars(alnum, 21, 9));

const objects: readonly (readonly [name: string, value: JsonValue, secret: string])[] = [
  ["an account's keys", [{ keyName: "key1", permissions: "FULL", value: long }], long],
  ["an output", { db: { sensitive: true, type: "string", value: drawn } }, drawn],
  ["an item of a vault", { fields: [{ id: "x", type: "CONCEALED", label: "pin", value: drawn }] }, drawn],
  ["a web key", { kty: "EC", crv: "P-256", x: open, d: member }, member],
  ["a symmetric web key", { alg: "HS256", k: member, kty: "oct" }, member],
  ["a list of cookies", { cookies: [{ name: "session", value: drawn }] }, drawn],
  ["a stored cookie", [{ name: "sid", value: drawn, domain: "x.example", httpOnly: true }], drawn],
  ["a drawn password", { type: "random_password", instances: [{ attributes: { length: 9, result: drawn } }] }, drawn],
  ["a cluster's secret", { data: { foo: held }, kind: "Secret" }, held],
  ["a parameter", { parameters: { adminPassword: { value: drawn } } }, drawn],
  ["a nested key", { Jwt: { Issuer: "acme", Key: drawn } }, drawn],
]; // prettier-ignore

describe("a value named by what stands beside it", () => {
  test.each(objects)("[SC9] goes leaf by leaf: %s", (_name, value, secret) => {
    const out = JSON.stringify(scrubber.scrubJson(value).value);
    expect(out.replace(/__SECRET_\w+?_[a-z2-7]{12}__/, secret)).toBe(JSON.stringify(value));
    expect(out).not.toContain(secret);
  });

  test.each(objects)("[SC1] goes from a text: %s", (_name, value, secret) => {
    for (const text of [JSON.stringify(value), JSON.stringify(value, null, 2)]) {
      const out = scrubber.scrub(text).text;
      expect(out.replace(/__SECRET_\w+?_[a-z2-7]{12}__/, secret)).toBe(text);
      expect(out).not.toContain(secret);
    }
  });
});

const harmless: readonly JsonValue[] = [
  [{ keyName: "id", permissions: "READ", value: "users" }],
  { region: { sensitive: false, type: "string", value: drawn } },
  { sensitive: true, type: "string", value: "(sensitive value)" },
  { kty: "EC", crv: "P-256", x: open, y: member },
  { d: "M150 0 L75 200 L225 200 Z", k: "x" },
  { cookies: [{ name: "theme", value: "dark-mode-2" }] },
  { kind: "ConfigMap", data: { foo: held } },
  { cache: { key: `users-${drawChars(hex, 16, 2)}` } },
  { index: { key: { _id: 1 }, name: "_id_" } },
  { headers: { "X-Request-Id": drawChars(hex, 32, 5) } },
];

test.each(harmless.map((value) => [value]))("[SC10] other values stay: %j", (value) => {
  expect(scrubber.scrubJson(value).value).toEqual(value);
  expect(scrubber.scrub(JSON.stringify(value)).text).toBe(JSON.stringify(value));
});

describe("a cluster's secret in YAML", () => {
  test("[SC1] goes whatever its key is, though its kind comes after it", () => {
    const text = `apiVersion: v1\ndata:\n  foo: ${held}\n  user: YWRtaW4=\nkind: Secret\nmetadata:\n  name: db\n`;
    const out = scrubber.scrub(text).text;
    expect(out.replace(/__SECRET_\w+?_[a-z2-7]{12}__/, held)).toBe(text);
    expect(out).not.toContain(held);
  });

  test("[SC10] another document of the same stream stays", () => {
    const text = `kind: ConfigMap\ndata:\n  foo: ${held}\n---\nkind: Secret\nmetadata:\n  name: db\n`;
    expect(scrubber.scrub(text).text).toBe(text);
  });
});
