import { type NamedKind, run, type Rule, tokenRules, uuid } from "../rule.ts";
import { type NamedRow, namedKinds, type PrefixRow, prefixKinds } from "./rows.ts";
import { githubList } from "./sources.ts";

const sentry = "https://docs.sentry.io/account/auth-tokens/";
const grafana = "https://grafana.com/docs/grafana/latest/administration/service-accounts/";
const grafanaCloud = "https://grafana.com/docs/grafana-cloud/security-and-account-management/";
const newrelic = "https://docs.newrelic.com/docs/apis/intro-apis/new-relic-api-keys/";
const dynatrace =
  "https://docs.dynatrace.com/docs/manage/identity-access-management/access-tokens-and-oauth-clients/access-tokens"; // prettier-ignore
const datadog = "https://docs.datadoghq.com/account_management/api-app-keys/";
const launchdarkly = "https://docs.launchdarkly.com/home/account/api";

const rows: readonly PrefixRow[] = [
  ["sentry_user_token", "sntryu_", "hex", 60, 80, sentry],
  ["sentry_org_token", "sntrys_", "base64Any", 60, 0, sentry],
  ["sentry_integration_token", "sntryi_", "hex", 60, 80, sentry],
  ["grafana_token", "glsa_", "ident", 40, 64, grafana],
  ["grafana_cloud_token", "glc_", "base64Padded", 32, 0, grafanaCloud],
  ["grafana_old_key", "eyJrIjoi", "base64Padded", 60, 200, grafana],
  ["newrelic_user_key", "NRAK-", "alnum", 27, 32, newrelic],
  ["newrelic_insert_key", "NRII-", "word", 32, 40, newrelic],
  ["newrelic_browser_key", "NRJS-", "hex", 19, 24, newrelic],
  ["newrelic_rest_key", "NRRA-", "hex", 42, 48, newrelic],
  ["dynatrace_token", "dt0c01. dt0s01. dt0s02. dt0s16. dt0a01.", "dotted", 80, 120, dynatrace],
  ["honeycomb_key", "hcaik_ hcxik_ hcxlk_ hcamk_", "lowerAlnum", 58, 80, "https://docs.honeycomb.io/"],
  ["posthog_key", "phx_", "alnum", 40, 64, "https://posthog.com/docs/api"],
  ["posthog_secure_key", "phs_", "alnum", 40, 64, "https://posthog.com/docs/api"],
  ["datadog_pat", "ddapp_ ddpat_", "alnum", 34, 80, datadog],
  ["axiom_token", "xaat- xapt- xait-", "word", 36, 40, "https://axiom.co/docs/reference/tokens"],
  ["logfire_token", "pylf_v1_", "ident", 40, 80, "https://logfire.pydantic.dev/docs/"],
  ["coralogix_key", "cxtp_ cxup_", "alnum", 30, 40, "https://coralogix.com/docs/"],
  ["checkly_key", "cu_", "hex", 32, 40, githubList],
  ["rootly_key", "rootly_", "hex", 64, 64, githubList],
  ["firehydrant_key", "fhb-", "hex", 40, 64, githubList],
  ["betterstack_token", "logtail_", "alnum", 20, 40],
  ["statsig_key", "secret-", "alnum", 40, 48, githubList],
  ["statsig_console_key", "console-", "alnum", 40, 48, githubList],
  ["growthbook_key", "secret_admin_ secret_user_", "base64Any", 30, 60],
  ["logicmonitor_token", "lma_ lmb_", "base64Any", 40, 200, githubList],
  ["devcycle_key", "dvc_server_ dvc_client_ dvc_mobile_ dvc_mgmt_", "ident", 30, 80, githubList],
  ["endorlabs_key", "endr+", "alnum", 16, 16, "https://docs.endorlabs.com/"],
  ["ubidots_token", "BBFF- BBUS-", "alnum", 30, 40, githubList],
  ["wakatime_key", "waka_", "word", 36, 80, githubList],
  ["mergify_key", "mka_ mergify_application_key_", "word", 40, 200, githubList],
]; // prettier-ignore

/** Keys of what watches programs: errors, metrics, logs, flags. */
export const observabilityRules: readonly Rule[] = tokenRules([
  ...prefixKinds(2, rows),
  {
    kind: "newrelic_license_key",
    priority: 2,
    source: newrelic,
    before: run("lowerAlnum", 36),
    anchors: ["NRAL", "FFFFNRAL"],
    body: [run("alnum", 0, 4)],
  },
  {
    kind: "launchdarkly_sdk_key",
    priority: 2,
    source: launchdarkly,
    anchors: ["sdk-"],
    body: uuid,
  },
  { kind: "launchdarkly_key", priority: 2, source: launchdarkly, anchors: ["api-"], body: uuid },
  {
    kind: "configcat_key",
    priority: 2,
    source: "https://configcat.com/docs/",
    anchors: ["configcat-sdk-"],
    body: [run("digit", 1), "/", run("word", 22), "/", run("word", 22)],
  },
]);

const hex32 = [run("hex", 32)];

const names = (): readonly NamedRow[] => [
  ["datadog_app_key", "datadog|dd app|application", [[run("hex", 40)]], datadog],
  ["datadog_key", "datadog|dd", [hex32], datadog],
  ["sentry_old_token", "sentry", [[run("hex", 64)]], sentry],
  ["pagerduty_key", "pagerduty|pd", [["u+", run("word", 18)], [run("word", 20)], hex32], "https://developer.pagerduty.com/docs/"],
  ["splunk_hec_token", "splunk|hec", [uuid], "https://help.splunk.com/"],
  ["splunk_observability_token", "signalfx|splunkobservability", [[run("word", 22)]]],
  ["opsgenie_key", "opsgenie", [uuid], "https://support.atlassian.com/opsgenie/docs/"],
  ["rollbar_token", "rollbar", [hex32, [run("hex", 96, 128)]], "https://docs.rollbar.com/"],
  ["flagsmith_key", "flagsmith", [["ser.", run("alnum", 20, 24)]]],
  ["bugsnag_key", "bugsnag", [hex32]],
  ["honeycomb_old_key", "honeycomb", [[run("alnum", 22, 32)]], "https://docs.honeycomb.io/"],
  ["mixpanel_secret", "mixpanel", [hex32]],
  ["amplitude_key", "amplitude", [hex32]],
  ["segment_key", "segment", [[run("alnum", 32)]]],
  ["loggly_token", "loggly", [uuid]],
  ["logzio_token", "logz|logzio", [[run("alnum", 32)]]],
  ["logdna_key", "logdna|mezmo", [hex32]],
  ["papertrail_token", "papertrail", [[run("alnum", 20)]]],
  ["sumologic_key", "sumo|sumologic", [[run("alnum", 64)]]],
  ["uptimerobot_key", "uptimerobot", [["ur", run("digit", 5, 12), "-", run("hex", 24)]]],
  ["pingdom_token", "pingdom", [[run("word", 67, 90)]]],
  ["lightstep_token", "lightstep", [[run("base64Padded", 40, 120)]]],
  ["appdynamics_secret", "appdynamics", [uuid, [run("alnum", 12, 40)]]],
  ["raygun_key", "raygun", [[run("base64Padded", 22, 64)]]],
  ["airbrake_key", "airbrake", [hex32, [run("hex", 40)]]],
  ["optimizely_token", "optimizely", [["2:", run("word", 40, 80)]]],
]; // prettier-ignore

/** What goes by its name alone. */
export const observabilityNames = (): readonly NamedKind[] => namedKinds(2, names());
