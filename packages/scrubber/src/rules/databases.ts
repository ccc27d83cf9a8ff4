import { type NamedKind, run, type Rule, tokenRules, uuid } from "../rule.ts";
import { type NamedRow, namedKinds, type PrefixRow, prefixKinds } from "./rows.ts";
import { githubList } from "./sources.ts";

const planetscale = "https://planetscale.com/docs/api/reference/service-tokens";
const databricks = "https://docs.databricks.com/en/dev-tools/auth/pat.html";
const atlas = "https://www.mongodb.com/docs/atlas/api/service-accounts-overview/";
const elastic = "https://www.elastic.co/docs/deploy-manage/api-keys";
const clickhouse = "https://clickhouse.com/docs/cloud/manage/openapi";
const cockroach = "https://www.cockroachlabs.com/docs/cockroachcloud/cloud-api";
const datastax = "https://docs.datastax.com/en/astra-db-serverless/administration/manage-application-tokens.html"; // prettier-ignore
const influx = "https://docs.influxdata.com/influxdb/v2/admin/tokens/";
const aiven = "https://aiven.io/docs/platform/concepts/authentication-tokens";

const rows: readonly PrefixRow[] = [
  ["planetscale_token", "pscale_tkn_", "dotted", 32, 80, planetscale],
  ["planetscale_password", "pscale_pw_", "dotted", 32, 80, planetscale],
  ["planetscale_oauth_token", "pscale_oauth_", "dotted", 32, 80, planetscale],
  ["neon_key", "napi_", "lowerAlnum", 60, 80, "https://neon.com/docs/manage/api-keys"],
  ["databricks_token", "dapi", "hex", 32, 48, databricks],
  ["databricks_oauth_secret", "dose", "hex", 32, 48, databricks],
  ["mongodb_atlas_secret", "mdb_sa_sk_", "word", 40, 80, atlas],
  ["elastic_cloud_key", "essu_", "base64Padded", 40, 200, elastic],
  ["clickhouse_key", "4b1d", "alnum", 38, 38, clickhouse],
  ["cockroach_key", "CCDB1_", "word", 40, 120, cockroach],
  ["aiven_password", "AVNS_", "word", 16, 40, aiven],
  ["xata_key", "xau_", "alnum", 30, 80, "https://xata.io/docs"],
  ["gel_token", "nbwt1_ nbwt_ edbt_", "dotted", 40, 0, "https://docs.geldata.com/"],
  ["fauna_key", "fnAE fnAF", "word", 36, 60],
  ["confluent_key", "cflt", "base64Any", 50, 80, "https://docs.confluent.io/cloud/current/security/"],
  ["tinybird_token", "p.eyJ", "dotted", 60, 400, githubList],
  ["hasura_token", "hasura_pat_", "alnum", 40, 120],
  ["blockfrost_key", "mainnet preprod preview testnet", "alnum", 32, 32, "https://docs.blockfrost.io/"],
  ["turbopuffer_key", "tpuf_", "alnum", 32, 80, "https://turbopuffer.com/docs/"],
  ["chroma_key", "ck-", "alnum", 40, 80, "https://docs.trychroma.com/cloud/getting-started"],
]; // prettier-ignore

/** Tokens of databases and of what searches and streams. */
export const databaseRules: readonly Rule[] = tokenRules([
  ...prefixKinds(2, rows),
  {
    kind: "datastax_token",
    priority: 2,
    source: datastax,
    anchors: ["AstraCS:"],
    body: [run("alnum", 16, 32), ":", run("hex", 48, 96)],
  },
]);

const base64Of64 = [run("base64Any", 86), "=="];

const names = (): readonly NamedRow[] => [
  ["influx_token", "influx|influxdb", [base64Of64], influx],
  ["snowflake_token", "snowflake", [[run("dotted", 60, 400)]], "https://docs.snowflake.com/en/user-guide/programmatic-access-tokens"],
  ["confluent_secret", "confluent|kafka", [[run("base64", 64)]]],
  ["aiven_token", "aiven", [[run("base64Padded", 340, 400)], [run("base64Padded", 60, 340)]], aiven],
  ["atlas_private_key", "mongodb|mongo|atlas", [uuid], atlas],
  ["algolia_key", "algolia", [[run("hex", 32)]], "https://www.algolia.com/doc/guides/security/api-keys/"],
  ["meilisearch_key", "meili|meilisearch", [[run("word", 32, 80)], [run("hex", 64)]]],
  ["typesense_key", "typesense", [[run("alnum", 32, 64)]]],
  ["upstash_token", "upstash", [[run("base64Padded", 40, 120)]], "https://upstash.com/docs/"],
  ["qdrant_key", "qdrant", [[run("dotted", 40, 400)]]],
  ["turso_token", "turso|libsql", [[run("dotted", 60, 600)]], "https://docs.turso.tech/"],
  ["elastic_key", "elastic|elasticsearch", [[run("base64Padded", 56, 80)]], elastic],
  ["redis_cloud_key", "rediscloud|redislabs", [[run("alnum", 40, 64)]]],
  ["couchbase_secret", "couchbase secret|key", [[run("base64Any", 30, 90)]]],
  ["hasura_admin_secret", "hasura", [[run("word", 16, 80)]]],
]; // prettier-ignore

/** What goes by its name alone. */
export const databaseNames = (): readonly NamedKind[] => namedKinds(2, names());
