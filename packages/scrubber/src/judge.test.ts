import fc from "fast-check";
import { expect, test } from "vitest";
import { innocentForms, isPath, isSecretValue, type ValueSetting } from "./judge.ts";
import type { SecretName } from "./secret-name.ts";

const seed = { seed: 20_262, numRuns: 5_000 } as const;

const pieces = fc.constantFrom(
  "placeholder", "credentials", "SHA-512", "hs256", "api_key", "n/a", "x", "***", "****", "...", "…",
  "•", "<", ">", "[", "]", "{", "}", "(", ")", "$", "${", "$(", "{{", "<%", "#{", "@{", "%", "%s",
  "process.env", "import.meta", "os.environ", "env.", "ENV[", "System.getenv", "secrets.", "var.",
  "vars.", "data.", "local.", "module.", "self.", "this.", "config.", "settings.", "arg.", "args.",
  "opt.", "options.", "ctx.", "req.", "request.", "param.", "params.", "props.", "env:", "file:",
  "fd:", "op://", "vault:", "ref+", "arn:aws", "projects/", "!Ref", "!vault", ":name", "?", "@name",
  "v1.2.3", "1.2", "2026-01-02", "T10:00Z", "ssh-rsa", "ecdsa-sha2-", "sk-ssh-", "-----BEGIN CERT",
  "https://", "/20260102/eu-1/s3/aws4_request", "^", "pk_live_", "phc_", "ENC[", "$ANSIBLE_VAULT", "ab", "9", "-", "_", "#", ".", "\n", "é",
); // prettier-ignore

test("a value without a form's sign never has the form", () => {
  const values = fc.array(pieces, { minLength: 1, maxLength: 4 }).map((each) => each.join(""));
  let matched = 0;
  fc.assert(
    fc.property(values, (value) => {
      for (const [sign, form] of innocentForms) {
        if (!form().test(value)) continue;
        matched += 1;
        expect([value, sign(value)]).toEqual([value, true]);
      }
    }),
    seed,
  );
  expect(matched).toBeGreaterThan(1_000);
});

const password: SecretName = { family: "password", isEnv: false, isWeak: false, asksShape: false };
const weak: SecretName = { ...password, isWeak: true };
const token: SecretName = { ...password, family: "token" };
const key: SecretName = { ...password, family: "key" };
const bare: ValueSetting = { isQuoted: false, isLiteral: false };
const quoted: ValueSetting = { isQuoted: true, isLiteral: false };
const literal: ValueSetting = { isQuoted: false, isLiteral: true };
const alone: ValueSetting = { ...bare, isAlone: true };

/** Whether a value goes bare, in quotes and where it can be nothing but a value, in one text. */
function judged(value: string, name: SecretName): string {
  const settings = { bare, quoted, literal };
  const taken = Object.entries(settings).filter(([, each]) => isSecretValue(value, name, each));
  return taken.map(([each]) => each).join(" ");
}
const everywhere = "bare quoted literal";
/** Pieces, so that no tool takes them for what they look like. */
const joined = (...pieces: readonly string[]): string => pieces.join("");

test("[SC1] a password has a least length, by how sure the name is and where it stands", () => {
  const of = (chars: number): string => "x7#Kq2".slice(0, chars);
  expect([3, 4, 5, 6].map((chars) => judged(of(chars), password))).toEqual([
    "",
    "quoted literal",
    everywhere,
    everywhere,
  ]);
  expect([3, 4, 5, 6].map((chars) => judged(of(chars), weak))).toEqual([
    "",
    "literal",
    "literal",
    everywhere,
  ]);
  expect([7, 8].map((chars) => judged("a7Kq9ZmX".slice(0, chars), token))).toEqual([
    "",
    everywhere,
  ]);
});

test("[SC10] a name that promises only a form says nothing of its value", () => {
  expect(judged(joined("a7Kq9", "ZmX2"), { ...key, asksShape: true })).toBe("");
  expect(judged(joined("a7Kq9", "ZmX2"), key)).toBe(everywhere);
});

test("[SC2] what follows a placeholder in a value is not looked at", () => {
  const after = "__SECRET_k_abcdefgh2345__";
  expect(judged(`abc${after}x7#Kq2Lm`, password)).toBe("");
  expect(judged(`x7#Kq2Lm${after}`, password)).toBe(everywhere);
  expect(judged(after, password)).toBe("");
});

test("[SC10] what has as few characters as a mask is none", () => {
  expect([judged("a!a!a!", password), judged("a!b!a!", password)]).toEqual(["", everywhere]);
  expect([judged("a1b2a1b2c", token), judged("a1b2c3a1b", token)]).toEqual(["", everywhere]);
});

test("[SC10] numbers are a password from four or six digits on, and a key from twenty", () => {
  expect([judged("123", password), judged("4815", password)]).toEqual(["", "quoted literal"]);
  expect([judged("48151", password), judged("481516", password)]).toEqual(["quoted literal", everywhere]); // prettier-ignore
  expect(judged("4815162342", weak)).toBe("");
  expect(judged("4815162342", token)).toBe("");
  expect(judged("48151623424815162342", token)).toBe(everywhere);
  expect(judged("4815162342481516234", token)).toBe("");
  for (const number of ["-4815162", "4815.162", "4,815,162"])
    expect(judged(number, password)).toBe("");
});

test.each([
  "${DB_PASSWORD}",
  "$DB_PASSWORD",
  "$(pass show db)",
  "%DB_PASSWORD%",
  "{{ password }}",
  "<%= password %>",
  "#{password}",
  "@{password}",
  "process.env.DB_PASSWORD",
  "!Ref DbPassword",
  "os.environ['DB']",
  "env.DB_PASSWORD",
  "ENV['DB']",
  "System.getenv(db)",
  "secrets.DB_PASSWORD",
  "var.db_password",
  "data.vault.db",
  "local.password",
  "module.db.password",
  "self.password",
  "this.password1",
  "config.password",
  "settings.db1",
  "args.password",
  "options.password",
  "op://vault/db/password",
  "vault:secret/db",
  "ref+awsssm://db",
  "arn:aws:ssm:eu:db",
  "env:DB_PW",
  "file:/run/secrets/db",
  "projects/a/secrets/b",
  "?",
  ":password",
  "@password",
  "%s",
  "<password>",
  "[password]",
  "(password)",
  "********",
  "xxxxxxxx",
  "--------",
  "abc****def",
  "abcdefg...",
  "abcdefg…",
  "true",
  "null",
  "undefined",
  "changeme",
  "required",
  "optional",
  "your-password-here",
  "example-password",
  "replace_me",
  "some-secret-1",
  "my_password1",
  "https://example.net/a",
  "postgres://db/a",
  "v1.2.3",
  "1.2.3-rc.1",
  "2026-01-02",
  "~1.2.3",
  "2026-01-02T10:11:12Z",
  "ssh-rsa AAAAB3Nza",
  "pk_live_51abcdefgh",
  "phc_abcdefgh12345",
  "%{ENV:API_KEY}",
  "com.acme.lib:1.2.3",
  "[a-z0-9]{8,}",
  "(?:abc)+def1",
  "required|min:8",
  "@acme/config/password",
  "max_length[72]|required",
  "AgA".padEnd(110, "x1Y"),
  "ENC[AES256,a]",
])("[SC10] what refers to a value or stands for one is none: %s", (value) => {
  for (const name of [password, token, key]) expect(judged(value, name)).toBe("");
});

test.each([
  "getPassword()",
  "user.password",
  "Db::password1",
  "db->password1",
  "obj?.password1",
  "list[index1]",
])("[SC10] code is no value where it stands bare: %s", (value) => {
  expect(isSecretValue(value, password, bare)).toBe(false);
});

test("[SC10] paths are none, but where a part of them is random", () => {
  for (const path of [
    "/run/secrets/db",
    "~/.pgpass",
    "./secrets/db.txt",
    "../a/b",
    String.raw`C:\secrets\db.txt`,
  ]) {
    expect(judged(path, password)).toBe("");
  }
  expect(judged(joined("/run/Zk3vQ9xB", "7mW2pL8nR4tY6uJ1"), password)).toContain("quoted");
  expect(isPath("/run/secrets/db")).toBe(true);
  expect(isPath(`/run/${"a".repeat(23)}`)).toBe(true);
  expect(isPath(`/run/${"a".repeat(24)}`)).toBe(false);
  expect(isPath(String.raw`a\b/c`)).toBe(true);
  expect([isPath("/a/b12C"), isPath("/a/B12c"), isPath("/a/b12c")]).toEqual([false, false, true]);
  expect(isPath("//")).toBe(true);
  expect(isPath(joined("/a/qxZ", "jvKqW"))).toBe(false);
});

test("[SC1] words in quotes are a weak password, where no form calls its fields so", () => {
  expect(judged("sunshine", password)).toBe("quoted literal");
  expect(judged("sunny", password)).toBe("literal");
  expect(judged("sunshine", weak)).toBe("");
  expect(judged("green-apple", password)).toBe("quoted literal");
  expect(judged("red-apple", password)).toBe("literal");
  for (const label of [
    "current-password",
    "field.required",
    "passfield",
    "userfield",
    "hashfield",
    "validate",
    "invalid",
    "newfield",
    "oldfield",
    "some-user",
    "some.error",
    "some_hint",
  ]) {
    expect([label, judged(label, password).includes("quoted")]).toEqual([label, false]);
  }
  expect(judged("Sunshine", password)).toBe("literal");
  expect(judged("sunshine1", password)).toBe(everywhere);
  expect(judged("sunShine1", password)).toBe("quoted literal");
  expect(judged("sunshine1", weak)).toContain("quoted");
  expect(judged("XKcdQyab", password)).toContain("literal");
  expect(judged("abcXYzQde", password)).toContain("quoted");
});

test("[SC10] words of another language are what a form calls a password", () => {
  for (const label of ["contraseña", "mot-de-passé", "пароль", "пароль_новый"]) {
    expect(judged(label, password)).toBe("");
  }
  expect(judged("contraseña", { ...password, isEnv: true })).toContain("literal");
  expect(judged("пароль7", password)).toContain("quoted");
});

test("[SC1] several words are a pass-phrase in quotes, and prose is none", () => {
  expect(judged("correct horse battery staple", password)).toBe("quoted");
  expect(judged("correct horse battery", password)).toBe("");
  expect(judged("marble ginger otter lantern", password)).toBe("quoted");
  expect(judged("marble ginger otter lantern", { ...password, isEnv: true })).toBe(
    "quoted literal",
  );
  expect(judged("please enter the word again", password)).toBe("");
  expect(judged("enter words with digits", password)).toBe("");
  expect(judged("a b#c d", password)).toBe("quoted");
  expect(judged("it's a word", password)).toBe("");
  expect(judged(`b#c ${"d".repeat(76)}`, password)).toBe("quoted");
  expect(judged(`b#c ${"d".repeat(77)}`, password)).toBe("");
  expect(judged("a b c d e#f", password)).toBe("");
  expect(judged("correct horse battery staple", token)).toBe("");
  const salt = joined("x7#Kq2!Lm@9 $Zv%^&", "*()_+=<>?{}|~`T4");
  expect(judged(salt, key)).toBe("quoted");
  expect(judged(salt.slice(0, 31), key)).toBe("");
  expect(judged(salt.replaceAll(/\d/g, "a"), key)).toBe("");
});

test("[SC1] a token is mixed, or drawn, and no name with a number", () => {
  expect(judged(joined("a7kq9", "zmx"), token)).toBe(everywhere);
  expect(judged("version-12", token)).toBe("");
  expect(judged("some_name_v2", token)).toBe("");
  expect(judged("name1234", token)).toBe(everywhere);
  expect(judged("abcdefgh", token)).toBe("");
  expect(judged("abcdefghijklmnopqrst", token)).toBe(everywhere);
  expect(judged("ABCDEFGHIJKLMNOPQRST", token)).toBe(everywhere);
  expect(judged("abcdefghijklmnopqrs", token)).toBe("");
  expect(judged("understanding-words", token)).toBe("");
  expect(judged(joined("qXzJvKqW", "fGbT"), token)).toBe(everywhere);
  for (const scope of ["read:packages", "repo:status:all", "write_all:org-v2", "realm:admin:12"]) {
    expect([scope, judged(scope, token)]).toEqual([scope, ""]);
  }
  expect(judged(joined("word+word", "/word+word"), token)).toContain("quoted");
});

test("[SC1] a weak name of a key takes a short one only from the environment", () => {
  const weakKey: SecretName = { ...key, isWeak: true };
  const short = joined("qX7zJvK", "qW2fG");
  expect(judged(short, weakKey)).toBe("");
  expect(judged(short, { ...weakKey, isEnv: true })).toBe("quoted literal");
  expect(judged(short, { ...weakKey, isEnv: true, family: "token" })).toBe("");
  expect(judged(short.slice(1), { ...weakKey, isEnv: true })).toBe("");
  expect(judged(`${short}-`, { ...weakKey, isEnv: true })).toBe("");
  expect(judged(joined(short, "mN4b"), weakKey)).toBe(everywhere);
  expect(judged(joined(short, "mN4"), weakKey)).toBe("");
});

test("[SC1] a word is a token where a variable of the environment says so", () => {
  const env: SecretName = { ...token, isEnv: true };
  expect(judged("understanding", env)).toBe("literal");
  expect(judged("understands", env)).toBe("");
  expect(judged("understanding", { ...env, owner: "stripe" })).toBe("");
  expect(judged("understanding", { ...env, family: "key" })).toBe("");
  expect(judged("understanding", token)).toBe("");
});

test("[SC1] a password with dots is told from code by what no code is made of", () => {
  const dotted = joined("Lantern.", "meadow57");
  expect(isSecretValue(dotted, password, bare)).toBe(true);
  expect(isSecretValue("Type.string64", password, bare)).toBe(false);
  expect(isSecretValue("config.value48", password, literal)).toBe(false);
  expect(isSecretValue(joined("abc.def", "1"), password, literal)).toBe(true);
  expect(isSecretValue(joined("a1b2c3d4", ".xyz"), password, bare)).toBe(true);
  expect(isSecretValue("abc.Abc12", password, alone)).toBe(true);
  expect(isSecretValue("abc.Abc12", password, bare)).toBe(false);
  expect(isSecretValue("req.Abc12", password, alone)).toBe(false);
  expect(isSecretValue("abc.abc12", password, alone)).toBe(false);
  expect(isSecretValue("abc.Abc1", password, alone)).toBe(false);
});
