import { type Kind, snippet } from "../corpus/kind.ts";
import { must, secret } from "../corpus/marks.ts";
import type { Random } from "../corpus/random.ts";
import { chars, password, uuid, word } from "../corpus/template.ts";

const user = (random: Random): string => must(random.pick(["app", "svc_orders", "admin", "root", "reader"])); // prettier-ignore
const host = (random: Random, suffix: string): string => must(`${word(random)}${suffix}`);

/** A password as it stands in a URL: sometimes with marks, encoded or not. */
function urlPassword(random: Random): string {
  const plain = password(random);
  const style = random.next();
  if (style < 0.25) return encodeURIComponent(`${plain.slice(0, 6)}@#/${plain.slice(6)}`);
  return style < 0.5 ? encodeURIComponent(plain) : plain;
}

function shown(random: Random, link: string): string {
  return random.pick([
    () => `DATABASE_URL=${link}`,
    () => `url: "${link}"`,
    () => `connecting to ${link}`,
    () => `const db = await connect('${link}');`,
    () => `{"uri":"${link}"}`,
    () => `$ connect ${link} --verbose`,
    () => `export SERVICE_URL="${link}"`,
  ])();
}

const link =
  (scheme: string, suffix: string, rest: string, hasUser: boolean = true) =>
  (random: Random): string =>
    shown(
      random,
      `${must(scheme)}://${hasUser ? user(random) : ""}:${secret(urlPassword(random))}@${host(random, suffix)}${rest}`,
    );

const links: Readonly<Record<string, (random: Random) => string>> = {
  "url-https": link("https", ".internal.test", "/artifacts/list?page=2"),
  "url-ftp": link("ftp", ".files.test", "/pub/backup.tar"),
  "url-postgres": link("postgres", ".db.test", ":5432/orders"),
  "url-postgresql-driver": link("postgresql+asyncpg", ".db.test", "/orders?sslmode=require"),
  "url-mysql": link("mysql", "-1.rds.test", ":3306/shop"),
  "url-mariadb": link("mariadb", ".db.test", "/shop"),
  "url-mongodb": link("mongodb", "0.mongo.test", ":27017/admin?replicaSet=rs0"),
  "url-mongodb-srv": link("mongodb+srv", ".mongo.test", "/app?retryWrites=true"),
  "url-redis": link("redis", ".cache.test", ":6379/0", false),
  "url-rediss": link("rediss", ".cache.test", ":6380", false),
  "url-amqp": link("amqp", ".mq.test", ":5672/vhost"),
  "url-amqps": link("amqps", ".mq.test", "/vhost"),
  "url-smtp": link("smtp", ".mail.test", ":587"),
  "url-ldap": link("ldaps", ".dir.test", ":636/dc=corp"),
  "url-clickhouse": link("clickhouse", ".ch.test", ":9000/events"),
  "url-snowflake": link("snowflake", ".snow.test", "/db/public?warehouse=wh"),
  "url-mssql": link("sqlserver", ".sql.test", ":1433?database=app"),
  "url-nats": link("nats", ".nats.test", ":4222"),
  "url-socks-proxy": link("socks5", ".proxy.test", ":1080"),
};

const token = (random: Random): string =>
  random.pick([
    chars(random, "an", 40),
    chars(random, "hex", 32),
    uuid(random),
    chars(random, "w", 43),
  ]);

function queried(random: Random, name: string): string {
  const base = `https://${host(random, ".api.test")}${must("/v2/items")}`;
  const pair = `${must(name)}=${secret(token(random))}`;
  return random.pick([
    () => `${base}?${pair}`,
    () => `${base}?page=3&${pair}&sort=asc`,
    () => `GET ${base}?limit=5&${pair} 200 12ms`,
    () => `<a href="${base}?x=1&amp;${pair}">open</a>`,
    () => `requests.get("${base}?${pair}", timeout=5)`,
  ])();
}

const queryNames = "token key sig secret password code access_token api_key apikey client_secret auth refresh_token id_token signature".split(" "); // prettier-ignore

const ado = (passwordName: string) => (random: Random) =>
  `"ConnectionStrings": {"Default": "Server=tcp:${host(random, ".database.test")},1433;Initial Catalog=shop;User ID=${user(random)};${passwordName}=${secret(password(random))};Encrypt=True;"}`;

/** Databases, brokers and other services with the credentials in the address. */
export const connectionKinds: readonly Kind[] = [
  ...Object.entries(links).map(([id, draw]) => snippet("P1", "url userinfo", id, draw)),
  ...queryNames.map((name) =>
    snippet("P1", "url query", `query-${name.replaceAll("_", "-")}`, (random) =>
      queried(random, name),
    ),
  ),
  snippet("P1", "connection string", "ado-password", ado("Password")),
  snippet("P1", "connection string", "ado-pwd", ado("Pwd")),
  snippet(
    "P1",
    "connection string",
    "odbc-password",
    (random) =>
      `Driver={ODBC Driver 18 for SQL Server};Server=${host(random, ".sql.test")};UID=${user(random)};PWD=${secret(password(random))};`,
  ),
  snippet(
    "P1",
    "connection string",
    "libpq-password",
    (random) =>
      `psql "host=${host(random, ".db.test")} port=5432 dbname=app user=${user(random)} password=${secret(password(random))} sslmode=require"`,
  ),
  snippet(
    "P1",
    "connection string",
    "jdbc-password",
    (random) =>
      `spring.datasource.url=jdbc:postgresql://${host(random, ".db.test")}:5432/app?user=${user(random)}&password=${secret(password(random))}`,
  ),
  snippet(
    "P1",
    "connection string",
    "redis-password",
    (random) =>
      `${host(random, ".redis.cache.test")}:6380,password=${secret(password(random))},ssl=True,abortConnect=False`,
  ),
  snippet(
    "P1",
    "url path",
    "magic-link",
    (random) =>
      `Sign in: https://${host(random, ".app.test")}/auth/magic?token=${secret(chars(random, "w", 48))}&email=x%40example.com`,
  ),
  snippet(
    "P1",
    "url path",
    "reset-link",
    (random) =>
      `<p>Reset your password: https://${host(random, ".app.test")}/reset-password/${secret(chars(random, "an", 40))}</p>`,
  ),
  snippet(
    "P1",
    "url fragment",
    "oauth-fragment",
    (random) =>
      `Location: https://${host(random, ".app.test")}/callback#access_token=${secret(token(random))}&token_type=bearer&expires_in=3600`,
  ),
  snippet(
    "P1",
    "url query",
    "otpauth",
    (random) =>
      `otpauth://totp/${must("Corp:ops")}?secret=${secret(chars(random, "b32", 32))}&issuer=Corp`,
  ),
  snippet(
    "P1",
    "url userinfo",
    "git-remote-token",
    (random) =>
      `origin\thttps://oauth2:${secret(chars(random, "an", 40))}@${host(random, ".git.test")}/team/app.git (fetch)`,
  ),
];
