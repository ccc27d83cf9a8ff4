import { expect, test } from "vitest";
import { wordsOf } from "./name-words.ts";

test.each([
  ["dbPassword2", "db password"],
  ["DB_PASSWORD", "db password"],
  ["db--password", "db password"],
  ["__db.password__", "db password"],
  ["HTTPServerKey", "http server key"],
  ["myJWTToken", "my jwt token"],
  ["aws2Key", "aws key"],
  ["key123", "key"],
  ["v2key", "v2key"],
  ["k8sToken", "k8s token"],
  ["x_12_y", "x 12 y"],
  ["client_p12", "client p12"],
  ["key_b64", "key b64"],
  ["base64Key", "base64 key"],
  ["ED25519_PRIVATE", "ed25519 private"],
  ["", ""],
  ["__", ""],
] as const)("[SC1] the words of %s are %s", (name, words) => {
  expect(wordsOf(name).join(" ")).toBe(words);
});
