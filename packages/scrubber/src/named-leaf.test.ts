import { expect, test } from "vitest";
import { noteWhole, prefixFor } from "./named-leaf.ts";
import { createScan } from "./scan.ts";

const strong = ["Xk7mQ2v", "Lp9Zr4Tb8"].join("");

test("[SC9] a leaf under a header's name is looked at behind it, and no other", () => {
  for (const name of ["Cookie", "set-cookie", "Authorization", "Proxy-Authorization", "COOKIE"]) {
    expect(prefixFor({ name })).toBe(`${name}: `);
  }
  for (const name of [
    "cookies",
    "x-cookie",
    "cookie2",
    "x-authorization",
    "authorizations",
    "password",
    "",
  ]) {
    expect([name, prefixFor({ name })]).toEqual([name, ""]);
  }
  expect(prefixFor({})).toBe("");
});

/** What is noted of a text under a name, as kind and stretch. */
function noted(name: string, text: string): readonly string[] {
  const scan = createScan(text, false);
  noteWhole(scan, name);
  return scan.candidates.map((found) => {
    expect(found).toMatchObject({ ruleId: "json-key", layer: "json", rank: 0 });
    expect(found.canonical).toBe(text.slice(found.start));
    expect(found.end).toBe(text.length);
    return `${found.kind} ${text.slice(found.start)}`;
  });
}

test("[SC9] a leaf is a secret as a whole where its key promises one", () => {
  expect(noted("password", strong)).toEqual([`password ${strong}`]);
  expect(noted("access_token", strong)).toEqual([`token ${strong}`]);
  expect(noted("encryption_key", strong)).toEqual([`api_key ${strong}`]);
  expect(noted("title", strong)).toEqual([]);
  expect(noted("password", "${DB_PASSWORD}")).toEqual([]);
  expect(noted("access_token", "true")).toEqual([]);
});

test("[SC9] a scheme before a token stays", () => {
  for (const scheme of ["Bearer ", "basic  ", "Token ", "ApiKey ", "Bot "]) {
    expect(noted("token", scheme + strong)).toEqual([`token ${strong}`]);
  }
  expect(noted("password", `hello ${strong}`)).not.toEqual([`password ${strong}`]);
});

test("[SC9] a user before a password stays, where the name says that both are there", () => {
  expect(noted("basic_auth", "ada:hunter22")).toEqual(["password hunter22"]);
  expect(noted("auth", `ada:${strong}`)).toEqual([`password ${strong}`]);
});

test("[SC9] a bare word is a secret under a variable's name alone", () => {
  expect(noted("DB_PASSWORD", "horse")).toEqual(["password horse"]);
  expect(noted("db_password", "horse")).toEqual([]);
});

test("[SC4] no more than the end of a name and the start of a value is paid for", () => {
  const cost = (name: string, text: string): number => {
    const scan = createScan(text, false);
    noteWhole(scan, name);
    return scan.work - text.length;
  };
  expect([cost("password", strong), cost("password", "x1#".repeat(200)), cost("title", strong)]).toEqual([16, 256, 0]); // prettier-ignore
  expect(noted(`${"x".repeat(80)}_password`, strong)).toEqual([`password ${strong}`]);
});
