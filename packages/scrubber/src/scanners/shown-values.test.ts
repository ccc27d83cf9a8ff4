import { describe, expect, test } from "vitest";
import { digits } from "../testing/draw.ts";
import { alnum, drawChars, hex, testScrubber } from "../testing/fakes.ts";

const scrubber = testScrubber();
const drawn = `k7${drawChars(alnum, 18, 53)}Q`;
const number = `4${drawChars(digits, 5, 59)}`;
const word = ["Ginger", "otter"].join(".");
const uuid = [8, 4, 4, 4, 12].map((count) => drawChars(hex, count, 61)).join("-");

const shown: readonly (readonly [text: string, secret: string])[] = [
  [`>>> os.environ['DB_PASSWORD']\n'${drawn}'`, drawn],
  [`>>> settings.SECRET_KEY\n'${drawn}'`, drawn],
  [`irb(main):001> config.smtp_password\n=> "${drawn}"`, drawn],
  [`> process.env.SESSION_SECRET\n'${drawn}'`, drawn],
  [`password: (string) (len=21) "${drawn}",`, drawn],
  [`password: str = Field(default="${drawn}", repr=False)`, drawn],
  [`#0 db.php(12): PDO->__construct('mysql:host=db', 'heidi', '${drawn}')`, drawn],
  [`driver.findElement(By.id("password")).sendKeys("${word}82!");`, `${word}82!`],
  [`admin_password: ${word}77   # change it`, `${word}77`],
  [`SecretID:         ${uuid}`, uuid],
  [`secret_id             ${uuid}`, uuid],
  [`ldap_default_authtok = ${drawn}`, drawn],
  [`radius-server host 10.0.0.9 key ${word}65!`, `${word}65!`],
  [`JWT secret should be "${drawn}" in prod`, drawn],
  [`use \`${drawn}\` as the password`, drawn],
  [`كلمة المرور: ${drawn}`, drawn],
  [`postgres://grafana:${drawn}…`, drawn],
  [`Door PIN: ${number}`, number],
  [`SIM PUK: ${number}`, number],
];

describe("[SC1] values that tools show go", () => {
  test.each(shown)("%s", (text, secret) => {
    expect(scrubber.scrub(text).text).not.toContain(secret);
  });
});

test.each([
  "password = passwordField.text!",
  "password: Crypto.sha256",
  `azureSecretKeyId: 4\nclient_secret_id: ${uuid}`,
  `>>> settings.SECRET_KEY\nTraceback (most recent call last):`,
  "mapping: 123456",
  "pin: 13",
  "spin: 4411",
  "postgres://grafana:password…",
  "use password as the password",
  'password: str = Field(default="", repr=False)',
  "--password-file <(echo $PASSWORD)",
])("[SC10] what only looks so stays: %s", (text) => {
  expect(scrubber.scrub(text).text).toBe(text);
});
