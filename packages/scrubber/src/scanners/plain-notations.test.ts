import { describe, expect, test } from "vitest";
import { alnum, base64, drawChars, hex, testScrubber } from "../testing/fakes.ts";

const scrubber = testScrubber();
const digits = "0123456789";
const lower = "abcdefghijkmnpqrstuvwxyz";
const letters = alnum.replaceAll(/[0-9]/g, "");
/** Letters alone, in groups parted by a dot and by dashes. */
const dotted = [drawChars(letters, 8, 5), drawChars(letters, 6, 6)].join(".");
const dashed = [drawChars(letters, 4, 3), drawChars(letters, 4, 4), drawChars(letters, 6, 5)].join(
  "-",
);
const word = ["Cedar", "59", "Garden"].join("_");
const drawn = `${drawChars(alnum, 9, 31)}q4X`;
const other = `${drawChars(alnum, 9, 37)}W7k`;
const marked = [drawChars(alnum, 6, 41), drawChars(alnum, 5, 43)]
  .join("!*")
  .concat("_=", drawChars(letters, 4, 9));
const key = `${drawChars(base64, 43, 23).replaceAll("/", "k")}=`;
const mark = /__SECRET_\w+?_[a-z2-7]{12}__/g; // prettier-ignore

const joined = `${drawChars(digits, 1, 3)}/${drawChars(digits, 16, 5)}/${drawChars(digits, 16, 7)}:${drawChars(hex, 32, 9)}`;
const join = [drawChars(lower, 6, 3), `h2c${drawChars(lower, 12, 5)}7`].join("4.").slice(1);
const spelt = ["Copper", "roblkk"].join("_");

const bindings: readonly (readonly [text: string, ...secrets: string[]])[] = [
  [`Authorization: Bearer ${joined}`, joined],
  [`{ Authorization: \`Bearer ${joined}\` }`, joined],
  [`users:\n- user:\n    token: ${join}\n`, join],
  [`Here is the secret key base: ${drawChars(hex, 64, 5)}`, drawChars(hex, 64, 5)],
  [`password: "${spelt}",\n  synchronize: false`, spelt],
  [`spring.datasource.password=${spelt}\n`, spelt],
  [`$ pass show db\nviolet-copper-harbor-27\n`, "violet-copper-harbor-27"],
  [`{\\"c\\":\\"net use Z: ${"\\\\".repeat(8)}nas${"\\\\".repeat(4)}share /user:ops ${drawn}\\"}`, drawn],
  [`DB_PASSWORD=${dotted}\n`, dotted],
  [`Server=db;Uid=app;Password=${dotted};Encrypt=True`, dotted],
  [`jdbc.password=${dotted}`, dotted],
  [`{"password": "${dashed}"}`, dashed],
  [`pass: ${dashed}, user: ops`, dashed],
  [`{:user "app" :password "${marked}" :port 1}`, marked],
  [`SECRET_KEY=a)b7=${marked}\nDEBUG=0`, `a)b7=${marked}`],
  [`we have set DEPLOY_TOKEN to ${drawn} for tonight`, drawn],
  [`Then the signing secret must be set to ${drawn} everywhere.`, drawn],
  [`try it with credentials root:${marked} first`, marked],
  [`пароль для сервера ${drawn}`, drawn],
  [`mot de passe du serveur ${drawn}`, drawn],
  [`its password is "${drawn}" (previously "${other}")`, drawn, other],
  [`password: [-${word}-]{+${drawn}+}`, word, drawn],
  [`API_TOKEN=${drawn}x7Qz\\\n${other}`, `${drawn}x7Qz`, other],
  [`<password>\n  ${word}\n</password>`, word],
  [`<wsse:Password Type="PasswordText">${word}</wsse:Password>`, word],
  [`## Root password\n\n\`\`\`\n${drawn}\n\`\`\`\n`, drawn],
  [`- value: ${drawn}\n  name: SMTP_PASSWORD`, drawn],
  [`Access token generated. Save it, since it cannot be seen again:\n\n${drawn}Zt5\n`, `${drawn}Zt5`],
  [`["password"]=>\n  string(16) "${drawn}"\n`, drawn],
  [`Dim dbPassword As String = "${drawn}"`, drawn],
  [`"passwords": {"ada": "${drawn}", "bob": "${other}"}`, drawn, other],
  [`passwords:\n  ada: ${drawn}\n  bob: ${other}\n`, drawn, other],
  [`Pass word:    ${word}`, word],
  [`$2 = {id = 4, password = 0x7ffd10 "${word}", port = 1}`, word],
  [`Password=3A ${drawn}\n`, drawn],
  [`    Key Content            : ${drawn}#`, `${drawn}#`],
  [`chpasswd:\n  list: |\n    root:${word}\n    app:${drawn}\n`, word, drawn],
  [`[smtp.example.org]:587 bot@example.org:${drawn}`, drawn],
  [`C: AUTH PLAIN ${btoa(`\0app\0${drawn}`)}\nS: 235 ok`, btoa(`\0app\0${drawn}`)],
  [`334 UGFzc3dvcmQ6\n${btoa(word)}\n235 ok`, btoa(word)],
  [`B7 LOGIN ada@example.org ${drawn}\r\na1 OK`, drawn],
  [`USER bot\r\nPASS ${word}\r\n230 ok`, word],
  [`write(3, "AUTH ${drawn}\\r\\n", 24) = 24`, drawn],
  [`write(3, "*2\\r\\n$4\\r\\nAUTH\\r\\n$12\\r\\n${drawn}\\r\\n", 30) = 30`, drawn],
  [`1690000001.5 [3 127.0.0.1:60] "AUTH" "app" "${drawn}"`, drawn],
  [`ACL SETUSER app on ~* +@all >${drawn}`, drawn],
  [`snmp-server community ${drawn} RO`, drawn],
  [`enable secret 0 ${drawn}`, drawn],
  [`net use R: \\\\red\\home ${drawn} /user:LAB\\ada`, drawn],
  [`curl --cookie 'sid=${drawn}; lang=en' https://x.example`, drawn],
  [`$ az cosmosdb keys list -o tsv\nkey1\tFULL\t${key}\nkey2\tFULL\t${key}`, key],
]; // prettier-ignore

describe("a value in the plainest of notations", () => {
  test.each(bindings)("[SC1] goes, and all else stays: %s", (text, ...secrets) => {
    const out = scrubber.scrub(text).text;
    for (const secret of secrets) expect(out).not.toContain(secret);
    const parts = out.split(mark);
    for (const part of parts) expect(text).toContain(part);
    expect(parts.length).toBeGreaterThan(secrets.length);
    expect(scrubber.scrub(out).text).toBe(out);
  });
});

test("[SC9] each of several passwords goes by what they are in", () => {
  const given = { passwords: { ada: drawn, reset: "Your password was reset" } };
  const { value } = scrubber.scrubJson(given);
  expect(JSON.stringify(value)).not.toContain(drawn);
  expect(value).toMatchObject({ passwords: { reset: given.passwords.reset } });
});

const harmless: readonly string[] = [
  "password = ctx.pwHash",
  "password=settings.DB_PASSWORD",
  "token = WysiwygString",
  "private_key: ed25519.Ed25519PrivateKey, size",
  "_PASSWORD_TYPES = (\n    x509.Certificate,\n)",
  "return auth[0], auth[1], False",
  "super().__init__(passwd, **kwargs)",
  "def ask(prompt='Password: ', stream=None):",
  'HEX_PAT = "[0-9A-Fa-f]{1,4}"',
  "_core_token = r'[_a-zA-Z][\\w-]*(?:\\.[\\w]+)*'",
  "credentials: MysqlCredentials, options?",
  "set the API_TOKEN to your own token",
  "token should be set to expire after 24h",
  "PASS src/login.test.ts",
  "AUTH failed for user",
  "250-AUTH LOGIN PLAIN",
  "2024 LOGIN user succeeded",
  "passwords:\n  min: 8\n  reset: /reset\n",
  '"secrets": {"id": "#/properties/secrets", "type": "object"}',
  '"passwords": {"users": {"provider": "users"}}',
  "## API key\n\n```\nexport FOO=bar\n```",
  "Reset your password\n```\nreset-password-2fa\n```",
  "user app on nopass ~* +@all",
  "chpasswd:\n  expire: false\n",
  "snmp-server community public RO",
  "curl -b cookies.txt https://x.example",
  `checksum/secret: ${drawChars("0123456789abcdef", 64, 3)}`,
  "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
];

test.each(harmless)("[SC10] what only looks like it stays: %s", (text) => {
  expect(scrubber.scrub(text).text).toBe(text);
});
