import { describe, expect, test } from "vitest";
import { alnum, base64, drawChars, hex, testScrubber } from "../testing/fakes.ts";

const scrubber = testScrubber();
const drawn = drawChars(alnum, 24, 17);
const digits = drawChars(hex, 32, 19);
const key = drawChars(base64, 40, 23).replace(/^[+/]/, "k");
const word = ["mari", "gold"].join("");
const salt = ["put9 _!?#j{0&5EL[1:oJvvIO;", "jh%&?_l3dZD8Yi~DXYf"].join("");
const mark = /__SECRET_\w+?_[a-z2-7]{12}__/g;

const bindings: readonly (readonly [text: string, secret: string])[] = [
  [`<string name="api_key">${drawn}</string>`, drawn],
  [`<entry key="db.password">${word}</entry>`, word],
  [`<Parameter name="password"><Value>${drawn}</Value></Parameter>`, drawn],
  [`<setting name="ApiKey" serializeAs="String"><value>${drawn}</value></setting>`, drawn],
  [`<User>bob</User><Pass encoding="base64">${btoa(drawn)}</Pass>`, btoa(drawn)],
  [`<machineKey validationKey="${digits.toUpperCase()}" validation="SHA1" />`, digits.toUpperCase()],
  [`'crypt' => [ 'key' => '${digits}' ],`, digits],
  [`[jwt]\nkey = "${drawn}"\n`, drawn],
  [`jwt:\n  issuer: acme\n  key: ${drawn}\n`, drawn],
  [`define( 'SECURE_AUTH_KEY', '${salt}' );`, salt],
  [`define('NONCE_SALT',  '${salt}');`, salt],
  [`client_secret: !!str ${drawn}`, drawn],
  [`api_key: &k ${drawn}\n`, drawn],
  [`const apiKey = process.env.KEY ?? "${drawn}"; run()`, drawn],
  [`env("APP_SECRET", default="${drawn}")`, drawn],
  [`PW=\${DB_PASSWORD:-${word}}`, word],
  [`password: \${DB_PASSWORD:${word}}`, word],
  [`{{ .Values.password | default "${word}" }}`, word],
  [`credentials: admin:${drawn}`, drawn],
  [`BASIC_AUTH=admin:${word}`, word],
  [`if request.args.get("token") == "${drawn}":`, drawn],
  [`AWS Secret Access Key [None]: ${key}\nDefault region name [None]: x`, key],
  [`Unseal Key 1: ${key}`, key],
  [`bindpw ${drawn}\n`, drawn],
  [`mvn sonar:sonar -Dsonar.login=${digits} -Dsonar.host.url=https://s.example`, digits],
  [`Driver={X};UID=sa;PWD={ab;${drawn}};Encrypt=yes`, `ab;${drawn}`],
  [`oauth_signature="${drawn}"`, drawn],
  [`HASHIDS_SALT=${drawn}`, drawn],
  [`PASSWORD_PEPPER=${drawn}`, drawn],
  [`"X-Custom-Key": "${drawn}"`, drawn],
  [`DB_PASSWORD=ab<9${drawn}\nHOST=a`, `ab<9${drawn}`],
  [`mysql -u root -p'$9${drawn}' shop`, `$9${drawn}`],
  [`{"OutputKey":"DbPassword","OutputValue":"${drawn}"}`, drawn],
]; // prettier-ignore

describe("a value tied to its name", () => {
  test.each(bindings)("[SC1] goes, and all else stays: %s", (text, secret) => {
    const out = scrubber.scrub(text).text;
    expect(out.replaceAll(mark, secret)).toBe(text);
    expect(out).not.toContain(secret);
  });

  test("[SC3] has the placeholder of the password alone where a user stands before it", () => {
    const tagOf = (text: string): string | undefined => mark[Symbol.match](scrubber.scrub(text).text)?.[0];
    expect(tagOf(`credentials: admin:${drawn}`)).toBe(tagOf(`DB_PASSWORD=${drawn}`));
    expect(scrubber.scrubJson({ auth: `admin:${drawn}` }).value).toEqual({
      auth: `admin:${tagOf(`DB_PASSWORD=${drawn}`)}`,
    });
  }); // prettier-ignore

  test("[SC1] goes in all the pieces that code joins", () => {
    const [left, right] = [drawn.slice(0, 12), drawChars(alnum, 20, 29)];
    for (const joint of ['" +\n  "', '"\n  "']) {
      const out = scrubber.scrub(`token = ("${left}9${joint}${right}")\nx = 1`).text;
      expect(out).not.toContain(left);
      expect(out).not.toContain(right);
    }
  });

  test("[SC7] a private key goes from under the author of each line", () => {
    const lead = (line: number): string => `^a1b2c3d4 (Bob Roe 2026-01-01 00:00:00 +0000 ${line}) `;
    const armour = (place: string): string => `-----${place} ${["RSA PRIVATE", "KEY"].join(" ")}-----`;
    const lines = [armour("BEGIN"), drawChars(base64, 64, 1), drawChars(base64, 64, 2), armour("END")];
    const out = scrubber.scrub(lines.map((line, index) => lead(index) + line).join("\n")).text;
    for (const line of lines) expect(out).not.toContain(line);
  }); // prettier-ignore
});

const harmless: readonly string[] = [
  '<string name="password_hint">Enter your password</string>',
  '<string name="password">Password</string>',
  '<string name="enter_password">Parola</string>',
  '<span class="token keyword">function</span>',
  '<param name="token">The token to use</param>',
  '<machineKey validation="SHA1" validationKey="AutoGenerate,IsolateApps" />',
  "s3:\n  bucket: x\n  key: terraform/state/prod.tfstate\n",
  "const key = process.env.CACHE_KEY ?? 'users-by-id-v2';",
  "os.getenv('DB_PASSWORD', '')",
  'os.getenv("API_TOKEN", "missing")',
  "${DB_PASSWORD:?database password required}",
  "PW=${DB_PASSWORD:-$FALLBACK}",
  "{{ db_password | default(omit) }}",
  "auth: oauth2:client_credentials",
  "auth: github:read-only",
  "credentials: read:packages",
  "const salt = await bcrypt.genSalt(10);",
  "SALT_ROUNDS=12",
  "salt: kosher\npepper: freshly ground",
  "AWS Secret Access Key [None]: \nDefault region name [None]: us-east-1",
  "Password [default]: \n",
  "-Dsonar.login=$SONAR_TOKEN",
  'if request.args.get("token") == "refresh":',
];

test.each(harmless)("[SC10] what only looks like it stays: %s", (text) => {
  expect(scrubber.scrub(text).text).toBe(text);
});
