import { type Kind, named, shaped, snippet } from "../corpus/kind.ts";
import { must, secret, toBase64 } from "../corpus/marks.ts";
import type { Random } from "../corpus/random.ts";
import { chars, fill, password, uuid, word } from "../corpus/template.ts";

const url64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** A JSON web token with a signature of a given length; none if that is zero. */
export function jwt(random: Random, signature: number = 43): string {
  const algorithm = signature === 0 ? "none" : signature === 43 ? "HS256" : "RS256";
  const head = random.chance(0.3)
    ? { typ: "JWT", alg: algorithm, kid: chars(random, "hex", 8) }
    : { alg: algorithm, typ: "JWT" };
  const claims = {
    sub: uuid(random),
    iss: `https://auth.${word(random)}.test/`,
    iat: random.int(1_700_000_000, 1_790_000_000),
    scope: "read write",
  };
  return `${url64(head)}.${url64(claims)}.${chars(random, "w", signature)}`;
}

function jwe(random: Random): string {
  const head = url64({ alg: "RSA-OAEP", enc: "A256GCM" });
  return [head, 342, 16, 120, 22]
    .map((part) => (typeof part === "number" ? chars(random, "w", part) : part))
    .join(".");
}

const opaque = (random: Random): string =>
  random.pick([
    () => chars(random, "w", random.int(32, 64)),
    () => chars(random, "hex", 40),
    () => `${chars(random, "an", 24)}.${chars(random, "an", 24)}`,
    () => uuid(random),
  ])();

const host = (random: Random): string => must(`api.${word(random)}.test`);

/** A request as `curl -v` and proxies show it, with one header of interest. */
function request(random: Random, header: string): string {
  return random.pick([
    () =>
      `GET /v1/${word(random)} HTTP/1.1\r\nHost: ${host(random)}\r\n${header}\r\nAccept: */*\r\n\r\n`,
    () => `> GET /v1/me HTTP/2\n> Host: ${host(random)}\n> ${header}\n> accept: */*`,
    () => `curl -sS -H "${header}" https://${host(random)}/v1/${word(random)}`,
    () => `curl https://${host(random)}/v1 --header '${header}' -o out.json`,
    () => `http GET https://${host(random)}/ping '${header}'`,
  ])();
}

const basic = (random: Random): string =>
  Buffer.from(`${word(random)}:${password(random)}`).toString("base64");

const headerNames = {
  "x-api-key": "X-Api-Key",
  "x-auth-token": "X-Auth-Token",
  "private-token": "PRIVATE-TOKEN",
  "x-amz-security-token": "X-Amz-Security-Token",
  "x-vault-token": "X-Vault-Token",
  "x-goog-api-key": "x-goog-api-key",
  "api-key": "api-key",
  "x-access-token": "X-Access-Token",
  "x-csrf-token": "X-CSRF-Token",
  "subscription-key": "Ocp-Apim-Subscription-Key",
  "x-gitlab-token": "X-Gitlab-Token",
} as const;

const cookieValues: Readonly<Record<string, string>> = {
  sessionid: "<low:32>",
  "connect.sid": "s%3A<w:32>.<an:43>",
  PHPSESSID: "<low:26>",
  JSESSIONID: "<HEX:32>",
  "__Host-session": "<w:43>",
  "__Secure-next-auth.session-token": "<w:64>",
  ".ASPXAUTH": "<HEX:96>",
  _gitlab_session: "<hex:32>",
  laravel_session: "eyJpdiI6I<an:120>%3D%3D",
  remember_token: "<d:4>|<hex:128>",
  access_token: "<w:40>",
};

function cookieHeader(random: Random, name: string, template: string): string {
  const pair = `${must(name)}=${secret(fill(random, template))}`;
  return random.pick([
    () => request(random, `Cookie: theme=dark; ${pair}; lang=en`),
    () => request(random, `Cookie: ${pair}`),
    () => `Set-Cookie: ${pair}; Path=/; HttpOnly; SameSite=Lax\r\n`,
    () => `curl -b '${pair}' https://${host(random)}/account`,
    () => `{"cookies": [{"name": "${must(name)}", "value": "${secret(fill(random, template))}"}]}`,
  ])();
}

function digest(random: Random): string {
  return `Authorization: Digest username="${must(word(random))}", realm="ops", nonce="${chars(random, "hex", 32)}", uri="/status", response="${secret(chars(random, "hex", 32))}"`;
}

function awsSignature(random: Random): string {
  return `Authorization: AWS4-HMAC-SHA256 Credential=${secret(`AKIA${chars(random, "b32", 16)}`)}/20260311/us-east-1/s3/aws4_request, SignedHeaders=host;x-amz-date, Signature=${secret(chars(random, "hex", 64))}`;
}

const scheme = (id: string, name: string, draw: (random: Random) => string): Kind =>
  snippet("P1", "authorization header", id, (random) =>
    request(random, `${must("Authorization")}: ${name} ${secret(draw(random))}`),
  );

/** Tokens that carry their own description, headers, cookies, keys of frameworks. */
export const sessionKinds: readonly Kind[] = [
  shaped("P1", "jwt", (random) => jwt(random), "ACCESS_TOKEN ID_TOKEN SESSION_TOKEN"),
  shaped("P1", "jwt-rs256", (random) => jwt(random, 342), "ACCESS_TOKEN JWT"),
  shaped("P1", "jwt-unsigned", (random) => jwt(random, 0), "ACCESS_TOKEN JWT"),
  shaped("P1", "jwe", jwe, "ID_TOKEN SESSION_JWE"),
  snippet(
    "P1",
    "wrapped token",
    "jwt-base64",
    (random) => `saved: ${toBase64(secret(jwt(random)))}`,
  ),
  scheme("authorization-bearer", "Bearer", opaque),
  scheme("authorization-bearer-jwt", "Bearer", (random) => jwt(random)),
  scheme("authorization-basic", "Basic", basic),
  scheme("authorization-token", "Token", (random) => chars(random, "hex", 40)),
  scheme("authorization-apikey", "ApiKey", (random) => `${chars(random, "b64", 58)}==`),
  scheme("authorization-bot", "Bot", (random) => fill(random, "<w:24>.<w:6>.<w:27>")),
  scheme("proxy-authorization", "Basic", basic),
  snippet("P1", "authorization header", "authorization-digest", digest),
  snippet("P1", "authorization header", "authorization-aws4", awsSignature),
  ...Object.entries(headerNames).map(([id, name]) =>
    snippet("P1", "token header", `header-${id}`, (random) =>
      request(random, `${must(name)}: ${secret(opaque(random))}`),
    ),
  ),
  ...Object.entries(cookieValues).map(([name, template]) =>
    snippet("P1", "cookie", `cookie-${name.toLowerCase().replaceAll(/[^a-z]+/g, "-")}`, (random) =>
      cookieHeader(random, name, template),
    ),
  ),
  named("P1", "rails-master-key", "<hex:32>", "RAILS_MASTER_KEY"),
  named("P1", "rails-secret-key-base", "<hex:128>", "SECRET_KEY_BASE"),
  named(
    "P1",
    "django-secret-key",
    "django-insecure-<low:24>!<low:8>^<low:6>_<low:9>",
    "SECRET_KEY DJANGO_SECRET_KEY",
  ),
  named("P1", "laravel-app-key", "base64:<b64:43>=", "APP_KEY"),
  named("P1", "encryption-key-hex", "<hex:64>", "ENCRYPTION_KEY SIGNING_KEY JWT_SECRET"),
  named("P1", "encryption-key-base64", "<b64:43>=", "COOKIE_SECRET MASTER_KEY DATA_ENCRYPTION_KEY"),
  named("P1", "nextauth-secret", "<b64:43>=", "NEXTAUTH_SECRET AUTH_SECRET"),
  named("P1", "webhook-secret", "<hex:40>", "WEBHOOK_SECRET GITHUB_WEBHOOK_SECRET"),
  named("P1", "totp-seed", "<b32:32>", "TOTP_SECRET MFA_SECRET"),
  named(
    "P1",
    "generic-password",
    password,
    "DB_PASSWORD ADMIN_PASSWORD SMTP_PASSWORD REDIS_PASSWORD",
  ),
  named("P1", "generic-pwd", password, "DB_PWD SA_PWD"),
  named("P1", "generic-passphrase", password, "SSH_PASSPHRASE GPG_PASSPHRASE"),
  named("P1", "generic-secret", "<an:32>", "APP_SECRET CLIENT_SECRET SHARED_SECRET"),
  named("P1", "generic-token", "<an:40>", "API_TOKEN ACCESS_TOKEN DEPLOY_TOKEN"),
  named("P1", "generic-api-key", "<w:36>", "API_KEY SERVICE_API_KEY INTERNAL_APIKEY"),
  named("P1", "generic-credential", "<an:28>", "SERVICE_CREDENTIAL PROXY_CREDENTIALS"),
  named("P1", "generic-uuid-key", "<uuid>", "API_KEY LICENSE_KEY CLIENT_SECRET"),
];
