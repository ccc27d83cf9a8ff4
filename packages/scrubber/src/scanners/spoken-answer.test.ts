import { describe, expect, test } from "vitest";
import { alnum, base64, drawChars, hex, testScrubber } from "../testing/fakes.ts";

const scrubber = testScrubber();
const drawn = `${drawChars(alnum, 11, 31)}q4X`;
const other = `${drawChars(alnum, 11, 37)}W7k`;
const hex64 = drawChars(hex, 64, 3);
const number = ["317", "69", "602"].join("");
const phrase = ["amber", "falcon", "noble", "pepper", "tundra"].join(" ");
const row = ["tvurfiqi", "uenwqafb"].join("");
const jumble = ["JsOg", "QJF6"].join("");
const accessKey = `${["AK", "IA"].join("")}${drawChars("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16, 4)}`;
const secretKey = `${drawChars(base64, 37, 6)}4aB`;
const groups = ["NQ0S4", "C9PZS", "13G7D"].join("-");

const said: readonly (readonly [text: string, ...secrets: string[]])[] = [
  [`[10:42] Karl: whats the root pass again?\n[10:43] Mia: ${drawn}`, drawn],
  [`> what's the admin password for the printer?\nit's ${number}`, number],
  [`Ada: do you know the wifi password?\nBob: yes, ${drawn}`, drawn],
  [`Ada: what is the API token?\nBob: ${drawn}${other}`, drawn],
  [`The keystore's password used to be changeit, it is now ${drawn}4.`, drawn],
  [`Secret key for the HMAC (${hex64}) must be the same on both sides.`, hex64],
  [`pwd for the zip = ${drawn}`, drawn],
  [`OPS-112 | Rotate creds\nold: ${drawn}\nnew: ${other}`, drawn, other],
  [`Use the test user (qa7@mail.example / ${drawn}) for it.`, drawn],
  [`/* test account: qa1 / ${drawn} */`, drawn],
  [`// default login admin/${drawn}`, drawn],
  [`# user: rep_admin / ${drawn}`, drawn],
  [`AWS key: ${accessKey} / ${secretKey} (eu-west-1)`, secretKey],
  [`Enter passphrase for /home/x/.ssh/id_rsa: ${phrase}\nIdentity added`, phrase],
  [`password: ${jumble}`, jumble],
  [`auth_pass: ${row}\n`, row],
  [`A senha do banco é ${drawn}=${other}, usuário app`, drawn],
  [`Das WLAN heißt Gast, der Schlüssel ist ${drawn}.`, drawn],
  [`Geheimnis: ${drawn}${other}`, drawn],
  [`Salasana on ${drawn}`, drawn],
  [`รหัสผ่าน: ${drawn}`, drawn],
  [`पासवर्ड: ${drawn}`, drawn],
  [`ο κωδικός είναι ${drawn}`, drawn],
  [`密码:${drawn}&?C550Y`, drawn, "C550Y"],
]; // prettier-ignore

const codes: readonly (readonly [text: string, ...secrets: string[]])[] = [
  [`G-${number.slice(2)} is your Google verification code.`, number.slice(2)],
  [`Die PIN für die Türanlage ist ${number.slice(2)}`, number.slice(2)],
  [`This is the PIN of the SIM: ${number.slice(4)}, PUK ${number}`, number, number.slice(4)],
  [`Freischaltcode: ${groups}`, groups],
  [`Code secret : ${number.slice(2)}`, number.slice(2)],
];

const kept: readonly string[] = [
  "Ada: do you know the wifi password?\nBob: no, ask Tom1984",
  "Q: What is the password policy?\nA: 12characters minimum",
  "What was the password length?\n16",
  "Did you reset the password?\n2024-01-01 12:00 yes",
  "The token used to be opaque, it is now JWT-based2.",
  "login page/login2FA is broken",
  "user: 1000 / 1000",
  "user (alice / bob-smith)",
  "service account: deploy / prod-cluster1",
  "the pin function returns 2024 of 4096",
  "Status code: 404123",
  "activation code: SOME-TEXT-HERE-ABCD",
  "Das bleibt unser Geheimnis: niemand weiß es2024",
  "el secreto: tu esfuerzo2",
  "password: getDbPw",
];

describe("what is said of a secret over two turns, in pairs and in numbers", () => {
  test.each([...said, ...codes])("[SC1] %s", (text, ...secrets) => {
    const found = scrubber.scrub(text).text;
    for (const secret of secrets) expect(found).not.toContain(secret);
    expect(found).toContain("__SECRET_");
  });

  test.each(kept)("[SC10] %s", (text) => {
    expect(scrubber.scrub(text).text).toBe(text);
  });

  test("[SC12] numbers of phones have national notations under a label", () => {
    const personal = testScrubber({ personalData: true });
    const first = ["0228 / 75", "12647"].join("");
    const second = ["090-83", "92-1469"].join("");
    expect(personal.scrub(`Telefon: ${first}`).text).not.toContain(first);
    expect(personal.scrub(`携帯: ${second}`).text).not.toContain(second);
    expect(personal.scrub(`Version ${second}`).text).toContain(second);
  });
});
