import { readsAsDrawn } from "../checks/randomness.ts";
import { type NamedKind, run, type Rule, tokenRules, uuid } from "../rule.ts";
import { type NamedRow, namedKinds, type PrefixRow, prefixKinds } from "./rows.ts";
import { githubList } from "./sources.ts";

const circleci = "https://circleci.com/docs/managing-api-tokens/";
const buildkite = "https://buildkite.com/docs/apis/managing-api-tokens";
const sonar = "https://docs.sonarsource.com/sonarqube-server/user-guide/managing-tokens/";
const sourcegraph = "https://sourcegraph.com/docs/admin/access_tokens";
const harness =
  "https://developer.harness.io/docs/platform/automation/api/add-and-manage-api-keys/";
const octopus = "https://octopus.com/docs/octopus-rest-api/how-to-create-an-api-key";
const postman = "https://learning.postman.com/docs/developer/postman-api/authentication/";
const openshift = "https://docs.redhat.com/en/documentation/openshift_container_platform/";
const rancher = "https://ranchermanager.docs.rancher.com/reference-guides/user-settings/api-keys";
const bootstrap = "https://kubernetes.io/docs/reference/access-authn-authz/bootstrap-tokens/";

const rows: readonly PrefixRow[] = [
  ["circleci_token", "CCIPAT_", "ident", 40, 90, circleci],
  ["infracost_key", "ico-", "alnum", 32, 48, "https://www.infracost.io/docs/"],
  ["inngest_key", "signkey-prod- signkey-test- signkey-branch-", "hex", 32, 64, "https://www.inngest.com/docs/"],
  ["circleci_project_token", "CCIPRJ_", "ident", 40, 90, circleci],
  ["buildkite_token", "bkua_", "hex", 40, 64, buildkite],
  ["buildkite_cluster_token", "bkct_", "word", 40, 120, buildkite],
  ["buildkite_agent_token", "bkaj_ bkat_", "dotted", 40, 400, buildkite],
  ["sonar_user_token", "squ_", "hex", 40, 64, sonar],
  ["sonar_project_token", "sqp_", "hex", 40, 64, sonar],
  ["sonar_analysis_token", "sqa_", "hex", 40, 64, sonar],
  ["sourcegraph_token", "sgp_", "ident", 40, 120, sourcegraph],
  ["sourcegraph_license_token", "slk_", "hex", 64, 64, sourcegraph],
  ["sourcegraph_dotcom_token", "sgd_", "hex", 64, 64, sourcegraph],
  ["snyk_token", "snyk_uat. snyk_sat. snyk_cat.", "dotted", 40, 200, "https://docs.snyk.io/"],
  ["octopus_key", "API-", "upperAlnum", 26, 32, octopus],
  ["postman_key", "PMAK-", "word", 50, 80, postman],
  ["postman_collection_token", "PMAT-", "upperAlnum", 26, 32, postman],
  ["prefect_key", "pnu_ pnb_", "alnum", 36, 48, githubList],
  ["openshift_token", "sha256~", "word", 43, 43, openshift],
  ["deepsource_token", "dsp_", "alnum", 40, 64, "https://docs.deepsource.com/"],
  ["dbt_token", "dbtc_ dbtu_", "word", 40, 80, "https://docs.getdbt.com/docs/dbt-cloud-apis/authentication"],
  ["socket_token", "sktsec_", "word", 40, 80, "https://docs.socket.dev/"],
  ["veracode_key", "vera01ei- vera01es-", "word", 36, 160, "https://docs.veracode.com/"],
  ["portainer_token", "ptr_", "base64Padded", 43, 48, "https://docs.portainer.io/api/access"],
  ["depot_token", "depot_project_ depot_org_ depot_user_", "alnum", 40, 120, "https://depot.dev/docs/cli/authentication"],
  ["dagger_token", "dag_", "word", 36, 120],
  ["samsara_token", "samsara_api_", "alnum", 28, 40, githubList],
  ["gitpod_token", "gitpod_pat_", "dotted", 40, 120],
  ["harness_token", "pat. sat.", "dotted", 60, 120, harness],
  ["trigger_key", "tr_dev_ tr_prod_ tr_stg_ tr_preview_ tr_pat_", "alnum", 20, 64, "https://trigger.dev/docs/apikeys"],
  ["stackhawk_key", "hawk.", "dotted", 36, 80, "https://docs.stackhawk.com/"],
  ["jitpack_token", "jp_", "lowerAlnum", 26, 32, "https://docs.jitpack.io/private/"],
  ["spectral_key", "spu-", "hex", 32, 32],
  ["aikido_key", "AIK_", "ident", 24, 120, githubList],
]; // prettier-ignore

/** Tokens of builds, of checks of code, and of clusters. */
export const ciRules: readonly Rule[] = tokenRules([
  ...prefixKinds(2, rows),
  {
    kind: "youtrack_token",
    priority: 2,
    source: "https://www.jetbrains.com/help/youtrack/server/manage-permanent-token.html",
    anchors: ["perm:", "perm-"],
    body: [run("base64Padded", 4, 80), ".", run("base64Padded", 4, 80), ".", run("alnum", 24, 40)],
  },
  {
    kind: "apollo_key",
    priority: 2,
    source: "https://www.apollographql.com/docs/graphos/platform/access-management/api-keys",
    anchors: ["service:"],
    body: [run("word", 2, 64), ":", run("word", 22)],
    require: readsAsDrawn,
  },
  {
    kind: "rancher_token",
    priority: 2,
    source: rancher,
    anchors: ["token-"],
    body: [run("lowerAlnum", 5), ":", run("lowerAlnum", 54)],
  },
  {
    kind: "kubeconfig_user_token",
    priority: 2,
    source: rancher,
    anchors: ["kubeconfig-u-"],
    body: [run("lowerAlnum", 5, 16), ":", run("lowerAlnum", 54)],
  },
  {
    kind: "k3s_token",
    priority: 2,
    source: "https://docs.k3s.io/cli/token",
    anchors: ["K10"],
    body: [run("hex", 64), "::", run("lowerAlnum", 4, 12), ":", run("hex", 16, 64)],
  },
]);

const names = (): readonly NamedRow[] => [
  ["travis_token", "travis", [[run("word", 22)]], "https://docs.travis-ci.com/"],
  ["drone_token", "drone", [[run("alnum", 32)]], "https://docs.drone.io/"],
  ["codecov_token", "codecov", [uuid], "https://docs.codecov.com/docs/codecov-tokens"],
  ["snyk_old_token", "snyk", [uuid], "https://docs.snyk.io/"],
  ["jenkins_token", "jenkins", [["11", run("hex", 32)], [run("hex", 32, 34)]], "https://www.jenkins.io/doc/book/"],
  ["appveyor_token", "appveyor", [["v2.", run("alnum", 20)]]],
  ["expo_token", "expo|eas", [[run("word", 40)]], "https://docs.expo.dev/accounts/programmatic-access/"],
  ["coveralls_token", "coveralls", [[run("alnum", 33)]]],
  ["codacy_token", "codacy", [[run("hex", 32)], [run("alnum", 20)]]],
  ["codeclimate_token", "codeclimate|ccreporter", [[run("hex", 64)]]],
  ["semgrep_token", "semgrep", [[run("hex", 64)]]],
  ["browserstack_key", "browserstack", [[run("alnum", 20)]]],
  ["saucelabs_key", "sauce|saucelabs", [uuid]],
  ["cypress_key", "cypress", [uuid]],
  ["kubeadm_token", "kubeadm|bootstrap|join", [[run("lowerAlnum", 6), ".", run("lowerAlnum", 16)]], bootstrap],
  ["bitrise_token", "bitrise", [[run("word", 80, 100)]]],
  ["semaphore_token", "semaphore|semaphoreci", [[run("alnum", 20, 64)]]],
]; // prettier-ignore

/** What goes by its name alone. */
export const ciNames = (): readonly NamedKind[] => namedKinds(2, names());
