import { bech32 } from "../corpus/checksums.ts";
import { type Kind, named, shaped } from "../corpus/kind.ts";
import type { Random } from "../corpus/random.ts";
import { chars, uuid } from "../corpus/template.ts";
import { bytes } from "./private-keys.ts";
import { jwt } from "./sessions.ts";

function serviceRole(random: Random): string {
  const encoded = (value: unknown): string =>
    Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = { iss: "supabase", ref: chars(random, "lo", 20), role: "service_role" };
  return `${encoded({ alg: "HS256", typ: "JWT" })}.${encoded(claims)}.${chars(random, "w", 43)}`;
}

function onePassword(random: Random): string {
  const claims = {
    signInAddress: "corp.1password.test",
    deviceUuid: chars(random, "low", 26),
    email: `${chars(random, "low", 12)}@1passwordserviceaccounts.test`,
    srpX: chars(random, "hex", 64),
  };
  return `ops_${Buffer.from(JSON.stringify(claims)).toString("base64url")}`;
}

function macaroon(random: Random): string {
  return `FlyV1 fm2_lJPECAAAAAA${chars(random, "b64", 120)},fm2_lJPE${chars(random, "b64", 160)}`;
}

/** Hosting, infrastructure, secrets' stores and databases. */
export const platformKinds: readonly Kind[] = [
  shaped("P2", "digitalocean-pat", "dop_v1_<hex:64>", "DIGITALOCEAN_TOKEN DO_API_TOKEN"),
  shaped("P2", "digitalocean-oauth", "doo_v1_<hex:64>", "DIGITALOCEAN_TOKEN"),
  shaped("P2", "digitalocean-refresh", "dor_v1_<hex:64>", "DIGITALOCEAN_REFRESH_TOKEN"),
  shaped("P2", "heroku", "HRKU-AA<w:58>", "HEROKU_API_KEY"),
  named("P2", "heroku-old", "<uuid>", "HEROKU_API_KEY HEROKU_API_TOKEN"),
  shaped("P2", "vercel-personal", "vcp_<an:56>", "VERCEL_TOKEN"),
  shaped("P2", "vercel-integration", "vci_<an:56>", "VERCEL_TOKEN"),
  shaped("P2", "vercel-app", "vca_<an:56>", "VERCEL_TOKEN"),
  shaped("P2", "vercel-refresh", "vcr_<an:56>", "VERCEL_REFRESH_TOKEN"),
  named("P2", "vercel-old", "<an:24>", "VERCEL_TOKEN"),
  shaped("P2", "netlify", "nfp_<an:36>", "NETLIFY_AUTH_TOKEN"),
  shaped("P2", "fly", macaroon, "FLY_API_TOKEN"),
  shaped("P2", "render", "rnd_<an:28>", "RENDER_API_KEY"),
  named("P2", "railway", "<uuid>", "RAILWAY_TOKEN"),
  shaped("P2", "supabase-pat", "sbp_<hex:40>", "SUPABASE_ACCESS_TOKEN"),
  shaped("P2", "supabase-secret", "sb_secret_<w:22>_<w:8>", "SUPABASE_SECRET_KEY"),
  shaped("P2", "supabase-service-role", serviceRole, "SUPABASE_SERVICE_ROLE_KEY"),
  shaped("P2", "planetscale-token", "pscale_tkn_<w:43>", "PLANETSCALE_SERVICE_TOKEN"),
  shaped("P2", "planetscale-password", "pscale_pw_<w:43>", "PLANETSCALE_PASSWORD"),
  shaped("P2", "planetscale-oauth", "pscale_oauth_<w:43>", "PLANETSCALE_TOKEN"),
  shaped("P2", "neon", "napi_<low:64>", "NEON_API_KEY"),
  shaped("P2", "turso", (random) => jwt(random, 86), "TURSO_AUTH_TOKEN"),
  named("P2", "cloudflare-token", "<w:40>", "CLOUDFLARE_API_TOKEN CF_API_TOKEN"),
  named("P2", "cloudflare-global", "<hex:37>", "CLOUDFLARE_API_KEY CF_API_KEY"),
  shaped("P2", "cloudflare-origin", "v1.0-<hex:24>-<hex:146>", "CF_ORIGIN_CA_KEY"),
  named("P2", "fastly", "<w:32>", "FASTLY_API_TOKEN FASTLY_API_KEY"),
  named("P2", "linode", "<hex:64>", "LINODE_TOKEN"),
  named("P2", "hetzner", "<an:64>", "HCLOUD_TOKEN HETZNER_API_TOKEN"),
  named("P2", "vultr", "<up:36>", "VULTR_API_KEY"),
  named("P2", "scaleway", "<uuid>", "SCW_SECRET_KEY"),
  shaped("P2", "exoscale", "EXO<hex:24>", "EXOSCALE_API_KEY"),
  shaped("P2", "alibaba-id", "LTAI5t<an:18>", "ALIBABA_CLOUD_ACCESS_KEY_ID"),
  named("P2", "alibaba-secret", "<an:30>", "ALIBABA_CLOUD_ACCESS_KEY_SECRET"),
  shaped("P2", "tencent-id", "AKID<an:32>", "TENCENTCLOUD_SECRET_ID"),
  named("P2", "tencent-secret", "<an:32>", "TENCENTCLOUD_SECRET_KEY"),
  shaped("P2", "yandex-api", "AQVN<w:35>", "YANDEX_API_KEY"),
  shaped("P2", "yandex-iam", "t1.9eu<w:120>.<w:86>", "YC_TOKEN IAM_TOKEN"),
  shaped("P2", "yandex-static", "YCM<w:37>", "YC_SECRET_KEY"),
  named("P2", "ibm-cloud", "<w:44>", "IBM_API_KEY IBMCLOUD_API_KEY"),
  named("P2", "oracle-auth-token", "<an:8>}<an:6>[<an:4>", "OCI_AUTH_TOKEN"),
  shaped("P2", "vault-service", "hvs.CAES<w:90>", "VAULT_TOKEN"),
  shaped("P2", "vault-service-short", "hvs.<an:24>", "VAULT_TOKEN"),
  shaped("P2", "vault-batch", "hvb.AAAAAQ<w:150>", "VAULT_TOKEN"),
  shaped("P2", "vault-recovery", "hvr.<an:24>", "VAULT_RECOVERY_TOKEN"),
  shaped("P2", "vault-old", "s.<an:24>", "VAULT_TOKEN"),
  shaped("P2", "terraform-cloud", "<an:14>.atlasv1.<w:67>", "TF_TOKEN_APP_TERRAFORM_IO TFE_TOKEN"),
  named("P2", "consul", "<uuid>", "CONSUL_HTTP_TOKEN"),
  named("P2", "nomad", "<uuid>", "NOMAD_TOKEN"),
  shaped("P2", "doppler-personal", "dp.pt.<an:43>", "DOPPLER_TOKEN"),
  shaped("P2", "doppler-service", "dp.st.dev_main.<an:43>", "DOPPLER_TOKEN"),
  shaped("P2", "doppler-cli", "dp.ct.<an:43>", "DOPPLER_TOKEN"),
  shaped("P2", "infisical", "st.<hex:24>.<hex:32>.<hex:32>", "INFISICAL_TOKEN"),
  shaped("P2", "onepassword-service", onePassword, "OP_SERVICE_ACCOUNT_TOKEN"),
  shaped(
    "P2",
    "onepassword-secret-key",
    "A3-<up:6>-<up:6>-<up:5>-<up:5>-<up:5>-<up:5>",
    "OP_SECRET_KEY",
  ),
  named("P2", "bitwarden", "0.<uuid>.<an:30>:<b64:22>==", "BWS_ACCESS_TOKEN"),
  shaped("P2", "tailscale-auth", "tskey-auth-<an:12>CNTRL-<an:32>", "TAILSCALE_AUTHKEY TS_AUTHKEY"),
  shaped("P2", "tailscale-api", "tskey-api-<an:12>CNTRL-<an:32>", "TAILSCALE_API_KEY"),
  shaped("P2", "tailscale-client", "tskey-client-<an:12>CNTRL-<an:32>", "TS_CLIENT_SECRET"),
  named("P2", "ngrok", "2<an:26>_<an:21>", "NGROK_AUTHTOKEN NGROK_AUTH_TOKEN"),
  shaped("P2", "pulumi", "pul-<hex:40>", "PULUMI_ACCESS_TOKEN"),
  shaped("P2", "databricks", "dapi<hex:32>", "DATABRICKS_TOKEN"),
  shaped("P2", "databricks-suffixed", "dapi<hex:32>-2", "DATABRICKS_TOKEN"),
  shaped("P2", "snowflake-pat", (random) => jwt(random, 342), "SNOWFLAKE_PAT SNOWFLAKE_TOKEN"),
  named("P2", "confluent", "<b64:64>", "CONFLUENT_CLOUD_API_SECRET"),
  shaped("P2", "aiven-password", "AVNS_<w:19>", "AIVEN_PASSWORD SERVICE_PASSWORD"),
  shaped("P2", "mongodb-atlas", "mdb_sa_sk_<w:40>", "MONGODB_ATLAS_CLIENT_SECRET"),
  named("P2", "mongodb-atlas-old", uuid, "MONGODB_ATLAS_PRIVATE_KEY"),
  shaped("P2", "elastic-cloud", "essu_<b64:72>==", "EC_API_KEY"),
  named("P2", "elastic-api-key", "<b64:58>==", "ELASTIC_API_KEY ELASTICSEARCH_API_KEY"),
  shaped("P2", "clickhouse-cloud", "4b1d<an:38>", "CLICKHOUSE_KEY_SECRET"),
  shaped("P2", "cockroach", "CCDB1_<an:22>_<an:40>", "COCKROACH_API_KEY"),
  shaped("P2", "datastax", "AstraCS:<an:24>:<hex:64>", "ASTRA_DB_APPLICATION_TOKEN"),
  named("P2", "influxdb", "<w:86>==", "INFLUXDB_TOKEN INFLUX_TOKEN"),
  shaped("P2", "openshift", "sha256~<w:43>", "OPENSHIFT_TOKEN"),
  shaped("P2", "sops-age", (random) => bech32("age-secret-key-", bytes(random, 32)).toUpperCase(), "SOPS_AGE_KEY"), // prettier-ignore
];
