import { generateKeyPairSync, randomBytes, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

const upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const digits = "0123456789";
const letters = upper + upper.toLowerCase() + digits;

/**
 * Secrets made up for one run: the right shape and check sum, and no door anywhere opens to them.
 * They are put together here, so that no file of the project holds one.
 */
export function createSecrets() {
  const key = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = key.privateKey.export({ type: "pkcs8", format: "pem" }).trim();
  return {
    awsKeyId: ["AK", "IA", pick(`${upper}234567`, 16)].join(""),
    awsSecretKey: searchable(() => pick(`${letters}/+`, 40)),
    githubToken: githubToken(),
    privateKey: pem,
    databasePassword: pick(letters, 24),
    bearerToken: searchable(() => randomBytes(33).toString("base64url")),
  };
}

/** What each of the secrets is, for people. */
export const secretNames = {
  awsKeyId: "AWS key",
  awsSecretKey: "AWS key",
  githubToken: "GitHub token",
  privateKey: "private key",
  databasePassword: "database password",
  bearerToken: "bearer token",
};

/** The parts of a secret that must not be found: of a private key its lines, else the whole. */
export function partsOf(secret) {
  return secret.split("\n").filter((line) => !line.startsWith("-----"));
}

/**
 * Draws until a secret has an unbroken stretch long enough to be known by its end alone. One in
 * some hundred has none: signs such as - and _ happen to cut it into short pieces.
 */
function searchable(draw) {
  for (;;) {
    const secret = draw();
    if (/[A-Za-z0-9]{16}/.test(secret)) return secret;
  }
}

/** Thirty letters and six that check them, as GitHub makes its tokens. */
function githubToken() {
  const random = pick(letters, 30);
  return ["gh", "p_", random, base62(crc32(random)).padStart(6, "0")].join("");
}

function base62(number) {
  const alphabet = digits + upper + upper.toLowerCase();
  let rest = number;
  let text = "";
  while (rest > 0) {
    text = alphabet[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

function pick(alphabet, count) {
  return Array.from({ length: count }, () => alphabet[randomInt(alphabet.length)]).join("");
}
