import { describe, expect, test } from "vitest";
import { alnum, base64, drawChars, hex, testScrubber } from "../testing/fakes.ts";

const scrubber = testScrubber();
const drawn = `${drawChars(alnum, 11, 31)}q4X`;
const other = `${drawChars(alnum, 11, 37)}W7k`;
const long = `${drawChars(alnum, 36, 5)}7bQ`;
const hex64 = drawChars(hex, 64, 3);
const key = `${drawChars(base64, 42, 23).replaceAll("/", "k")}4=`;
const phrase = ["amber", "falcon", "noble", "pepper", "tundra"].join(" ");

const declarations: readonly (readonly [text: string, ...secrets: string[]])[] = [
  [`var dbPassword string = "${drawn}"`, drawn],
  [`param adminPassword string = '${drawn}'`, drawn],
  [`v_password VARCHAR2(30) := '${drawn}';`, drawn],
  [`DECLARE @password nvarchar(64) = N'${drawn}'`, drawn],
  [`       77  FTP-PASSWORD  PIC X(20) VALUE "${drawn}".`, drawn],
  [`CONSTANTS gc_password TYPE c LENGTH 12 VALUE '${drawn}'.`, drawn],
  [`    DefaultPassword    REG_SZ    ${drawn}`, drawn],
  [`a:1:{s:9:"smtp_pass";s:14:"${drawn}";}`, drawn],
  [`password={{ '${drawn}' | password_hash('sha512') }}`, drawn],
  [`Parameters:\n  DBPassword:\n    Type: String\n    NoEcho: true\n    Default: ${drawn}\n`, drawn],
  [`password:\n  type: string\n  example: "${drawn}"\n`, drawn],
  [`"password": {"type": "string", "example": "${drawn}"}`, drawn],
  [`{:user "app" :db-password "${drawn}"}`, drawn],
  [`<AdministratorPassword>\n  <Value>${drawn}</Value>\n</AdministratorPassword>`, drawn],
  [`<wsse:Password Type="http://docs.example/2004/01/oasis-200401-wss-username-token-profile-1.0#PasswordText">${drawn}</wsse:Password>`, drawn],
  [`<passphrase>${phrase}</passphrase>`, phrase],
  [`my token (${long}) has expired`, long],
  [`API token (from the dashboard): ${long}`, long],
  [`Log in by ssh root@10.0.0.8, password ${drawn}, and look`, drawn],
  [`key = bytes.fromhex("${hex64}")`, hex64],
  [`private static readonly string Key = "${key}";`, key],
  [`here's my key: ${long}. Write me a script`, long],
]; // prettier-ignore

const names: readonly (readonly [text: string, ...secrets: string[]])[] = [
  [`export OP_SESSION_my="${long}"`, long],
  [`FASTLANE_SESSION='${long}'`, long],
  [`MFA_SEED: ${drawChars("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 30, 9)}72`, drawChars("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 30, 9)],
  [`fernet_key = ${key}`, key],
  [`RABBITMQ_ERLANG_COOKIE=${long}`, long],
  [`CENSUS_KEY = "${hex64.slice(0, 40)}"`, hex64.slice(0, 40)],
  [`pre_shared_key: ${drawn}`, drawn],
  [`REDIS_AUTH=${drawn}`, drawn],
  [`path = "tcp://cache:6379?auth=${drawn}"`, drawn],
  [`password: '${drawn}', password_confirmation: '${other}'`, drawn, other],
  [`process.env.SESSION_SECRET || '${phrase}'`, phrase],
  [`app.use(session({ secret: '${phrase.replaceAll(" ", "-")}' }));`, phrase.replaceAll(" ", "-")],
]; // prettier-ignore

const kept: readonly string[] = [
  'var password string = ""',
  'password string `json:"password"`',
  "password VARCHAR(255) DEFAULT 'none'",
  "01 WS-PASSWORD PIC X(20) VALUE SPACES.",
  'password:\n  type: string\n  minLength: 8\n  example: "string"\n',
  "Password:\n  Type: String\n  Default: admin\n",
  "passwordConfirmation: 'Confirm password'",
  "the token (JWT) is signed, the password (see below) is set",
  "The access token (valid for 3600s) is cached.",
  "password: \"{{ lookup('env', 'DB_PASSWORD1') }}\"",
  `GPG_KEY=${hex64.slice(0, 40)}`,
  `ENV GPG_KEY ${hex64.slice(0, 40).toUpperCase()}`,
  `CACHE_KEY=${hex64.slice(0, 40)}`,
  `BUILD_KEY="${hex64.slice(0, 40)}"`,
  'const Key = "user-preferences";',
  `cacheKey = "${key}"`,
  "DESKTOP_SESSION=plasma\nXDG_SESSION_ID=3",
  'local_key: "user_id", foreign_key: "owner_id"',
  "<Password><Value></Value></Password>",
];

const rules: readonly string[] = [
  "'password' => ['required', 'string', 'min:8', 'confirmed'],",
  "'password' => 'nullable|min:8|max:255',",
  "'token' => 'required|string|size:64',",
  "'password' => ['sometimes', 'max:255', 'confirmed'],",
  "rules: { password: ['required', 'min_length[8]', 'max_length[72]'] }",
  "password_confirmation: 'required|same:password'",
];

describe("what stands between a name and its value", () => {
  test.each([...declarations, ...names])("[SC1] %s", (text, ...secrets) => {
    const found = scrubber.scrub(text).text;
    for (const secret of secrets) expect(found).not.toContain(secret);
    expect(found).toContain("__SECRET_");
  });

  test.each([...kept, ...rules])("[SC10] %s", (text) => {
    expect(scrubber.scrub(text).text).toBe(text);
  });
});
