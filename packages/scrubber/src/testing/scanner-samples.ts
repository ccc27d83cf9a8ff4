import { catalog } from "../catalog.ts";
import { addressRows } from "../rules/address-table.ts";
import { urlPasswordKinds } from "../rules/url-password-kinds.ts";
import { alnum, base64, digits, drawBytes, drawChars, hex, upper } from "./draw.ts";
import { drawParts } from "./fakes.ts";
import type { KindCase } from "./kind-cases.ts";

/** What a scanner finds, and what it leaves; the secret is given where it is not all of the text. */
type Sample = readonly [
  ruleId: string,
  kind: string,
  draw: (seed: number) => readonly [text: string, secret: string],
  negative: (seed: number) => string,
];

const upperHex = `${digits}ABCDEF`;
const word = (seed: number, count = 20): string => drawChars(alnum, count, seed);
const hex32 = (seed: number): string => drawChars(hex, 32, seed);
const lines = (seed: number): string =>
  [0, 1, 2, 3].map((index) => drawChars(base64, 64, seed + index)).join("\n");
const armour = (text: string, place: string): string => `-----${place} ${text}-----`;
const privateKey = ["RSA PRIVATE", "KEY"].join(" ");
const encode = (text: string): string => btoa(text).replaceAll("=", "");
const jwt = (seed: number): string =>
  [encode('{"alg":"HS256","typ":"JWT"}'), encode(`{"sub":"${seed}"}`), word(seed, 43)].join(".");
const seedWords = (seed: number): string =>
  Array.from({ length: 12 }, (_, index) => drawChars("abcdefghijklmno", 5, seed + index)).join(" ");
const keyNumbers = (seed: number): string => drawBytes(64, seed).join(",");
const code = (seed: number): string =>
  `${drawChars(hex, 4, seed)}7-3${drawChars(hex, 4, seed + 50)}`;
const diskKey = (seed: number): string =>
  Array.from({ length: 8 }, (_, index) => drawChars(digits, 6, seed + index)).join("-");
const seedOf = (seed: number): string => `${drawChars(`${upper}234567`, 30, seed)}72`;
const discordBot = (seed: number): string =>
  `${encode(drawChars(digits, 18, seed).replace("0", "1"))}.${word(seed, 6)}.${word(seed + 1, 38)}`;

const keySamples: readonly Sample[] = [
  ["pem-begin", "private_key", (seed) => [`${armour(privateKey, "BEGIN")}\n${lines(seed)}\n`, lines(seed)], (seed) => `${armour("CERTIFICATE", "BEGIN")}\n${lines(seed)}\n`],
  ["pem-end", "private_key", (seed) => [`${lines(seed)}\n${armour(privateKey, "END")}\n`, lines(seed)], (seed) => `${lines(seed)}\n${armour("CERTIFICATE", "END")}\n`],
  ["key-body", "private_key", (seed) => [`MIIEvQIBADAN${lines(seed)}`, lines(seed)], (seed) => `MIIDazCCAlOg${lines(seed)}`],
  ["putty", "private_key", (seed) => [`Private-Lines: 4\n${lines(seed)}\nx`, lines(seed)], (seed) => `Public-Lines: 4\n${lines(seed)}\nx`],
  ["wrapped-pem", "wrapped_private_key", (seed) => wrappedKey(privateKey, seed), (seed) => wrappedKey("CERTIFICATE", seed)[0]],
  ["aws-pair", "aws_secret_key", awsPair, (seed) => `${awsPair(seed)[0]}x`.replace(" ", " commit ")],
  ["discord-bot", "discord_bot_token", (seed) => [`use ${discordBot(seed)} now`, discordBot(seed)], (seed) => `see x${discordBot(seed)} there`],
  ["seed-phrase", "seed_phrase", (seed) => [`mnemonic: "${seedWords(seed)}"`, seedWords(seed)], (seed) => `mnemonic: "${seedWords(seed)} ${seedWords(seed).slice(0, 5)}"`],
  ["key-numbers", "solana_key", (seed) => [`[${keyNumbers(seed)}]`, keyNumbers(seed)], (seed) => `[${keyNumbers(seed)},1]`],
]; // prettier-ignore

function wrappedKey(label: string, seed: number): readonly [string, string] {
  const wrapped = btoa(`${armour(label, "BEGIN")}\n${lines(seed)}\n`);
  return [`data: ${wrapped}\n`, wrapped];
}

function awsPair(seed: number): readonly [string, string] {
  const secret = drawChars(base64, 40, seed);
  return [`${["AK", "IA"].join("")}${drawChars(`${upper}234567`, 16, seed)} ${secret}`, secret];
}

const headerSamples: readonly Sample[] = [
  ["jwt", "jwt", (seed) => [`got ${jwt(seed)} back`, jwt(seed)], (seed) => `got ${encode('{"a":1,"b":2}')}.${word(seed)}.${word(seed)} back`],
  ["wrapped-jwt", "wrapped_jwt", (seed) => [`got ${encode(jwt(seed))} back`, encode(jwt(seed))], (seed) => `got ${encode(encode(`{"a":"${word(seed)}"}`))} back`],
  ["scheme", "bearer_token", (seed) => [`curl -H "Authorization: Bearer ${word(seed)}"`, word(seed)], () => "a bearer authentication is asked for"],
  ["scheme", "basic_credentials", (seed) => [`Basic ${btoa(`bob:${word(seed)}`)}`, btoa(`bob:${word(seed)}`)], () => "Basic understanding of it"],
  ["authorization", "authorization", (seed) => [`Authorization: ApiKey ${word(seed)}`, word(seed)], () => "authorization: required for all of it"],
  ["signature", "signature", (seed) => [`https://x.example/?Signature=${drawChars(hex, 64, seed)}`, drawChars(hex, 64, seed)], () => "signature=none"],
  ["cookie-header", "session_cookie", (seed) => [`Cookie: sid=${word(seed)}; theme=dark`, word(seed)], () => "Cookie: theme=dark; lang=en"],
  ["session-cookie", "session_cookie", (seed) => [`PHPSESSID=${word(seed)}`, word(seed)], () => "PHPSESSID=deleted"],
  ["url-userinfo", "url_password", (seed) => [`https://bob:${word(seed)}@x.example/a`, word(seed)], () => "https://bob@x.example/a"],
  ["otpauth", "totp_secret", (seed) => [`otpauth://totp/x:bob?secret=${drawChars(`${upper}234567`, 32, seed)}&issuer=x`, drawChars(`${upper}234567`, 32, seed)], () => "otpauth://totp/x:bob?issuer=x"],
]; // prettier-ignore

const lineSamples: readonly Sample[] = [
  ["assignment", "password", (seed) => [`DB_PASSWORD=${word(seed, 12)}`, word(seed, 12)], () => "DB_PASSWORD=$DB_PASSWORD"],
  ["assignment", "token", (seed) => [`"auth_token": "${word(seed)}"`, word(seed)], (seed) => `"page_token": "${word(seed)}"`],
  ["assignment", "api_key", (seed) => [`api_key = "${word(seed)}"`, word(seed)], () => "api_key = config.api_key"],
  ["command-line", "command_password", (seed) => [`curl -u bob:${word(seed)} x`, word(seed)], () => "docker run -u 1000:1000 x"],
  ["command-line", "command_password", (seed) => [`$ sudo sshpass -p ${word(seed)} ssh x`, word(seed)], () => "mkdir -p src/components && ssh -p 2222 ops@x"],
  ["command-line", "command_password", (seed) => [`redis-cli -a ${word(seed)} ping`, word(seed)], (seed) => `git tag -a ${word(seed)} -m x`],
  ["command-line", "command_password", (seed) => [`echo ${word(seed)} | docker login --password-stdin`, word(seed)], () => "docker login --password-stdin < file"],
  ["command-line", "command_password", (seed) => [`mysql -uroot -p${word(seed)} app`, word(seed)], () => "mysql -uroot -p app"],
  ["announced", "announced_password", (seed) => [`CREATE USER bob IDENTIFIED BY '${word(seed)}';`, word(seed)], () => "rows are identified by the id column"],
  ["sql-password", "announced_password", (seed) => [`ALTER USER bob WITH PASSWORD '${word(seed)}';`, word(seed)], () => "ALTER USER bob WITH PASSWORD '<password>';"],
  ["expect", "command_password", (seed) => [`expect "assword:"\nsend "${word(seed)}\\r"\n`, word(seed)], () => 'expect "assword:"\nsend "$password\\r"\n'],
  ["redis-auth", "redis_password", (seed) => [`127.0.0.1:6379> AUTH ${word(seed)}\nOK`, word(seed)], () => "> auth was added later"],
  ["call", "call_secret", (seed) => [`new NetworkCredential("bob", "${word(seed)}")`, word(seed)], () => 'new NetworkCredential("bob", password)'],
  ["login", "login_password", (seed) => [`220 ready\r\nUSER app\r\nPASS ${word(seed)}\r\n230 ok`, word(seed)], () => "PASS src/login.test.ts"],
  ["password-lines", "login_password", (seed) => [`chpasswd:\n  list: |\n    root:${word(seed)}\n`, word(seed)], () => "chpasswd:\n  expire: false\n"],
  ["redis-acl", "redis_password", (seed) => [`ACL SETUSER app on >${word(seed)} ~*`, word(seed)], () => "ACL SETUSER app on nopass ~*"],
  ["data-source", "mysql_password", (seed) => [`dsn := "app:${word(seed)}@tcp(db:3306)/shop"`, word(seed)], () => 'dsn := user + "@tcp(db:3306)/shop"'],
  ["siblings", "named_by_siblings", (seed) => [`{"sensitive": true, "type": "string", "value": "${word(seed)}"}`, word(seed)], (seed) => `{"sensitive": false, "type": "string", "value": "${word(seed)}"}`],
  ["cookie-list", "session_cookie", (seed) => [`{"cookies": [{"name": "sid", "value": "${word(seed)}"}]}`, word(seed)], (seed) => `{"cookies": [{"name": "theme", "value": "${word(seed)}"}]}`],
  ["vault-secret", "named_by_siblings", (seed) => [`{"id": "https://kv.vault.azure.net/secrets/db/1", "value": "${word(seed)}"}`, word(seed)], (seed) => `{"id": "https://kv.vault.azure.net/keys/db/1", "value": "${word(seed)}"}`],
  ["drawn-password", "named_by_siblings", (seed) => [`{"type": "random_password", "instances": [{"attributes": {"result": "${word(seed)}"}}]}`, word(seed)], (seed) => `{"type": "random_pet", "instances": [{"attributes": {"result": "${word(seed)}"}}]}`],
  ["cluster-secret", "cluster_secret", (seed) => [`data:\n  a: ${btoa(word(seed, 21))}\nkind: Secret\n`, btoa(word(seed, 21))], (seed) => `data:\n  a: ${btoa(word(seed, 21))}\nkind: ConfigMap\n`],
  ["flag-list", "command_password", (seed) => [`["serve", "--api-key", "${word(seed)}"]`, word(seed)], () => '["serve", "--api-key", "$API_KEY"]'],
  ["pgpass", "pgpass_password", (seed) => [`db.host:5432:app:bob:${word(seed)}\n`, word(seed)], () => "db.host:5432/app"],
  ["pgpass", "pgpass_password", (seed) => [`$ cat ~/.pgpass\ndb.host:*:*:bob:${word(seed)}\n`, word(seed)], () => "chmod 600 ~/.pgpass\nls"],
  ["spoken", "spoken_password", (seed) => [`The password for the staging database is ${word(seed)} and it never expires.`, word(seed)], () => "The password for the staging database is hashed with bcrypt and a salt."],
  ["spoken-next", "spoken_password", (seed) => [`We rotated the API key, the new one is ${word(seed, 32)}`, word(seed, 32)], () => "We rotated the API key, the new one is in the vault"],
  ["prompt", "prompted_password", (seed) => [`Password for user "ops" (will be hidden): ${word(seed)}`, word(seed)], () => "Password for user ops: incorrect"],
  ["foreign-name", "spoken_password", (seed) => [`Das Passwort lautet ${word(seed)}.`, word(seed)], () => "Das Passwort muss mindestens 8 Zeichen haben."],
  ["wide-sign", "password", (seed) => [`DB_PASSWORD：${word(seed)}`, word(seed)], () => "password：必填"],
  ["code-list", "recovery_code", (seed) => [`Recovery codes:\n1. ${code(seed)}\n2. ${code(seed + 1)}\n3. ${code(seed + 2)}\n`, code(seed)], () => "Recovery codes:\n- are shown once\n- expire never\n"],
  ["recovery-number", "recovery_code", (seed) => [`BitLocker recovery key: ${diskKey(seed)}`, diskKey(seed)], (seed) => `BitLocker recovery key: ${diskKey(seed).slice(0, 41)}`],
  ["logged-in", "spoken_password", (seed) => [`Kannst du dich mit ops / ${word(seed)} einloggen?`, word(seed)], () => "Kannst du dich mit ops / support einloggen?"],
  ["storage-account", "azure_storage_key", (seed) => [`-Dfs.azure.account.key.app.blob.core.windows.net=${drawChars(base64, 86, seed)}==`, `${drawChars(base64, 86, seed)}==`], () => "set fs.azure.account.key.app.blob.core.windows.net in the vault"],
  ["named-after", "spoken_password", (seed) => [`Use ${word(seed, 24)}7bQ as the password`, `${word(seed, 24)}7bQ`], () => "Use the same word as the password"],
  ["echoed-password", "command_password", (seed) => [`restic --password-command "echo ${word(seed)}" snapshots`, word(seed)], () => 'restic --password-command "pass show backup" snapshots'],
  ["one-time-code", "one_time_code", (seed) => [`Your verification code is ${drawChars(digits, 6, seed)}.`, drawChars(digits, 6, seed)], () => "Your verification code is 6 digits long."],
  ["one-time-seed", "totp_secret", (seed) => [`Enter this key manually: ${seedOf(seed)}`, seedOf(seed)], () => "Enter this key manually: ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"],
  ["printed-output", "printed_secret", (seed) => [`$ python -c "print(secrets.token_hex(16))"\n${word(seed, 32)}\n$ ls\n`, word(seed, 32)], () => "I used secrets.token_hex(16) there.\nFine2Words\n"],
  ["account-flags", "command_password", (seed) => [`$ newshell -h db1 -u ops -p ${word(seed)} -c 1`, word(seed)], () => "$ docker run -u ops -p 8080:80 -w /srv/app2Data1 img"],
  ["device-line", "device_secret", (seed) => [`crypto keyring K\n pre-shared-key address 10.0.0.1 key ${word(seed)}\n key-string ${word(seed)}\n`, word(seed)], () => "uses pre-shared-key authentication between the peers"],
  ["sql-connect", "oracle_password", (seed) => [`SQL> CONNECT hr/${word(seed)}@XE\n`, word(seed)], () => "connect with/without the pool"],
  ["secret-file", "login_password", (seed) => [`ops : EAP "${word(seed)}"\n`, word(seed)], () => "auth-user-pass\nremote vpn.example 1194\ncipher AES-256-GCM\n"],
  ["wifi-code", "wifi_password", (seed) => [`WIFI:T:WPA;S:Guests;P:${word(seed)};;`, word(seed)], () => "WIFI:T:nopass;S:Guests;;"],
  ["stream-key", "stream_key", (seed) => [`ffmpeg -i a.mp4 -f flv rtmp://live.example/app/${word(seed)}9x`, `${word(seed)}9x`], () => "ffplay rtmp://live.example/app/stream-1"],
  ["mysql-hash", "mysql_hash", (seed) => [`| ops | % | *${drawChars(upperHex, 40, seed)} |`, drawChars(upperHex, 40, seed)], () => "| * | the first of the list |"],
  ["queried-rows", "table_credential", (seed) => [`sqlite> select id, app from credentials;\n1|git|ops|${word(seed)}9|2026-01-04\n`, `${word(seed)}9`], () => "sqlite> select id, app from credentials;\n1|git|ops|none|2026-01-04\n"],
  ["nickname", "login_password", (seed) => [`/msg NickServ IDENTIFY ops ${word(seed)}`, word(seed)], () => "/msg NickServ IDENTIFY <password>"],
  ["table-column", "table_credential", (seed) => [`| user | password |\n|---|---|\n| ops | ${word(seed)} |\n`, word(seed)], () => "| name | password |\n|---|---|\n| ops | optional |\n"],
  ["changed-value", "changed_credential", (seed) => [`~ password = "${word(seed, 12)}" -> "${word(seed)}"`, word(seed)], () => '~ version = "1.2.3" -> "1.2.4"'],
  ["query-value", "query_token", (seed) => [`https://x.example/cb?code=${word(seed, 32)}&state=1`, word(seed, 32)], () => "https://x.example/cb?code=404&key=name"],
  ["link-token", "link_token", (seed) => [`https://x.example/reset-password/${word(seed, 32)}`, word(seed, 32)], () => "https://x.example/reset-password/confirmation"],
  ["oracle-address", "oracle_password", (seed) => [`jdbc:oracle:thin:app/${word(seed)}@db:1521/x`, word(seed)], () => "jdbc:oracle:thin:@db:1521/x"],
  ["private-tag", "private", (seed) => [`a <private>${hex32(seed)}</private> b`, hex32(seed)], () => "a private b"],
]; // prettier-ignore

const urlSamples: readonly Sample[] = [...urlPasswordKinds].map(([scheme, kind]) => [
  "url-userinfo",
  kind,
  (seed) => [`${scheme}://bob:${word(seed)}@db.example/app`, word(seed)],
  () => `${scheme}://bob@db.example/app`,
]);

const addressSamples: readonly Sample[] = addressRows().map(
  ([kind, hosts, kept, secret], index) => {
    const address = (seed: number): string =>
      `https://x.example${hosts.split("|")[0]}${drawParts(kept, seed)}`;
    return [
      `address-${index + 1}`,
      kind,
      (seed) => [`${address(seed)}${drawParts(secret, seed)}`, drawParts(secret, seed)],
      (seed) => `${address(seed)}x!`,
    ];
  },
);

/** A case for what each scanner finds. */
export const scannerSamples: readonly KindCase[] = [
  ...keySamples,
  ...headerSamples,
  ...lineSamples,
  ...urlSamples,
  ...addressSamples,
].map(([ruleId, kind, draw, negative]) => {
  const rule = catalog.find(({ id }) => id === ruleId);
  if (rule === undefined) throw new Error(`no rule is called ${ruleId}`);
  return {
    kind,
    priority: rule.priority,
    source: rule.source,
    ruleId,
    title: `${ruleId} (${kind})`,
    positive: (seed) => [draw(seed), wrapped(draw(seed))],
    negative: (seed) => ({ "what looks like it": negative(seed) }),
  };
});

/** The same as a line of a tool's output in JSON. */
function wrapped([text, secret]: readonly [string, string]): readonly [string, string] {
  return [JSON.stringify({ out: `ran\n${text}\n` }), JSON.stringify(secret).slice(1, -1)];
}
