import { describe, expect, test } from "vitest";
import { testScrubber } from "../testing/fakes.ts";

const scrubber = testScrubber();
const word = ["mari", "gold"].join("");
const mark = /__SECRET_credential_[a-z2-7]{12}__/g;

/** Settings in which `‹w›` stands for a plain word. */
const settings: readonly string[] = [
  "database:\n  host: db.internal\n  username: app\n  password: ‹w›\n  pool: 5",
  "[database]\nhost = 10.0.0.4\nuser = root\npassword = ‹w›\n",
  "[mysqld]\nuser=root\npassword=‹w›\n",
  "db.user=app\ndb.password=‹w›\ndb.port=5432",
  "smtp:\n  host: smtp.x.example\n  user: mailer\n  pass: ‹w›\n",
  "Username: bob\nPassword: ‹w›\n",
  "web_1  | user=app\nweb_1  | password=‹w›\n",
  "conf/app.ini-11-user=app\nconf/app.ini-12-password=‹w›\n",
  "host=db1 user=app password=‹w› dbname=x",
  "helm upgrade x --set auth.password=‹w›",
  "kubectl create secret generic x --from-literal=password=‹w›",
  "//nas/x /mnt cifs username=bob,password=‹w›,uid=1 0 0",
  '{"db": {"user": "bob", "pass": "‹w›"}}',
  "createTransport({ auth: { user: 'a@x.example', pass: '‹w›' } })",
];

describe("a plain word", () => {
  test.each(settings)("[SC1] among settings goes, and all else stays: %s", (text) => {
    const written = text.replaceAll("‹w›", word);
    for (const given of [written, JSON.stringify({ out: written })]) {
      expect(scrubber.scrub(given).text.replaceAll(mark, word)).toBe(given);
      expect(scrubber.scrub(given).text).not.toContain(word);
    }
  });

  test("[SC9] under a key beside a user goes leaf by leaf", () => {
    const value = { db: { host: "x", user: "bob", pass: word, port: 1 } };
    const { db } = scrubber.scrubJson(value).value as { db: Record<string, unknown> };
    expect(db).toEqual({ ...value.db, pass: expect.stringMatching(/^__SECRET_/) as string });
  });
});

const labels: readonly string[] = [
  "en:\n  username: Username\n  password: Password\n  email: Email",
  "nl:\n  username: gebruikersnaam\n  password: wachtwoord\n  host: server",
  "fr:\n  username: identifiant\n  password: motdepasse\n  host: serveur\n",
  "user.password=Contraseña\nuser.name=Nombre",
  '{"user": "Użytkownik", "password": "Hasło"}',
  "type Args = {\n  user: string\n  password: string\n  port: number\n}",
  "const o = {\n  host: cfg.host,\n  user: username,\n  password: decrypted\n};",
  "connect(\n    host=host,\n    user=user,\n    password=secretvalue,\n)",
  "foo(user=username, password=plaintext)",
  "user = username\npassword = plaintext\nhost = hostname\n",
  "Username: required\nPassword: required\n",
  "user: bob\npassword: expired\n",
  "user: bob\nhost: db1\npassword: unchanged\nport: 5432",
  "password: string\nhost: string\nport: integer\n",
  "error.password=invalid\nerror.user=unknown\n",
  '{"test": {"host": "ci-1", "pass": "skipped"}}',
  "user=app\npassword=$DB_PASSWORD\nhost=x",
];

test.each(labels)("[SC10] a type, a state, a label or a name of code stays: %s", (text) => {
  expect(scrubber.scrub(text).text).toBe(text);
});
