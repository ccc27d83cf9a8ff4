import { crcHex } from "../corpus/checksums.ts";
import { type Kind, named, shaped, snippet } from "../corpus/kind.ts";
import { must, secret } from "../corpus/marks.ts";
import type { Random } from "../corpus/random.ts";
import { chars, fill } from "../corpus/template.ts";

const json64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64");

const atlassian = (prefix: string) => (random: Random) => {
  const head = `${prefix}${chars(random, "w", 171)}`;
  return `${head}=${crcHex(head).toUpperCase()}`;
};

function grafanaService(random: Random): string {
  const head = `glsa_${chars(random, "an", 32)}`;
  return `${head}_${crcHex(head)}`;
}

/** Tools of teams, builds, monitoring, maps and networks. */
export const serviceKinds: readonly Kind[] = [
  shaped("P2", "atlassian-api", atlassian("ATATT3xFfGF0"), "ATLASSIAN_API_TOKEN JIRA_API_TOKEN"),
  shaped("P2", "atlassian-scoped", atlassian("ATCTT3xFfGN0"), "BITBUCKET_TOKEN"),
  shaped("P2", "bitbucket-app", "ATBB<an:24><HEX:8>", "BITBUCKET_APP_PASSWORD"),
  shaped("P2", "atlassian-oauth", "ATOA<w:60>", "ATLASSIAN_CLIENT_SECRET"),
  shaped("P2", "linear-api", "lin_api_<an:40>", "LINEAR_API_KEY"),
  shaped("P2", "linear-oauth", "lin_oauth_<hex:64>", "LINEAR_TOKEN"),
  shaped("P2", "notion", "ntn_<d:11><an:35>", "NOTION_TOKEN NOTION_API_KEY"),
  shaped("P2", "notion-old", "secret_<an:43>", "NOTION_TOKEN"),
  shaped("P2", "figma", "figd_<w:40>", "FIGMA_TOKEN FIGMA_ACCESS_TOKEN"),
  shaped("P2", "airtable", "pat<an:14>.<hex:64>", "AIRTABLE_API_KEY AIRTABLE_PAT"),
  shaped("P2", "asana", "2/<d:16>/<d:16>:<hex:32>", "ASANA_ACCESS_TOKEN"),
  shaped("P2", "clickup", "pk_<d:8>_<up:32>", "CLICKUP_API_TOKEN"),
  shaped("P2", "postman", "PMAK-<hex:24>-<hex:34>", "POSTMAN_API_KEY"),
  shaped("P2", "circleci", "CCIPAT_<an:22>_<hex:40>", "CIRCLECI_TOKEN CIRCLE_TOKEN"),
  shaped("P2", "buildkite-user", "bkua_<hex:40>", "BUILDKITE_TOKEN"),
  shaped("P2", "buildkite-cluster", "bkct_<w:60>", "BUILDKITE_AGENT_TOKEN"),
  named("P2", "travis", "<an:22>", "TRAVIS_TOKEN"),
  named("P2", "drone", "<an:32>", "DRONE_TOKEN"),
  named("P2", "codecov", "<uuid>", "CODECOV_TOKEN"),
  shaped("P2", "sonar-user", "squ_<hex:40>", "SONAR_TOKEN"),
  shaped("P2", "sonar-project", "sqp_<hex:40>", "SONAR_TOKEN"),
  shaped("P2", "sonar-global", "sqa_<hex:40>", "SONAR_TOKEN"),
  named("P2", "snyk", "<uuid>", "SNYK_TOKEN"),
  shaped("P2", "snyk-service", "snyk_sat.<hex:8>.<w:60>", "SNYK_TOKEN"),
  shaped("P2", "sourcegraph", "sgp_<hex:16>_<hex:40>", "SRC_ACCESS_TOKEN"),
  shaped("P2", "launchdarkly-sdk", "sdk-<uuid>", "LAUNCHDARKLY_SDK_KEY LD_SDK_KEY"),
  shaped("P2", "launchdarkly-api", "api-<uuid>", "LAUNCHDARKLY_ACCESS_TOKEN"),
  named("P2", "configcat", "configcat-sdk-1/<w:22>/<w:22>", "CONFIGCAT_SDK_KEY"),
  shaped("P2", "sentry-user", "sntryu_<hex:64>", "SENTRY_AUTH_TOKEN"),
  shaped(
    "P2",
    "sentry-org",
    (random) =>
      `sntrys_${json64({ iat: 1_760_000_000.1, url: "https://sentry.test", org: "corp" })}_${chars(random, "b64", 43)}`,
    "SENTRY_AUTH_TOKEN",
  ),
  shaped("P2", "grafana-service", grafanaService, "GRAFANA_TOKEN GRAFANA_API_KEY"),
  shaped(
    "P2",
    "grafana-cloud",
    (random) => `glc_${json64({ o: "1", n: "ci", k: chars(random, "an", 24), m: { r: "eu" } })}`,
    "GRAFANA_CLOUD_TOKEN",
  ),
  shaped(
    "P2",
    "grafana-old",
    (random) => json64({ k: chars(random, "an", 32), n: "ci", id: 1 }),
    "GRAFANA_API_KEY",
  ),
  shaped("P2", "newrelic-user", "NRAK-<up:27>", "NEW_RELIC_API_KEY NEWRELIC_API_KEY"),
  shaped("P2", "newrelic-insert", "NRII-<w:32>", "NEW_RELIC_INSERT_KEY"),
  shaped("P2", "newrelic-browser", "NRJS-<hex:19>", "NEW_RELIC_BROWSER_KEY"),
  named("P2", "newrelic-license", "<hex:36>NRAL", "NEW_RELIC_LICENSE_KEY"),
  named("P2", "datadog-api", "<hex:32>", "DD_API_KEY DATADOG_API_KEY"),
  named("P2", "datadog-app", "<hex:40>", "DD_APP_KEY DATADOG_APP_KEY"),
  shaped("P2", "dynatrace", "dt0c01.<up:24>.<up:64>", "DYNATRACE_API_TOKEN DT_API_TOKEN"),
  shaped("P2", "dynatrace-platform", "dt0s16.<up:24>.<up:64>", "DT_PLATFORM_TOKEN"),
  shaped("P2", "honeycomb", "hcaik_<low:58>", "HONEYCOMB_API_KEY"),
  named("P2", "pagerduty", "u+<w:18>", "PAGERDUTY_TOKEN PAGERDUTY_API_KEY"),
  named("P2", "splunk-hec", "<uuid>", "SPLUNK_HEC_TOKEN"),
  shaped("P2", "posthog-personal", "phx_<an:43>", "POSTHOG_PERSONAL_API_KEY"),
  named("P2", "algolia-admin", "<hex:32>", "ALGOLIA_ADMIN_KEY ALGOLIA_API_KEY"),
  shaped(
    "P2",
    "mapbox-secret",
    (random) =>
      `sk.${Buffer.from(JSON.stringify({ u: "corp", a: chars(random, "low", 25) })).toString("base64url")}.${chars(random, "w", 22)}`,
    "MAPBOX_SECRET_TOKEN",
  ),
  shaped("P2", "hubspot", "pat-na1-<uuid>", "HUBSPOT_ACCESS_TOKEN HUBSPOT_API_KEY"),
  shaped("P2", "salesforce-session", "00D<an:12>!<an:20>.<an:75>", "SALESFORCE_ACCESS_TOKEN"),
  named("P2", "okta", "00<w:40>", "OKTA_API_TOKEN OKTA_TOKEN"),
  named("P2", "auth0", "<w:64>", "AUTH0_CLIENT_SECRET"),
  shaped("P2", "clerk", "sk_live_<an:40>", "CLERK_SECRET_KEY"),
  shaped("P2", "workos", "sk_live_<an:32>", "WORKOS_API_KEY"),
  shaped("P2", "facebook", "EAA<an:120>ZD", "FACEBOOK_ACCESS_TOKEN META_ACCESS_TOKEN"),
  shaped("P2", "facebook-app", "<d:15>|<w:27>", "FACEBOOK_APP_TOKEN"),
  shaped("P2", "twitter-bearer", `${"A".repeat(22)}<an:30>%3D<an:50>`, "TWITTER_BEARER_TOKEN"),
  named("P2", "twitch-secret", "<low:30>", "TWITCH_CLIENT_SECRET"),
  named("P2", "spotify-secret", "<hex:32>", "SPOTIFY_CLIENT_SECRET"),
  named("P2", "linkedin-secret", "<an:16>", "LINKEDIN_CLIENT_SECRET"),
  shaped("P2", "dropbox", "sl.u.<w:140>", "DROPBOX_ACCESS_TOKEN"),
  named("P2", "box-secret", "<an:32>", "BOX_CLIENT_SECRET"),
  shaped("P2", "contentful", "CFPAT-<w:43>", "CONTENTFUL_MANAGEMENT_TOKEN"),
  shaped("P2", "typeform", "tfp_<w:59>", "TYPEFORM_TOKEN"),
  shaped("P2", "prefect", "pnu_<an:36>", "PREFECT_API_KEY"),
  shaped("P2", "readme", "rdme_<low:70>", "README_API_KEY"),
  shaped("P2", "frameio", "fio-u-<w:64>", "FRAMEIO_TOKEN"),
  shaped("P2", "harness-pat", "pat.<an:22>.<hex:24>.<an:20>", "HARNESS_API_KEY"),
  shaped("P2", "octopus", "API-<up:26>", "OCTOPUS_API_KEY"),
  shaped("P2", "zuplo", "zpka_<hex:32>_<hex:8>", "ZUPLO_API_KEY"),
  shaped("P2", "unkey", "unkey_<an:24>", "UNKEY_ROOT_KEY"),
  shaped("P2", "valtown", "vtwn_<an:40>", "VAL_TOWN_API_KEY"),
  shaped("P2", "rootly", "rootly_<hex:64>", "ROOTLY_API_TOKEN"),
  shaped("P2", "samsara", "samsara_api_<an:30>", "SAMSARA_API_TOKEN"),
  shaped("P2", "beamer", "b_<w:44>=", "BEAMER_API_KEY"),
  shaped("P2", "doppler-audit", "dp.audit.<an:43>", "DOPPLER_TOKEN"),
  shaped("P2", "intra42", "s-s4t2ud-<hex:64>", "INTRA42_CLIENT_SECRET"),
  named("P2", "etherscan", "<up:34>", "ETHERSCAN_API_KEY"),
  named("P2", "infura-secret", "<hex:32>", "INFURA_API_KEY_SECRET INFURA_SECRET"),
  named("P2", "alchemy", "<w:32>", "ALCHEMY_API_KEY"),
  snippet(
    "P2",
    "url path",
    "infura-url",
    (random) =>
      `RPC_URL=https://${must("mainnet.infura.io")}/v3/${secret(fill(random, "<hex:32>"))}`,
  ),
];
