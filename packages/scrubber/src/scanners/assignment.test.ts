import { describe, expect, test } from "vitest";
import { alnum, base64, drawChars, hex, testScrubber } from "../testing/fakes.ts";

const scrubber = testScrubber();
const key = drawChars(alnum, 32, 41);
const password = ["Zq9", "lamp", "77x"].join("");

/** Texts in which `@` stands for the value. */
const bindings: readonly string[] = [
  'const apiKey = process.env["SERVICE_API_KEY"] ?? "@";',
  'const apiKey = process.env.SERVICE_API_KEY || "@";',
  'api_key = os.environ.get("API_KEY") or "@"',
  'val apiKey: String = System.getenv("API_KEY") ?: "@"',
  'let token = env::var("API_TOKEN").unwrap_or("@".into());',
  'ENV.fetch("API_KEY") { "@" }',
  'let api_key = String::from("@");',
  'var apiKey = []byte("@")',
  'static char api_key[] = "@";',
  'std::string apiKey{"@"};',
  'parser.add_argument("--api-key", help="the key", default="@")',
  'variable "api_key" {\n  type    = string\n  default = "@"\n}',
  '{"value":"@","type":"secret","key":"API_KEY"}',
  '{ "ParameterKey": "ApiKey", "ParameterValue": "@" }',
  "<key>apiKey</key>\n<string>@</string>",
  "<property><name>service.api.key</name><value>@</value></property>",
  "<tr><td>API_KEY</td><td>@</td></tr>",
  "│ API_KEY │ @ │",
  "name,value,updated\nAPI_KEY,@,2026-03-01\n",
  "| name | value |\n|---|---|\n| API_KEY | @ |",
  "Your api key:\n\n    @\n\nKeep it safe.",
  "app:\n  api_key:\n    @\n  port: 80",
  "+app:\n+  api_key: >-\n+    @\n+  port: 80",
  'api_key = """\n@"""\nport = 80',
  "api_keys:\n  - @\n",
  '{"apiKeys": ["@"], "n": 1}',
  'expect(config.apiKey).toBe("@");',
  'assertEquals("@", config.getApiKey());',
  'if (given.apiKey !== "@") return;',
  "ENV API_KEY @\nRUN npm ci",
  'gh secret set API_KEY --body "@" --repo a/b',
  "aws ssm put-parameter --name /app/api-key --value @ --type SecureString",
  "pulumi config set --secret apiKey @",
  '--x\r\nContent-Disposition: form-data; name="api_key"\r\n\r\n@\r\n--x--',
  "Error: invalid api_key '@' at client.ts:12",
  "api_key........: @",
];

describe("a key bound to its name", () => {
  test.each(bindings)("[SC1] goes, and all else stays: %s", (text) => {
    const found = scrubber.scrub(text.replaceAll("@", key)).text;
    expect(found.replaceAll(/__SECRET_credential_[a-z2-7]{12}__/g, "@")).toBe(text);
  });

  test.each(bindings)("[SC3] has the placeholder it has in a file: %s", (text) => {
    const tagOf = (given: string): string | undefined =>
      /__SECRET_\w+?__(?!_)/.exec(scrubber.scrub(given).text)?.[0];
    const inJson = JSON.stringify({ out: JSON.stringify({ a: text.replaceAll("@", key) }) });
    expect(tagOf(inJson)).toBe(tagOf(`API_KEY=${key}`));
  });
});

test("[SC9] a column of a table or of an insert names every value under it", () => {
  const table = ` id | password\n----+---------\n  7 | ${password}\n  8 | ${password}9\n`;
  expect(scrubber.scrub(table).text).toMatch(/7 \| __SECRET_\w+\n {2}8 \| __SECRET_\w+\n$/);
  const insert = `INSERT INTO users (name, password) VALUES ('bob', '${password}'), ('ada', '${password}9');`;
  expect(scrubber.scrub(insert).findings).toHaveLength(2);
  const words = "| token | count |\n|---|---|\n| hello1 | 12 |\n| world2 | 7 |";
  expect(scrubber.scrub(words).findings).toEqual([]);
});

test("[SC1] a plan shows the old value and the new one, and both go", () => {
  const plan = `~ password = "${password}" -> "${password}9"`;
  expect(scrubber.scrub(plan).text).toMatch(/^~ password = "__SECRET_\w+" -> "__SECRET_\w+"$/);
});

test("[SC1] a value that was cut off goes up to the dots that say so", () => {
  const { text } = scrubber.scrub(`API_KEY = "${drawChars(base64, 60, 42)}... [truncated]`);
  expect(text).toMatch(/^API_KEY = "__SECRET_credential_[a-z2-7]{12}__\.\.\. \[truncated\]$/);
});

test("[SC1] the stop of a sentence is no part of a token", () => {
  const token = ["ya29", drawChars(alnum, 80, 43)].join(".");
  expect(scrubber.scrub(`It answers to ${token}.`).text).toMatch(/^It answers to __SECRET_\w+\.$/);
});

test("[SC1] a vendor's key of one alphabet is known under any spelling of its name", () => {
  const hex40 = drawChars(hex, 40, 44);
  const written = [`githubPat: ${hex40}`, `the github pat is ${hex40}`, `GITHUB_PAT,${hex40},x`];
  for (const text of written) {
    expect(scrubber.scrub(text).text).not.toContain(hex40.slice(0, 12));
  }
});

test("[SC1, SC10] a word under an environment's name is a password where it is all of the line", () => {
  const word = ["lpx", "jcx", "qxk"].join("");
  const line = `  POSTGRES_PASSWORD: ${word}\n  PORT: 80\n`;
  expect(scrubber.scrub(line).text).not.toContain(word);
  for (const label of [
    "DB_PASSWORD: must be at least 8 characters",
    "PASSWORD: Enter it twice",
    "PASSWORD: incorrect",
    "USER_PASSWORD: required",
  ]) {
    expect(scrubber.scrub(label).text).toBe(label);
  }
});

test.each([
  "mongodb+srv://<username>:<password>@cluster0.mongodb.net/app",
  '{"password":"Passwort","confirm_password":"Passwort bestätigen"}',
  "  -p, --password=name Password to use when connecting",
  "arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-q9fOGx",
  '{"password":"current-password","newPassword":"field-password"}',
])("[SC10] stand-ins, labels, help and names of secrets stay: %s", (text) => {
  expect(scrubber.scrub(text).text).toBe(text);
});

test("[SC1] drawn letters and words in a row are passwords where the name leaves no doubt", () => {
  const drawn = ["qXzK", "vWtP", "bRnL", "dFh7"].join("");
  const row = ["meadow", "thistle"].join("-");
  expect(scrubber.scrub(`password: ${drawn}\n`).text).not.toContain(drawn);
  expect(scrubber.scrub(`{"password":"${row}"}`).text).not.toContain(row);
});
