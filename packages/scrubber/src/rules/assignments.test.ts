import { describe, expect, test } from "vitest";
import { alnum, base64, drawChars, hex, namedContexts, testScrubber } from "../testing/fakes.ts";

const scrubber = testScrubber();

const named: readonly (readonly [string, string])[] = [
  ["AWS_SECRET_ACCESS_KEY", drawChars(base64, 40, 1)],
  ["DB_PASSWORD", ["Tr0ub4dor", "3x"].join("-")],
  ["POSTGRES_PASSWORD", ["hun", "ter2"].join("")],
  ["API_KEY", drawChars(alnum, 32, 2)],
  ["MISTRAL_API_KEY", drawChars(alnum, 32, 3)],
  ["COHERE_API_KEY", drawChars(alnum, 40, 4)],
  ["WANDB_API_KEY", drawChars(hex, 40, 5)],
  ["DEEPSEEK_API_KEY", drawChars(hex, 32, 6)],
  ["CLOUDFLARE_API_TOKEN", drawChars(alnum, 40, 7)],
  ["DATADOG_APP_KEY", drawChars(hex, 40, 8)],
  ["SECRET_KEY_BASE", drawChars(hex, 128, 9)],
  ["client_secret", drawChars(alnum, 24, 10)],
  ["AZURE_STORAGE_ACCOUNT_KEY", drawChars(base64, 88, 11)],
  ["ENCRYPTION_KEY", drawChars(hex, 64, 12)],
  ["webhook_secret", drawChars(alnum, 32, 13)],
  ["authToken", drawChars(alnum, 28, 14)],
  ["accessToken", drawChars(alnum, 64, 15)],
  ["github_token", drawChars(hex, 40, 16)],
  ["GITHUB_PAT", drawChars(hex, 40, 17)],
  ["WIFI_PSK", drawChars(alnum, 16, 18)],
  ["passphrase", ["Zq9", "lamp", "77"].join("_")],
];

describe.each(named)("the value of %s", (name, secret) => {
  test.each(Object.entries(namedContexts))("[SC1] is taken out of: %s", (_context, write) => {
    const input = write(name, secret);
    const { text } = scrubber.scrub(input);
    expect(text).not.toContain(secret);
    expect(text).toContain(name);
    expect(scrubber.scrub(text).text).toBe(text);
    if (input.startsWith('{"') || input.startsWith("["))
      expect(() => JSON.parse(text)).not.toThrow();
  });

  test("[SC3] has one placeholder in all of them", () => {
    const seen = Object.values(namedContexts).map(
      (write) => /__SECRET_\w+?__(?!_)/.exec(scrubber.scrub(write(name, secret)).text)?.[0],
    );
    expect(new Set(seen)).toEqual(new Set([seen[0]]));
    expect(seen[0]).toBeDefined();
  });
});

const password = ["S3cr", "etPw", "9"].join("");
const lines: readonly (readonly [string, string, string])[] = [
  ["flag with a blank", "tool --password % --user bob", "tool --password @ --user bob"],
  ["flag with a sign", "tool --password=% --user bob", "tool --password=@ --user bob"],
  ["arguments", '["--password","%","x"]', '["--password","@","x"]'],
  ["mysql", "mysql -u root -p% -h db", "mysql -u root -p@ -h db"],
  ["sshpass", "sshpass -p % ssh x", "sshpass -p @ ssh x"],
  ["docker login", "docker login -u bob -p % host", "docker login -u bob -p @ host"],
  ["redis-cli", "redis-cli -h x -a % ping", "redis-cli -h x -a @ ping"],
  ["curl user", "curl -u bob:% https://h.example/", "curl -u bob:@ https://h.example/"],
  ["curl user, quoted", "curl -s -u 'bob:%' x", "curl -s -u 'bob:@' x"],
  ["curl --user", "curl --user bob:% x", "curl --user bob:@ x"],
  [
    "piped",
    "echo % | docker login -u x --password-stdin",
    "echo @ | docker login -u x --password-stdin",
  ],
  ["PGPASSWORD", "PGPASSWORD=% psql -h x", "PGPASSWORD=@ psql -h x"],
  ["MYSQL_PWD", "MYSQL_PWD=% mysql", "MYSQL_PWD=@ mysql"],
  ["netrc", "machine h login bob password %", "machine h login bob password @"],
  [
    "netrc, lines",
    "machine h\n  login bob\n  password %\n",
    "machine h\n  login bob\n  password @\n",
  ],
  ["pgpass", "db.host:5432:app:bob:%\n", "db.host:5432:app:bob:@\n"],
  [
    "ADO",
    "Server=x;User Id=sa;Password=%;Encrypt=yes",
    "Server=x;User Id=sa;Password=@;Encrypt=yes",
  ],
  ["ADO, Pwd", "Driver=y;Uid=sa;Pwd=%;", "Driver=y;Uid=sa;Pwd=@;"],
  [
    "JDBC",
    "jdbc:mysql://h/db?user=bob&password=%&ssl=1",
    "jdbc:mysql://h/db?user=bob&password=@&ssl=1",
  ],
  ["form", "user=bob&password=%&x=1", "user=bob&password=@&x=1"],
  ["XML", "<password>%</password>", "<password>@</password>"],
  ["XML attribute", '<db password="%" user="x"/>', '<db password="@" user="x"/>'],
  ["XML pair", '<add key="SmtpPassword" value="%"/>', '<add key="SmtpPassword" value="@"/>'],
  ["typed", 'const password: string = "%";', 'const password: string = "@";'],
  ["define", "define('DB_PASSWORD', '%');", "define('DB_PASSWORD', '@');"],
  ["setter", 'client.setPassword("%");', 'client.setPassword("@");'],
  ["ruby", ":password => '%',", ":password => '@',"],
  ["go", 'password := "%"', 'password := "@"'],
  ["powershell", '$env:DB_PASSWORD = "%"', '$env:DB_PASSWORD = "@"'],
  ["toml", 'password = "%"', 'password = "@"'],
  ["properties", "spring.datasource.password=%", "spring.datasource.password=@"],
  ["prose", "The password is %, use it", "The password is @, use it"],
  ["number in JSON", '{"password": 83920174, "a": 1}', '{"password": "@", "a": 1}'],
  ["python bytes", 'password = b"%"', 'password = b"@"'],
  ["openssl, passin", "openssl rsa -passin pass:% -in x", "openssl rsa -passin pass:@ -in x"],
  ["SQL", "ALTER ROLE bob PASSWORD '%';", "ALTER ROLE bob PASSWORD '@';"],
  ["SQL, identified", "CREATE USER bob IDENTIFIED BY '%';", "CREATE USER bob IDENTIFIED BY '@';"],
  [
    "secure string",
    'ConvertTo-SecureString "%" -AsPlainText',
    'ConvertTo-SecureString "@" -AsPlainText',
  ],
  ["ssh-keygen", "ssh-keygen -t ed25519 -N '%' -f k", "ssh-keygen -t ed25519 -N '@' -f k"],
  ["table", "| password | % |", "| password | @ |"],
  ["bold", "**Password:** %", "**Password:** @"],
  ["bold name", "**Password**: %", "**Password**: @"],
  ["dash", "password - %", "password - @"],
  ["for whom", "password for bob: %", "password for bob: @"],
  ["no verb", "use password % to log in", "use password @ to log in"],
  ["az", "az login -u x -p % --tenant y", "az login -u x -p @ --tenant y"],
  ["openssl", "openssl enc -pass pass:% -in x", "openssl enc -pass pass:@ -in x"],
  ["kwargs", 'connect(host="x", password="%")', 'connect(host="x", password="@")'],
  ["yaml block", "password: |\n  %\n", "password: |\n  @\n"],
];

test.each(lines)("[SC1] a password goes and the rest stays: %s", (_context, input, output) => {
  const { text } = scrubber.scrub(input.replace("%", password));
  expect(text.replace(/__SECRET_credential_[a-z2-7]{12}__/, "@")).toBe(output);
});

test("[SC3] a password with escapes has the placeholder it has without", () => {
  const odd = ['a"b', "\\c'9x"].join("");
  const direct = scrubber.scrubJson({ password: odd }).value as { password: string };
  const flat = JSON.parse(scrubber.scrub(JSON.stringify({ password: odd })).text) as {
    password: string;
  };
  const nested = scrubber.scrub(JSON.stringify({ t: JSON.stringify({ password: odd }) })).text;
  expect(flat.password).toBe(direct.password);
  expect(nested).toContain(direct.password);
});
