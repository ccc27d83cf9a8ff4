import { type Part, run, uuid } from "../rule.ts";

const slackHooks = "https://api.slack.com/messaging/webhooks";
const discordHooks = "https://discord.com/developers/docs/resources/webhook";
const telegram = "https://core.telegram.org/bots/api";
const teams =
  "https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/what-are-webhooks-and-connectors";
const dingtalk = "https://open.dingtalk.com/document/robots/custom-robot-access";
const feishu = "https://open.feishu.cn/document/client-docs/bot-v3/add-custom-bot";
const wecom = "https://developer.work.weixin.qq.com/document/path/91770";
const metamask = "https://docs.metamask.io/services/";
const alchemy = "https://www.alchemy.com/docs/";

/** Kind, hosts parted by bars, what follows and stays, what follows that and is the secret, page. */
export type AddressRow = readonly [
  kind: string,
  hosts: string,
  kept: readonly Part[],
  secret: readonly Part[],
  source?: string,
];

const id = run("alnum", 8, 24);
const hex32 = run("hex", 32);

/** One row for each form; the kinds are tested with what is drawn from it. */
export const addressRows = (): readonly AddressRow[] => [
  ["slack_webhook", "hooks.slack.com", ["/services/", id, "/", id, "/"], [run("alnum", 16, 64)], slackHooks],
  ["slack_workflow_webhook", "hooks.slack.com", ["/workflows/", id, "/", id, "/"], [run("alnum", 8, 64), "/", run("alnum", 16, 64)], slackHooks],
  ["slack_workflow_webhook", "hooks.slack.com", ["/workflows/", id, "/", id, "/"], [run("alnum", 16, 64)], slackHooks],
  ["slack_workflow_webhook", "hooks.slack.com", ["/triggers/", id, "/", id, "/"], [run("alnum", 16, 64)], slackHooks],
  ["discord_webhook", "discord.com|discordapp.com", ["/api/webhooks/", run("digit", 15, 20), "/"], [run("word", 60, 80)], discordHooks],
  ["telegram_token", "/bot", [], [run("digit", 8, 10), ":", run("word", 32, 40)], telegram],
  ["teams_webhook", "webhook.office.com", ["/webhookb2/", ...uuid, "@", ...uuid, "/IncomingWebhook/"], [run("anyHex", 32), "/", ...uuid, run("word", 0, 64)], teams],
  ["teams_webhook", "webhook.office.com", ["/webhookb2/", ...uuid, "@", ...uuid, "/IncomingWebhook/", ...uuid, "/"], [run("anyHex", 32)], teams],
  ["teams_webhook", "outlook.office.com", ["/webhook/", ...uuid, "@", ...uuid, "/IncomingWebhook/"], [run("anyHex", 32), "/", ...uuid], teams],
  ["dingtalk_webhook", "oapi.dingtalk.com", ["/robot/send?access_token="], [run("hex", 64)], dingtalk],
  ["feishu_webhook", "open.feishu.cn|open.larksuite.com", ["/open-apis/bot/v2/hook/"], uuid, feishu],
  ["wecom_webhook", "qyapi.weixin.qq.com", ["/cgi-bin/webhook/send?key="], uuid, wecom],
  ["zapier_webhook", "hooks.zapier.com", ["/hooks/catch/", run("digit", 4, 12), "/"], [run("lowerAlnum", 5, 16)]],
  ["make_webhook", ".make.com", ["/"], [run("lowerAlnum", 30, 36)], "https://www.make.com/en/help/tools/webhooks"],
  ["ifttt_webhook", "maker.ifttt.com", ["/use/"], [run("word", 20, 64)], "https://ifttt.com/maker_webhooks"],
  ["healthchecks_address", "hc-ping.com", ["/"], uuid, "https://healthchecks.io/docs/http_api/"],
  ["gitter_webhook", "webhooks.gitter.im", ["/e/"], [run("hex", 20)]],
  ["pagerduty_integration", "events.pagerduty.com", ["/integration/"], [hex32], "https://developer.pagerduty.com/docs/"],
  ["loggly_address", "loggly.com", ["/inputs/"], uuid],
  ["sumologic_address", "sumologic.com", ["/receiver/v1/http/"], [run("base64Any", 40, 200)], "https://help.sumologic.com/docs/send-data/hosted-collectors/http-source/"],
  ["netlify_build_hook", "api.netlify.com", ["/build_hooks/"], [run("hex", 24)], "https://docs.netlify.com/configure-builds/build-hooks/"],
  ["vercel_deploy_hook", "api.vercel.com", ["/v1/integrations/deploy/", run("ident", 8, 40), "/"], [run("alnum", 8, 40)], "https://vercel.com/docs/deploy-hooks"],
  ["infura_key", "infura.io", ["/v3/"], [hex32], metamask],
  ["infura_key", "infura.io", ["/ws/v3/"], [hex32], metamask],
  ["alchemy_key", "alchemy.com|alchemyapi.io", ["/v2/"], [run("word", 24, 64)], alchemy],
  ["alchemy_key", "alchemy.com", ["/v3/"], [run("word", 24, 64)], alchemy],
  ["quicknode_key", "quiknode.pro", ["/"], [run("hex", 40)], "https://www.quicknode.com/docs/"],
  ["ankr_key", "rpc.ankr.com", ["/", run("lower", 2, 24), "/"], [run("hex", 64)], "https://www.ankr.com/docs/"],
  ["getblock_key", "getblock.io", ["/"], [hex32], "https://getblock.io/docs/"],
]; // prettier-ignore
