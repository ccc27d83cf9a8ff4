import { describe, expect, test } from "vitest";
import { alnum, drawChars, hex, testScrubber } from "../testing/fakes.ts";

const scrubber = testScrubber();
const word = ["mari", "gold"].join("");
const drawn = drawChars(alnum, 18, 5);
const account = `AC${drawChars(hex, 32, 7)}`;
const mark = /__SECRET_credential_[a-z2-7]{12}__/g;
const scrubbed = (text: string): string => scrubber.scrub(text).text;

/** Calls in which `‹w›` stands for a plain word, and `‹d›` for what looks drawn. */
const calls: readonly string[] = [
  "HTTPBasicAuth('bob', '‹w›')",
  'req.SetBasicAuth("bob", "‹w›")',
  'new NetworkCredential("bob", "‹w›", "CORP")',
  'new mysqli("localhost", "root", "‹w›", "shop")',
  "new PDO('mysql:host=db;dbname=x', 'root', '‹w›', [PDO::ATTR_ERRMODE => 2])",
  'DriverManager.getConnection(\n    "jdbc:mysql://db/x",\n    "root",\n    "‹w›");',
  'DBI->connect("dbi:mysql:shop", "root", "‹w›");',
  'jwt.sign({ id, role: "admin" }, "‹w›", { expiresIn: "1h" })',
  'jwt.decode(token, "‹w›", algorithms=["HS256"])',
  "createHmac('sha256', '‹w›').update(body)",
  'hmac.new(b"‹w›", message, hashlib.sha256)',
  'hmac.New(sha256.New, []byte("‹w›"))',
  "OpenSSL::HMAC.hexdigest('SHA256', '‹w›', data)",
  "hash_hmac('sha256', $body, '‹w›')",
  "conn.simple_bind_s('cn=admin,dc=x', '‹w›')",
  "ldap_bind($link, 'cn=admin,dc=x', '‹w›')",
  "server.login('me@mail.example', '‹w›')",
  'smtp.PlainAuth("", user, "‹w›", host)',
  "requests.get(url, auth=('bob', '‹w›'))",
  "await page.fill('#password', '‹w›');",
  "cy.get('#password').type('‹w›')",
  "page.getByLabel('Password').fill('‹w›')",
  "new Sequelize('shop', 'root', '‹w›', { dialect: 'mysql' })",
  'buildConfigField("String", "API_SECRET", "\\"‹d›\\"")',
  "config.set('db', 'password', '‹w›')",
  'request.basic_auth("bob", "‹w›")',
  'new SymmetricSecurityKey(Encoding.UTF8.GetBytes("‹w›"))',
  "btoa('bob:‹d›')",
  "Client(['auth' => ['bob', '‹d›']])",
  "ftp.login('bob', '‹d›')",
  "request(app).get('/').auth('bob', '‹d›')",
  `const client = twilio('${account}', '‹d›');`,
];

describe("a secret that is an argument", () => {
  test.each(calls)("[SC1] goes, and all else stays: %s", (text) => {
    const written = text.replaceAll("‹w›", word).replaceAll("‹d›", drawn);
    for (const given of [written, JSON.stringify({ out: written })]) {
      const expected = given.replaceAll(word, "‹w›").replaceAll(drawn, "‹w›");
      expect(scrubbed(given).replaceAll(mark, "‹w›")).toBe(expected);
    }
  });

  test("[SC1] a wallet's key in a list of accounts goes", () => {
    const key = `0x${drawChars(hex, 64, 3)}`;
    expect(scrubbed(`accounts: ["${key}"], url: "x"`)).not.toContain(key);
  });
});

const harmless: readonly string[] = [
  "HTTPBasicAuth(user, password)",
  "HTTPBasicAuth('username', 'password')",
  "HTTPBasicAuth(os.environ['USER'], os.environ['PASS'])",
  "new mysqli($host, $user, $pass, 'shopdatabase')",
  "new mysqli('localhost', 'my_user', 'my_password', 'my_db');",
  "new PDO('sqlite:/tmp/shop.db')",
  "jwt.sign({ sub: 'user-1234567' }, privateKey, { algorithm: 'RS256' })",
  "jwt.decode(token, key, algorithms=['RS256', 'HS256'])",
  "crypto.createHmac('sha256', secret).update('some payload text')",
  "hmac.new(key, b'some-message-text', hashlib.sha256)",
  "hash_hmac('sha256', 'payload-text', $key)",
  "api.login('alice', onSuccess)",
  "auth.login('google', 'popup')",
  "socket.bind('0.0.0.0', 'localhost')",
  "$('#x').bind('click', 'someEvent')",
  "channel.bind('orders', 'orders-created-v2')",
  "page.fill('#username', 'alexander')",
  "cy.get('#password').type('{enter}')",
  "page.getByText('Forgot password').click()",
  "auth=('read', 'write')",
  "requires_auth('admin', 'editor')",
  "config.set('ui', 'tokens', 'compact')",
  "new Sequelize('database', 'username', 'password', { host: 'localhost' })",
  "btoa('user:password')",
  "Buffer.from('sha256:abcdef123456')",
  "btoa('urn:isbn:0451450523')",
  "auth: ['read', 'write']",
  "keyStore.load(stream, password.toCharArray())",
];

test.each(harmless)("[SC10] arguments that are no secrets stay: %s", (text) => {
  expect(scrubbed(text)).toBe(text);
});

test("[SC4] calls within calls cost no more for each character of a longer text", () => {
  const cost = (count: number): number => {
    let work = 0;
    const onWork = (visited: number): void => {
      work += visited;
    };
    testScrubber({ onWork }).scrub(".login('a', hmac.new(".repeat(count));
    return work / count;
  };
  expect(cost(4000)).toBeLessThan(cost(1000) * 1.2);
});
