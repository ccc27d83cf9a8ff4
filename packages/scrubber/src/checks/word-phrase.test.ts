import { describe, expect, test } from "vitest";
import { testScrubber } from "../testing/fakes.ts";
import { isWordPhrase } from "./word-phrase.ts";

const scrubber = testScrubber();
const words = ["marble", "ginger", "otter", "lantern"];
const phrase = words.join("-");
const spoken = words.join(" ");

describe("[SC1] words drawn as a pass-phrase go where a password is promised", () => {
  test.each([
    `userPassword: ${phrase}`,
    `JWT_SECRET: ${phrase}`,
    `olcRootPW: ${phrase}`,
    `Mot de passe : ${phrase}`,
    `storePassword "${phrase}"`,
    `username admin password 0 ${phrase}`,
    `id,email,password\n1,grace@acme.io,${phrase}\n`,
    `Het wachtwoord is ${phrase}`,
    `auth = ("victor", "${phrase}")\nrequests.get("https://api.acme.io", auth=auth)`,
    `My Wi-Fi password is "${spoken}".`,
  ])("%s", (text) => {
    const { text: scrubbed } = scrubber.scrub(text);
    for (const word of words) expect(scrubbed).not.toContain(word);
  });
});

test.each([
  "secretName: acme-web-frontend-certs",
  "password: login-form-password-label",
  "existingSecret: marble-ginger-otter-lantern",
  "tls-secret: marble-ginger-otter-lantern",
  "token: color-background-neutral-subtle",
  "The password is write-only-once-set",
  "password: must-not-be-too-short",
  "password = marble.ginger.otter.lantern",
])("[SC10] names and sentences of several words stay: %s", (text) => {
  expect(scrubber.scrub(text).text).toBe(text);
});

test("[SC1] a pass-phrase has four words and one mark between them", () => {
  expect(isWordPhrase(phrase)).toBe(true);
  expect(isWordPhrase(spoken)).toBe(false);
  expect(isWordPhrase(spoken, true)).toBe(true);
  expect(isWordPhrase(words.slice(1).join("-"))).toBe(false);
  expect(isWordPhrase("marble-ginger_otter-lantern")).toBe(false);
});
