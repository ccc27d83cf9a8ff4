import { type NamedKind, run, type Rule, tokenRules, uuid } from "../rule.ts";
import { scanDiscordBot } from "../scanners/discord-bot.ts";
import { type NamedRow, namedKinds, type PrefixRow, prefixKinds } from "./rows.ts";
import { githubList } from "./sources.ts";

const slack = "https://api.slack.com/concepts/token-types";
const discord = "https://discord.com/developers/docs/reference";
const telegram = "https://core.telegram.org/bots/api";
const sendgrid = "https://www.twilio.com/docs/sendgrid/ui/account-and-settings/api-keys";

const rows: readonly PrefixRow[] = [
  ["slack_bot_token", "xoxb-", "word", 20, 0, slack],
  ["slack_user_token", "xoxp-", "word", 20, 0, slack],
  ["slack_workspace_token", "xoxa- xoxr- xoxs- xoxo-", "word", 20, 0, slack],
  ["slack_client_token", "xoxc-", "word", 20],
  ["slack_cookie", "xoxd-", "escapedBase64", 20],
  ["slack_config_token", "xoxe.", "dotted", 20, 0, slack],
  ["slack_refresh_token", "xoxe-", "word", 20, 0, slack],
  ["slack_app_token", "xapp-", "word", 20, 0, slack],
  ["brevo_key", "xkeysib-", "word", 64, 120, "https://developers.brevo.com/docs/getting-started"],
  ["brevo_smtp_key", "xsmtpsib-", "word", 64, 120, "https://developers.brevo.com/docs/getting-started"],
  ["mailersend_token", "mlsn.", "alnum", 40, 90, "https://developers.mailersend.com/"],
  ["onesignal_key", "os_v2_", "ident", 60, 160, "https://documentation.onesignal.com/docs/keys-and-ids"],
  ["mailgun_key", "key-", "hex", 32, 32, githubList],
  ["twilio_key", "SK", "hex", 32, 32, "https://www.twilio.com/docs/iam/api-keys"],
  ["mandrill_key", "md-", "word", 22, 22],
  ["klaviyo_key", "pk_", "hex", 34, 34, githubList],
  ["courier_key", "pk_prod_ dk_prod_", "upperAlnum", 28, 28, "https://www.courier.com/docs/"],
  ["pubnub_secret", "sec-c-", "base64Any", 36, 80, "https://www.pubnub.com/docs/"],
  ["matrix_token", "syt_", "word", 30, 160, "https://spec.matrix.org/latest/"],
  ["intercom_token", "dG9rO", "base64Padded", 50, 90, "https://developers.intercom.com/docs/"],
  ["cds_notify_key", "gcntfy-", "word", 60, 140, githubList],
  ["twitch_chat_token", "oauth:", "lowerAlnum", 30, 30, "https://dev.twitch.tv/docs/chat/authenticating/"],
  ["ntfy_token", "tk_", "lowerAlnum", 29, 29, "https://docs.ntfy.sh/config/#access-tokens"],
]; // prettier-ignore

/** Tokens of chats and mail, and addresses that take messages from whoever knows them. */
export const messagingRules: readonly Rule[] = [
  ...tokenRules([
    ...prefixKinds(2, rows),
    {
      kind: "telnyx_key",
      priority: 2,
      source: "https://developers.telnyx.com/development/api-fundamentals/authentication",
      anchors: ["KEY01"],
      body: [run("upperHex", 26, 34), "_", run("alnum", 20, 28)],
    },
    {
      kind: "twitch_stream_key",
      priority: 2,
      source: "https://dev.twitch.tv/docs/video-broadcast/",
      anchors: ["live_"],
      body: [run("digit", 6, 12), "_", run("alnum", 24, 40)],
    },
    {
      kind: "sendgrid_key",
      priority: 2,
      source: sendgrid,
      anchors: ["SG."],
      body: [run("word", 16, 32), ".", run("word", 30, 64)],
    },
    {
      kind: "resend_key",
      priority: 2,
      source: "https://resend.com/docs/dashboard/api-keys/introduction",
      anchors: ["re_"],
      body: [run("alnum", 8), "_", run("alnum", 20, 32)],
    },
    {
      kind: "telegram_token",
      priority: 2,
      source: telegram,
      before: run("digit", 8, 10),
      anchors: [":AA"],
      body: [run("word", 32, 36)],
    },
    {
      kind: "mailchimp_key",
      priority: 2,
      source: "https://mailchimp.com/developer/marketing/guides/quick-start/",
      before: run("hex", 32),
      anchors: ["-us"],
      body: [run("digit", 1, 2)],
    },
  ]),
  {
    id: "discord-bot",
    kind: "discord_bot_token",
    priority: 2,
    source: discord,
    anchors: discordIdHeads(),
    scan: scanDiscordBot,
  },
];

/**
 * How three digits begin in base64, as the id in a bot's token does. Four characters of it: three
 * are met in every other line of prose.
 */
function discordIdHeads(): readonly string[] {
  const firsts = ["MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"];
  const lasts = Array.from("AEIMQUYcgk", (third) =>
    Array.from("wxyz012345", (last) => third + last),
  );
  return firsts.flatMap((first) => lasts.flat().map((last) => first + last));
}

const names = (): readonly NamedRow[] => [
  ["twilio_auth_token", "twilio", [[run("hex", 32)]], "https://www.twilio.com/docs/iam"],
  ["postmark_token", "postmark", [uuid], "https://postmarkapp.com/developer/api/overview"],
  ["vonage_secret", "vonage|nexmo", [[run("alnum", 16)]]],
  ["messagebird_key", "messagebird|bird", [[run("alnum", 25)]]],
  ["zoom_secret", "zoom", [[run("alnum", 32)]], "https://developers.zoom.us/docs/"],
  ["webex_token", "webex", [[run("word", 64, 160)]]],
  ["line_token", "line|linebot", [[run("base64Padded", 170, 180)]], "https://developers.line.biz/"],
  ["mailjet_key", "mailjet|mj", [[run("hex", 32)]], "https://dev.mailjet.com/"],
  ["sparkpost_key", "sparkpost", [[run("hex", 40)]], "https://developers.sparkpost.com/api/"],
  ["zendesk_token", "zendesk", [[run("alnum", 40)]], "https://developer.zendesk.com/"],
  ["freshdesk_key", "freshdesk|freshservice", [[run("alnum", 18, 24)]]],
  ["plivo_token", "plivo", [[run("alnum", 40)]]],
  ["pusher_secret", "pusher secret|key", [[run("hex", 20)]], "https://pusher.com/docs/"],
  ["ably_key", "ably", [[run("word", 6), ".", run("word", 6), ":", run("word", 20, 64)]], "https://ably.com/docs/"],
  ["mattermost_token", "mattermost", [[run("lowerAlnum", 26)]]],
  ["zulip_key", "zulip", [[run("alnum", 32)]], "https://zulip.com/api/"],
  ["rocketchat_token", "rocketchat|rocket", [[run("word", 43)]]],
  ["customerio_key", "customerio|cio", [[run("hex", 20, 32)]]],
  ["sendbird_token", "sendbird", [[run("hex", 40)]]],
  ["stream_secret", "getstream|streamchat", [[run("lowerAlnum", 64)]]],
]; // prettier-ignore

/** What goes by its name alone. */
export const messagingNames = (): readonly NamedKind[] => namedKinds(2, names());
