import { expect, test } from "vitest";
import type { Finding, Hint, JsonValue } from "./finding.ts";
import { scrubTree } from "./json-tree.ts";
import { jsonDepthMax } from "./limits.ts";

const found: Finding = {
  kind: "k",
  ruleId: "r",
  start: 0,
  end: 1,
  placeholderTag: "t",
  confidence: "high",
  layer: "plain",
};

/** Walks a value, and tells under which name each leaf was looked at; a text with `!` is found. */
function walked(
  value: JsonValue,
  { hint = {}, readsNumbers = false }: { hint?: Hint; readsNumbers?: boolean } = {},
): { value: JsonValue; names: readonly string[]; paths: readonly (string | undefined)[] } {
  const names: string[] = [];
  const scrub = (text: string, { name, path }: Hint = {}) => {
    names.push(`${name ?? "-"}${path === undefined ? "" : ` (${path})`}: ${text}`);
    const isFound = text.includes("!");
    return { text: text.replaceAll("!", "_"), findings: isFound ? [found] : [] };
  };
  const stub = (text: string) => ({ text: `stub of ${text}`, finding: { ...found, end: 99 } });
  const result = scrubTree({ scrub, stub, readsNumbers }, value, hint);
  return { value: result.value, names, paths: result.findings.map(({ path }) => path) };
}

/** The name under which the leaf `X` is looked at. */
function nameOf(value: JsonValue, hint: Hint = {}): string | undefined {
  const leaf = walked(value, { hint }).names.find(
    (each) => each.endsWith(": X") || each.endsWith(`: ${key}`),
  );
  return leaf?.split(":")[0];
}

const key = "Qm9vdHN0cmFwS2V5Rm9yVGVzdHNPbmx5MTIzNDU2Nzg5MA==";

test("[SC9] every leaf is looked at under its key, and every key by itself, once", () => {
  const { value, names } = walked({ user: "ada", list: [{ user: "bob" }, null, true, false, 7] });
  expect(value).toEqual({ user: "ada", list: [{ user: "bob" }, null, true, false, 7] });
  expect(names).toEqual(["-: user", "-: list", "user: ada", "user: bob"]);
  expect(walked("leaf").names).toEqual(["-: leaf"]);
  expect(walked("leaf", { hint: { name: "n", path: "p" } }).names).toEqual(["n (p): leaf"]);
  expect(walked({ a: "leaf" }, { hint: { path: "p" } }).names).toEqual(["-: a", "a (p): leaf"]);
});

test("[SC9] what is found tells its JSON pointer, with the scrubbed keys above it", () => {
  const { value, paths } = walked({ a: [0, { "b/c~d": "x!" }], "k!": { e: "y!" } });
  expect(value).toEqual({ a: [0, { "b/c~d": "x_" }], k_: { e: "y_" } });
  expect(paths).toEqual(["", "/a/1/b~1c~0d", "/k_/e"]);
  expect(walked("x!").paths).toEqual([""]);
});

test("[SC8] a key that means something to an object is data", () => {
  const before = JSON.parse('{"__proto__": "x!", "constructor": "y"}') as JsonValue;
  const { value } = walked(before);
  expect(JSON.stringify(value)).toBe('{"__proto__":"x_","constructor":"y"}');
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
});

test("[SC5] what lies deeper than is walked is withheld, and nothing above it", () => {
  let deep: JsonValue = ["bottom"];
  for (let depth = 1; depth < jsonDepthMax; depth++) deep = [deep];
  expect(walked(deep).names).toEqual(["-: bottom"]);
  const deeper = walked([deep]);
  expect(deeper.names).toEqual([]);
  expect(JSON.stringify(deeper.value)).toContain('"stub of too deep"');
  expect(deeper.paths).toEqual(["/0".repeat(jsonDepthMax)]);
});

test("[SC9] an argument is looked at under the flag before it, and a list under its own name", () => {
  expect(nameOf(["--api-key", "X"])).toBe("api-key");
  expect(nameOf({ args: ["--user", "ada", "X"] })).toBe("args");
  expect(nameOf({ args: ["-p", "X"] })).toBe("args");
  expect(nameOf({ args: ["--ab=c", "X"] })).toBe("args");
  expect(nameOf({ args: ["x--api-key", "X"] })).toBe("args");
  expect(nameOf({ args: [7, "X"] })).toBe("args");
  expect(nameOf(["--a", "X"])).toBe("-");
  expect(nameOf([`--${"a".repeat(41)}`, "X"])).toBe("a".repeat(41));
  expect(nameOf([`--${"a".repeat(42)}`, "X"])).toBe("-");
});

test("[SC9] a value is looked at under the name beside it, or above it where none is", () => {
  for (const name of ["name", "Name", "key", "Key"]) {
    for (const value of ["value", "Value", "VALUE", "defaultValue"]) {
      expect(nameOf({ [name]: "TOKEN", [value]: "X" })).toBe("TOKEN");
    }
  }
  expect(nameOf({ name: "a", key: "b", value: "X" })).toBe("a");
  expect(nameOf({ token: { value: "X" } })).toBe("token");
  expect(nameOf({ value: "X" })).toBe("value");
  expect(nameOf({ name: 7, value: "X" })).toBe("value");
  expect(nameOf({ name: "n".repeat(64), value: "X" })).toBe("n".repeat(64));
  expect(nameOf({ name: "n".repeat(65), value: "X" })).toBe("value");
  expect(nameOf({ name: "TOKEN", other: "X" })).toBe("other");
  expect(nameOf({ name: "TOKEN", valued: "X" })).toBe("valued");
});

test("[SC9] a bare key is named for what it is in", () => {
  expect(nameOf({ jwt: { key: "X" } })).toBe("jwt_key");
  expect(nameOf({ jwt: { Key: "X" } })).toBe("jwt_key");
  expect(nameOf({ key: "X" })).toBe("key");
  expect(nameOf({ jwt: { other: "X" } })).toBe("other");
});

test("[SC9] what a cluster's secret holds is secret, but for where and as whom one logs in", () => {
  for (const data of ["data", "stringData"]) {
    expect(nameOf({ kind: "Secret", [data]: { config: "X" } })).toBe("secret");
    expect(nameOf({ kind: "ConfigMap", [data]: { config: "X" } })).toBe("config");
    expect(nameOf({ kind: "Secret", [data]: { username: "X" } })).toBe("username");
    expect(nameOf({ kind: "Secret", [data]: { dbHost: "X" } })).toBe("dbHost");
  }
  expect(nameOf({ kind: "Secret", other: { config: "X" } })).toBe("config");
  expect(nameOf({ data: { config: "X" } })).toBe("config");
});

test("[SC9] a cookie is looked at under what its name says, in a list of cookies and elsewhere", () => {
  const cookie = (name: JsonValue): JsonValue => ({ cookies: [{ name, value: "X" }] });
  for (const name of [
    "PHPSESSID",
    "sid",
    "remember_me",
    "__Host-a",
    "__Secure-b",
    "csrf",
    "ticket",
  ]) {
    expect(nameOf(cookie(name))).toBe("session_token");
  }
  expect(nameOf(cookie("theme"))).toBe("theme");
  expect(nameOf(cookie(7))).toBe("cookies");
  expect(nameOf({ name: "sid", value: "X", httpOnly: true })).toBe("session_token");
  expect(nameOf({ name: "sid", value: "X", HttpOnly: true })).toBe("session_token");
  expect(nameOf({ name: "sid", value: "X", httpOnly: false })).toBe("sid");
  expect(nameOf({ name: "theme", value: "X", httpOnly: true })).toBe("theme");
  expect(nameOf({ name: "sid", value: "X" })).toBe("sid");
});

test("[SC9] what Terraform has drawn is a password, up to three objects below where it says so", () => {
  const drawn = (inner: JsonValue): JsonValue => ({
    type: "random_password",
    ...(inner as object),
  });
  expect(nameOf(drawn({ result: "X" }))).toBe("password");
  expect(nameOf(drawn({ a: { result: "X" } }))).toBe("password");
  expect(nameOf(drawn({ a: { b: { result: "X" } } }))).toBe("password");
  expect(nameOf(drawn({ a: { b: { c: { result: "X" } } } }))).toBe("password");
  expect(nameOf(drawn({ a: { b: { c: { d: { result: "X" } } } } }))).toBe("result");
  expect(nameOf({ type: "random_id", result: "X" })).toBe("result");
  expect(nameOf({ result: "X" })).toBe("result");
  expect(nameOf(drawn({ other: "X" }))).toBe("other");
});

test("[SC9] one of several passwords is one, if it can be nothing else", () => {
  const strong = ["Xk7", "#mQ2v", "Lp9"].join("");
  const names = (value: JsonValue): string =>
    walked(value).names.find((each) => each.endsWith(`: ${strong}`)) ?? "";
  expect(names({ passwords: { ada: strong } })).toBe(`password: ${strong}`);
  expect(names({ oldPasswords: { ada: strong } })).toBe(`password: ${strong}`);
  expect(names({ people: { ada: strong } })).toBe(`ada: ${strong}`);
  expect(nameOf({ passwords: { ada: "X" } })).toBe("ada");
});

test("[SC9] what stands beside a value says what it is", () => {
  for (const login of [
    "user",
    "username",
    "login",
    "email",
    "host",
    "hostname",
    "server",
    "account",
  ]) {
    expect(nameOf({ [login]: "a", pass: "X" })).toBe("password");
    expect(nameOf({ [`db_${login}`]: "a", db_pass: "X" })).toBe("password");
  }
  expect(nameOf({ smtpUser: "a", smtpPass: "X" })).toBe("password");
  expect(nameOf({ user: "a", smtpPass: "X" })).toBe("smtpPass");
  expect(nameOf({ pass: "X" })).toBe("pass");
  expect(nameOf({ user: "a", compass: "X" })).toBe("compass");
  expect(nameOf({ user: "a", "x.pass": "X", "x.user": "b" })).toBe("password");
  for (const member of ["d", "p", "q", "dp", "dq", "qi"]) {
    expect(nameOf({ kty: "RSA", [member]: "X" })).toBe("private_key");
    expect(nameOf({ [member]: "X" })).toBe(member);
    expect(nameOf({ kty: "oct", [member]: "X" })).toBe(member);
  }
  expect(nameOf({ kty: "oct", k: "X" })).toBe("private_key");
  for (const member of ["n", "e", "x", "k"]) {
    expect(nameOf({ kty: "RSA", [member]: "X" })).toBe(member);
  }
});

test("[SC9] a value goes by what its object says of it", () => {
  expect(nameOf({ sensitive: true, value: "X" })).toBe("secret");
  expect(nameOf({ sensitive: "true", value: "X" })).toBe("secret");
  expect(nameOf({ sensitive: false, value: "X" })).toBe("value");
  expect(nameOf({ type: "CONCEALED", value: "X" })).toBe("secret");
  expect(nameOf({ type: "STRING", value: "X" })).toBe("value");
  expect(nameOf({ purpose: "PASSWORD", value: "X" })).toBe("password");
  expect(nameOf({ purpose: "USERNAME", value: "X" })).toBe("value");
  expect(nameOf({ label: "recovery code", value: "X" })).toBe("recovery code");
  expect(nameOf({ id: "pin", value: "X" })).toBe("pin");
  expect(nameOf({ label: "a", id: "b", value: "X" })).toBe("a");
  expect(nameOf({ ParameterKey: "DbPassword", ParameterValue: "X" })).toBe("DbPassword");
  expect(nameOf({ OptionName: "DbPassword", OptionValue: "X" })).toBe("DbPassword");
  expect(nameOf({ OptionValue: "X" })).toBe("OptionValue");
  expect(nameOf({ keyName: "key1", value: key })).toBe("access_key");
  expect(nameOf({ keyName: "key1", value: "X" })).toBe("value");
  expect(nameOf({ keyName: "a", primaryKey: key })).toBe("access_key");
  expect(nameOf({ keyName: "a", secondaryKey: key })).toBe("access_key");
  expect(nameOf({ primaryKey: key })).toBe("primaryKey");
  expect(nameOf({ keyName: "a", primaryKey: "X" })).toBe("primaryKey");
});

test("[SC9] a number is looked at where its name promises a password, or everywhere if asked", () => {
  expect(walked({ password: 48_151_623, count: 48_151_623, pin: 1 }).names).toContain(
    "password: 48151623",
  );
  expect(walked({ count: 48_151_623 }).names).toEqual(["-: count"]);
  expect(walked({ password: 123 }).names).toEqual(["-: password"]);
  expect(walked([48_151_623]).names).toEqual([]);
  expect(walked({ count: 7 }, { readsNumbers: true }).names).toEqual(["-: count", "count: 7"]);
  expect(walked({ count: 7 }, { readsNumbers: true }).value).toEqual({ count: 7 });
});

test("[SC9] a number that is found becomes its placeholder, another stays a number", () => {
  const scrub = (text: string) => ({ text: text.replace(/^\d{8}$/, "gone"), findings: [] });
  const deps = { scrub, stub: () => ({ text: "", finding: found }) };
  const value = { password: 48_151_623, tel: 48_151_624, n: 7 };
  const secrets = scrubTree({ ...deps, readsNumbers: false }, value, {}).value;
  expect(secrets).toEqual({ password: "gone", tel: 48_151_624, n: 7 });
  const all = scrubTree({ ...deps, readsNumbers: true }, value, {}).value;
  expect(all).toEqual({ password: "gone", tel: "gone", n: 7 });
});
