import { expect, test } from "vitest";
import { alnum, base64, drawChars, testScrubber } from "../testing/fakes.ts";

const scrubber = testScrubber();
const key = drawChars(alnum, 24, 51);
const sealed = `Ag${drawChars(base64, 80, 52)}`;
const bare = (text: string): string =>
  scrubber.scrub(text).text.replaceAll(/__SECRET_\w+?_[a-z2-7]{12}__/g, "<>");

const untouched: readonly string[] = [
  "if password != repeat_password:",
  "assert token != other_token2",
  "while api_key != settings.API_KEY_2:",
  "webtoken: WebTokenError: signature does not match",
  "JWT_SECRET: errors.KeyError: not set",
  "#password:focus-within{outline:1px solid red}",
  "#new-password:not(.wide), #token:hover { color: red }",
  "input.password:-webkit-autofill { color: red }",
  "DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/1000/bus",
  "XDG_SESSION_PATH=/org/freedesktop/DisplayManager/Session0",
  'const STORAGE_KEY = "@shop/basket-v2";',
  'const STORAGE_KEY = "shop:basket:v2";',
  "amqp://guest:guest@localhost:5672/",
  "ftp://anonymous:anonymous@ftp.example.org/pub",
  `spec.encryptedData.password: ${sealed}`,
];

test.each(untouched)("[SC10] what only stands like a value stays: %s", (text) => {
  expect(scrubber.scrub(text).text).toBe(text);
});

test.each([
  `if (token != "<${key}>") return`,
  `#DB_PASSWORD=<${key}>`,
  `password: <focus-${key}>`,
  `JWT_SECRET: <${key}>`,
  `amqp://guest:<${key}>@localhost`,
  `const STORAGE_KEY = "<@${key}>"`,
])("[SC1] a value that stands alike goes: %s", (marked) => {
  expect(bare(marked.replace(/<(.*)>/, "$1"))).toBe(marked.replace(/<.*>/, "<>"));
});
