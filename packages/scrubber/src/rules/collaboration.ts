import { type NamedKind, run, type Rule, tokenRules, uuid } from "../rule.ts";
import { type NamedRow, namedKinds, type PrefixRow, prefixKinds } from "./rows.ts";
import { githubList } from "./sources.ts";

const atlassian =
  "https://support.atlassian.com/atlassian-account/docs/manage-api-tokens-for-your-atlassian-account/";
const linear = "https://linear.app/developers/graphql";
const notion = "https://developers.notion.com/docs/authorization";
const figma = "https://developers.figma.com/docs/rest-api/authentication/";
const contentful = "https://www.contentful.com/developers/docs/references/authentication/";
const asana = "https://developers.asana.com/docs/personal-access-token";
const typeform = "https://www.typeform.com/developers/get-started/personal-access-token/";

const rows: readonly PrefixRow[] = [
  ["atlassian_token", "ATATT3", "base64Any", 60, 400, atlassian],
  ["atlassian_admin_token", "ATSTT3", "base64Any", 60, 400, atlassian],
  ["atlassian_oauth_secret", "ATOA", "word", 60, 120, atlassian],
  ["trello_token", "ATTA", "hex", 64, 80, "https://developer.atlassian.com/cloud/trello/guides/rest-api/authorization/"],
  ["linear_key", "lin_api_", "alnum", 32, 64, linear],
  ["linear_oauth_token", "lin_oauth_", "alnum", 32, 80, linear],
  ["linear_webhook_secret", "lin_wh_", "alnum", 32, 64, linear],
  ["notion_token", "ntn_", "alnum", 40, 64, notion],
  ["notion_old_token", "secret_", "alnum", 43, 43, notion],
  ["figma_token", "figd_", "word", 36, 64, figma],
  ["figma_oauth_token", "figu_ figor_ figoh_ figo_", "word", 36, 80, figma],
  ["contentful_token", "CFPAT-", "word", 40, 64, contentful],
  ["typeform_token", "tfp_", "dotted", 40, 80, typeform],
  ["readme_key", "rdme_", "lowerAlnum", 60, 80, "https://docs.readme.com/main/reference/"],
  ["frameio_token", "fio-u-", "word", 60, 80, githubList],
  ["gitbook_token", "gb_api_", "alnum", 36, 48, "https://gitbook.com/docs/developers/"],
  ["wix_key", "IST.", "dotted", 100, 0, "https://dev.wix.com/docs/"],
  ["canva_secret", "cnvca", "word", 40, 80],
  ["cal_key", "cal_live_ cal_test_", "hex", 32, 64, "https://cal.com/docs/api-reference"],
  ["dub_key", "dub_", "alnum", 24, 48, "https://dub.co/docs/api-reference/tokens"],
  ["tally_key", "tly-", "alnum", 32, 64, "https://developers.tally.so/"],
  ["adafruit_key", "aio_", "alnum", 28, 28, githubList],
  ["defined_key", "dnkey-", "word", 52, 100, githubList],
  ["settlemint_token", "sm_aat_ sm_pat_ sm_sat_", "alnum", 16, 64, "https://console.settlemint.com/documentation/"],
  ["bannerbear_key", "bb_pr_ bb_ma_", "hex", 30, 64, "https://developers.bannerbear.com/"],
  ["plane_key", "plane_api_", "hex", 32, 64, "https://developers.plane.so/api-reference/introduction"],
  ["outline_key", "ol_api_", "alnum", 38, 48, "https://www.getoutline.com/developers"],
  ["chief_token", "ctp_", "alnum", 36, 48, githubList],
]; // prettier-ignore

/** Tokens of what teams plan, write and draw in. */
export const collaborationRules: readonly Rule[] = tokenRules([
  ...prefixKinds(2, rows),
  {
    kind: "close_key",
    priority: 2,
    source: "https://developer.close.com/topics/authentication/",
    anchors: ["api_"],
    body: [run("alnum", 22), ".", run("alnum", 22)],
  },
  {
    kind: "airtable_token",
    priority: 2,
    source: "https://airtable.com/developers/web/api/authentication",
    anchors: ["pat"],
    body: [run("alnum", 14), ".", run("hex", 64)],
  },
  {
    kind: "clickup_token",
    priority: 2,
    source: "https://developer.clickup.com/docs/authentication",
    anchors: ["pk_"],
    body: [run("digit", 5, 12), "_", run("upperAlnum", 32)],
  },
  {
    kind: "asana_token",
    priority: 2,
    source: asana,
    anchors: ["1/1", "2/1"],
    body: [run("digit", 12, 18), ":", run("hex", 32)],
  },
  {
    kind: "asana_token",
    priority: 2,
    source: asana,
    anchors: ["2/12"],
    body: [run("digit", 8, 17), "/", run("digit", 10, 18), ":", run("hex", 32)],
  },
]);

const hex64 = [run("hex", 64)];

const names = (): readonly NamedRow[] => [
  ["jira_old_token", "jira|confluence|atlassian", [[run("alnum", 24)]], atlassian],
  ["asana_secret", "asana", [[run("hex", 32)]], asana],
  ["trello_old_token", "trello", [hex64, [run("hex", 32)]]],
  ["todoist_token", "todoist", [[run("hex", 40)]], "https://developer.todoist.com/"],
  ["shortcut_token", "shortcut|clubhouse", [uuid], "https://developer.shortcut.com/"],
  ["coda_token", "coda", [uuid], "https://coda.io/developers/"],
  ["miro_token", "miro", [[run("word", 24, 64)]], "https://developers.miro.com/"],
  ["webflow_token", "webflow", [hex64], "https://developers.webflow.com/"],
  ["sanity_token", "sanity", [["sk", run("alnum", 80, 190)]], "https://www.sanity.io/docs/"],
  ["ghost_key", "ghost", [[run("hex", 24), ":", run("hex", 64)]], "https://ghost.org/docs/admin-api/"],
  ["lokalise_token", "lokalise", [[run("hex", 40)]]],
  ["transifex_token", "transifex|tx", [["1/", run("hex", 40)]]],
  ["crowdin_token", "crowdin", [[run("hex", 80)]]],
  ["monday_token", "monday", [[run("dotted", 100, 600)]], "https://developer.monday.com/api-reference/"],
  ["clickup_secret", "clickup", [[run("upperAlnum", 64)]]],
  ["surveymonkey_token", "surveymonkey", [[run("dotted", 60, 120)]]],
]; // prettier-ignore

/** What goes by its name alone. */
export const collaborationNames = (): readonly NamedKind[] => namedKinds(2, names());
