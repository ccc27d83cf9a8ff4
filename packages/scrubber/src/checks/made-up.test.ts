import { expect, test } from "vitest";
import { testScrubber } from "../testing/fakes.ts";
import { isMadeUp, isMarkedWord } from "./made-up.ts";

const scrubber = testScrubber();
/** Passwords as people make them, from pieces. */
const made = [
  ["Lantern", "_", "meadow", "57"],
  ["Lantern", ".", "meadow", "48"],
  ["Lantern", "-", "meadow", "93", "!"],
  ["Lantern", "4071", "*"],
].map((parts) => parts.join(""));

const places: readonly string[] = [
  "password    @",
  'keyPassword "@"',
  "I logged in using the password `@` and it worked.",
  "the old password (@) still works",
  "sign in with username **admin** and password **@**",
  "Benutzername root, Passwort @",
  'const JWT_SECRET = process.env.JWT_SECRET ?? "@";',
  "host: 10.0.0.4\nusername: deploy\npassword: @",
  "the test account (ada / @) works",
];
const inAll = places.flatMap((place) => made.map((value) => [place, value] as const));

test.each(inAll)("[SC1] words and a number under a password's name go: %s %s", (place, value) => {
  const found = scrubber.scrub(place.replaceAll("@", value)).text;
  expect(found).not.toContain(value.replace(/!$/, ""));
});

test.each([
  ["cb?code=", ["_a-8dKx9", "2m_QpL3zZ-71"].join("")],
  ["verify/", ["Zk_8dKx92m-", "QpL3zZ7_w1Rt-9Xq2"].join("")],
])("[SC1] a token with marks in an address goes: %s", (path, token) => {
  expect(scrubber.scrub(`https://app.test/${path}${token}`).text).not.toContain(token);
});

test.each([
  ["server --db-pass ", ["qxTIZKYFjW", "RZKrHU"].join("")],
  ["server --db-pass ", ["amber", "guitar", "river", "meadow"].join("-")],
  ["WLAN-Schlüssel: ", ["Lantern", "1994", "!"].join("")],
  ['{"name": "DbPassword", "slot": false, "value": "', ["7.9.", "ckWzCb.", "cZ4yo87"].join("")],
])("[SC1] what a password's name says of letters, words and numbers goes: %s", (lead, value) => {
  expect(scrubber.scrub(`${lead}${value}`).text).not.toContain(value);
});

test.each([
  "password must match Field_type12",
  "password: Type.string64",
  "password: Data.decode64,",
  "let pass = Cipher.aes_round16;",
  "pass Loop_unroll16",
  "password: **required**",
  "the password (Check-in) is asked for",
  '{"version": "1.2.3-rc.1+build.77"}',
  "https://app.test/docs?code=this_is-a_long-slug-of-2024-words",
  "https://app.test/verify/my-team_invite-page-of-summer-2024",
  "api_key   Model_name12",
])("[SC10] what counts something, and what is named, stays: %s", (text) => {
  expect(scrubber.scrub(text).text).toBe(text);
});

test("[SC10] types and versions are not made up", () => {
  for (const value of ["Buffer.base64", "Data_Type32", "Sha_hash512", "Word", "Release-notes"]) {
    expect([value, isMadeUp(value), isMarkedWord(value)]).toEqual([value, false, false]);
  }
});
