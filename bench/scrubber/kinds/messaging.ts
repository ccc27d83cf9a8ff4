import { type Kind, named, shaped, snippet } from "../corpus/kind.ts";
import { free, must, secret } from "../corpus/marks.ts";
import type { Random } from "../corpus/random.ts";
import { chars, fill } from "../corpus/template.ts";

/** A bot token: the bot's number in base64, a time, a hash. */
function discordBot(random: Random): string {
  const id = `${random.int(1, 9)}${chars(random, "d", 17)}`;
  const head = Buffer.from(id).toString("base64").replaceAll("=", "");
  return `${head}.${fill(random, "G<w:5>.<w:38>")}`;
}

/** A folder, an id that may go, and what nobody may know, parted by bars. */
const hook = (kind: string, host: string, path: string) =>
  snippet("P2", "webhook url", kind, (random) => {
    const [folder = "", id = "", rest = ""] = path.split("|");
    const link = `https://${must(host)}${folder}${free(fill(random, id))}${secret(fill(random, rest))}`;
    return random.pick([
      () => `WEBHOOK_URL=${link}`,
      () => `curl -X POST -d '{"text":"hi"}' ${link}`,
      () => `posting to ${link} failed: 404`,
      () => `{"url": "${link}"}`,
    ])();
  });

/** Chat, mail, telephony. */
export const messagingKinds: readonly Kind[] = [
  shaped("P2", "slack-bot", "xoxb-<d:12>-<d:13>-<an:24>", "SLACK_BOT_TOKEN SLACK_TOKEN"),
  shaped("P2", "slack-user", "xoxp-<d:12>-<d:12>-<d:13>-<hex:32>", "SLACK_USER_TOKEN"),
  shaped("P2", "slack-workspace", "xoxa-2-<d:12>-<d:12>-<hex:32>", "SLACK_TOKEN"),
  shaped("P2", "slack-legacy", "xoxs-<d:11>-<d:11>-<d:11>-<hex:10>", "SLACK_TOKEN"),
  shaped("P2", "slack-client", "xoxc-<d:12>-<d:12>-<d:13>-<hex:64>", "SLACK_TOKEN"),
  shaped("P2", "slack-cookie", "xoxd-<an:60>%2B<an:60>%3D", "SLACK_COOKIE"),
  shaped("P2", "slack-config", "xoxe.xoxp-1-<an:160>", "SLACK_CONFIG_TOKEN"),
  shaped("P2", "slack-refresh", "xoxe-1-<an:147>", "SLACK_REFRESH_TOKEN"),
  shaped("P2", "slack-app", "xapp-1-A<up:10>-<d:13>-<hex:64>", "SLACK_APP_TOKEN"),
  named("P2", "slack-signing-secret", "<hex:32>", "SLACK_SIGNING_SECRET"),
  hook("slack-webhook", "hooks.slack.com", "/services/|T<up:10>/B<up:10>/|<an:24>"),
  shaped("P2", "discord-bot", discordBot, "DISCORD_TOKEN DISCORD_BOT_TOKEN BOT_TOKEN"),
  hook("discord-webhook", "discord.com", "/api/webhooks/|<d:19>/|<w:68>"),
  named("P2", "discord-client-secret", "<w:32>", "DISCORD_CLIENT_SECRET"),
  shaped("P2", "telegram-bot", "<d:10>:AA<w:33>", "TELEGRAM_BOT_TOKEN TELEGRAM_TOKEN"),
  hook("telegram-url", "api.telegram.org", "/|bot<d:10>:|AA<w:33>"),
  hook(
    "teams-webhook",
    "corp.webhook.office.com",
    "/webhookb2/|<uuid>@<uuid>/IncomingWebhook/|<hex:32>/<uuid>",
  ),
  hook("zapier-hook", "hooks.zapier.com", "/hooks/catch/|<d:7>/|<low:7>"),
  shaped("P2", "twilio-key", "SK<hex:32>", "TWILIO_API_KEY"),
  named("P2", "twilio-auth-token", "<hex:32>", "TWILIO_AUTH_TOKEN"),
  shaped("P2", "sendgrid", "SG.<w:22>.<w:43>", "SENDGRID_API_KEY"),
  shaped("P2", "mailgun", "key-<hex:32>", "MAILGUN_API_KEY"),
  named("P2", "mailgun-new", "<hex:32>-<hex:8>-<hex:8>", "MAILGUN_API_KEY"),
  shaped("P2", "mailchimp", "<hex:32>-us<d:2>", "MAILCHIMP_API_KEY"),
  shaped("P2", "brevo", "xkeysib-<hex:64>-<an:16>", "BREVO_API_KEY SENDINBLUE_API_KEY"),
  shaped("P2", "brevo-smtp", "xsmtpsib-<hex:64>-<an:16>", "BREVO_SMTP_KEY"),
  shaped("P2", "resend", "re_<an:8>_<an:24>", "RESEND_API_KEY"),
  named("P2", "postmark", "<uuid>", "POSTMARK_SERVER_TOKEN POSTMARK_API_TOKEN"),
  shaped("P2", "mailersend", "mlsn.<hex:64>", "MAILERSEND_API_KEY"),
  shaped("P2", "onesignal", "os_v2_app_<low:104>", "ONESIGNAL_API_KEY"),
  named("P2", "vonage", "<an:16>", "VONAGE_API_SECRET NEXMO_API_SECRET"),
  named("P2", "messagebird", "<an:25>", "MESSAGEBIRD_ACCESS_KEY MESSAGEBIRD_API_KEY"),
  named("P2", "line-token", "<b64:170>=", "LINE_CHANNEL_ACCESS_TOKEN"),
  named("P2", "zoom-secret", "<an:32>", "ZOOM_CLIENT_SECRET"),
  named("P2", "webex-token", "<b64:64>_PF84_<uuid>", "WEBEX_ACCESS_TOKEN"),
];
