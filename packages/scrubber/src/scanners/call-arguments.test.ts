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
  'new UsernamePasswordCredentials("svc", "‹d›")',
  'new UsernamePasswordToken("admin", "‹d›")',
  "User.objects.create_superuser('ada', 'ada@mail.example', '‹d›')",
  'signInWithEmailAndPassword(auth, "qa@mail.example", "‹d›")',
  'client.connect("node1", "sensor", "‹d›")',
  "wlan.connect('Office', '‹d›')",
  "connect('weblogic', '‹d›', 't3://adm01:7001')",
  'objFTP.Login "webuser", "‹d›"',
  'ftp_login($conn, "web", "‹d›")',
  'if (strcmp(password, "‹d›") == 0) return 1;',
  'strncpy(cfg->wifi_pass, "‹d›", sizeof(cfg->wifi_pass));',
  "hash_equals('‹d›', $token)",
  'subtle.ConstantTimeCompare([]byte(pw), []byte("‹d›"))',
  "fill_in 'Password', with: '‹w›'",
  "$I->fillField('password', '‹w›');",
  "await page.type('input[name=\"pass\"]', '‹w›');",
  'onView(withId(R.id.password)).perform(typeText("‹w›"))',
  "$('#password').val('‹w›');",
  'let creds = ("root", "‹d›")',
  "erlang:set_cookie(node(), '‹d›').",
  'new ClientSecretCredential(tenantId, clientId, "‹d›")',
  'new AzureKeyCredential("‹d›")',
  `require('twilio')('${account}', '‹d›')`,
  "EXEC sp_addlogin 'webapp', '‹w›', 'master';",
  "EXEC sp_addlinkedsrvlogin N'SRV2', N'False', NULL, N'sa', N'‹w›'",
  "SELECT pgp_sym_decrypt(ssn, '‹w›') FROM people;",
  "SELECT AES_ENCRYPT('x', '‹w›');",
  "proc pwencode in='‹w›'; run;",
  'assertEquals("‹d›", decrypt(settings.getDbPassword()));',
  "ALTER USER scott IDENTIFIED BY ‹d› REPLACE ‹d›;",
  "CREATE DATABASE LINK crm CONNECT TO crm_ro IDENTIFIED BY ‹d› USING 'CRM';",
  "INSERT INTO `settings` VALUES (4,'smtp_password','‹d›','yes');",
  "UPDATE app_settings SET value='‹d›' WHERE name='smtp_password';",
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
  'button.connect("clicked", "on_button2_clicked")',
  'mqtt.connect("mqtt-client-01", "topic/test1")',
  'if (strcmp(token, "define") == 0) return T_DEFINE;',
  'strcpy(password_field, "password");',
  'strcmp(argv[1], "--password")',
  "response.set_cookie('theme', 'dark2024')",
  'login("user", "pass")',
  'credentials("aws-prod", "deploy-role2")',
  "database('users', 'name', 'table2')",
  "cy.get('#pass-strength').type('weak')",
  "INSERT INTO `columns` VALUES ('user','password','email2');",
  "SELECT name, value FROM settings WHERE name = 'smtp_password';",
  "UPDATE users SET value = 'yes' WHERE name = 'show_password';",
  "UPDATE x SET a = 1;\nSELECT name, value FROM settings WHERE name = 'smtp_password';",
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
