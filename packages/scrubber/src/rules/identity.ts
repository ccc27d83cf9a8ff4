import { type NamedKind, run, type Rule, tokenRules, uuid } from "../rule.ts";
import { type NamedRow, namedKinds, type PrefixRow, prefixKinds } from "./rows.ts";
import { githubList } from "./sources.ts";

const facebook = "https://developers.facebook.com/docs/facebook-login/guides/access-tokens/";
const hubspot = "https://developers.hubspot.com/docs/guides/apps/private-apps/overview";
const salesforce = "https://help.salesforce.com/s/articleView?id=sf.remoteaccess_oauth_flows.htm";
const okta = "https://developer.okta.com/docs/guides/create-an-api-token/";
const twitter = "https://docs.x.com/resources/fundamentals/authentication/overview";
const dropbox = "https://www.dropbox.com/developers/reference/oauth-guide";

const rows: readonly PrefixRow[] = [
  ["facebook_token", "EAA", "alnum", 80, 400, facebook],
  ["instagram_token", "IGQV IGQW IGAA", "word", 80, 400, facebook],
  ["twitter_bearer", "AAAAAAAAAAAAAAAAAAAAA", "escapedBase64", 60, 200, twitter],
  ["dropbox_token", "sl.", "word", 120, 0, dropbox],
  ["dropbox_user_token", "sl.u.", "word", 120, 0, dropbox],
  ["linkedin_secret", "WPL_AP1. WPL_AP0.", "dotted", 16, 80, githubList],
  ["pinterest_token", "pina_", "alnum", 60, 120, githubList],
  ["vk_token", "vk1.a.", "word", 80, 300, githubList],
  ["stytch_secret", "secret-live- secret-test-", "word", 30, 80, "https://stytch.com/docs/"],
  ["descope_key", "K2", "alnum", 70, 120],
  ["jumpcloud_key", "jca_", "alnum", 36, 60],
  ["adobe_secret", "p8e-", "word", 32, 32, githubList],
  ["workos_key", "sk_a2V5", "base64Any", 30, 120, "https://workos.com/docs/"],
  ["fusionauth_key", "fa_api_", "word", 30, 80],
  ["mapbox_token", "sk.eyJ", "dotted", 60, 200, "https://docs.mapbox.com/accounts/guides/tokens/"],
  ["lichess_token", "lip_ lio_", "alnum", 16, 48, githubList],
  ["authress_key", "sc_ ext_ scauth_ authress_", "dotted", 80, 240, githubList],
  ["stackauth_key", "ssk_", "lowerAlnum", 40, 80, "https://docs.stack-auth.com/"],
  ["raycast_token", "rca_", "hex", 64, 64, githubList],
  ["riot_key", "RGAPI-", "word", 36, 36, "https://developer.riotgames.com/docs/portal"],
  ["seam_key", "seam_", "ident", 24, 80, githubList],
  ["thunderstore_token", "tss_", "alnum", 36, 40, githubList],
  ["ory_token", "ory_pat_ ory_at_ ory_rt_ ory_st_ ory_wak_ ory_ac_", "dotted", 30, 200, "https://www.ory.com/docs/"],
  ["ebay_token", "v^1.1#i^1#", "cookie", 40, 0, githubList],
]; // prettier-ignore

/** Tokens of who signs people in, of social networks, and of customers' records. */
export const identityRules: readonly Rule[] = tokenRules([
  ...prefixKinds(2, rows),
  {
    kind: "oculus_token",
    priority: 2,
    source: githubList,
    anchors: ["OC|", "FRL|"],
    body: [run("digit", 8, 20), "|", run("alnum", 24, 64)],
  },
  {
    kind: "hubspot_token",
    priority: 2,
    source: hubspot,
    anchors: ["pat-na1-", "pat-eu1-", "pat-na2-", "pat-ap1-"],
    body: uuid,
  },
  {
    kind: "salesforce_session",
    priority: 2,
    source: salesforce,
    anchors: ["00D"],
    body: [run("alnum", 12, 15), "!", run("dotted", 60, 250)],
  },
  {
    kind: "salesforce_refresh_token",
    priority: 2,
    source: salesforce,
    anchors: ["5Aep861"],
    body: [run("dotted", 60, 200)],
  },
  {
    kind: "zoho_token",
    priority: 2,
    source: "https://www.zoho.com/accounts/protocol/oauth.html",
    anchors: ["1000."],
    body: [run("hex", 32), ".", run("hex", 32)],
  },
  {
    kind: "maxmind_key",
    priority: 2,
    source: "https://dev.maxmind.com/geoip/docs/",
    before: run("ident", 36),
    anchors: ["_mm"],
    body: ["k"],
  },
  {
    kind: "evernote_token",
    priority: 2,
    source: "https://dev.evernote.com/doc/articles/dev_tokens.php",
    anchors: ["S=s"],
    body: [
      run("digit", 1, 3),
      ":U=",
      run("hex", 1, 8),
      ":E=",
      run("hex", 8, 16),
      ":C=",
      run("hex", 8, 16),
      ":P=",
      run("hex", 2, 4),
      ":A=",
      run("word", 4, 40),
      ":V=",
      run("digit", 1),
      ":H=",
      run("hex", 32),
    ],
  },
]);

const names = (): readonly NamedRow[] => [
  ["okta_token", "okta", [["00", run("word", 38, 42)]], okta],
  ["auth0_secret", "auth0", [[run("word", 64)]], "https://auth0.com/docs/"],
  ["clerk_secret", "clerk", [["sk_live_", run("alnum", 40, 60)], ["sk_test_", run("alnum", 40, 60)]], "https://clerk.com/docs"],
  ["facebook_secret", "facebook|fb|meta|whatsapp secret", [[run("hex", 32)]], facebook],
  ["facebook_app_token", "facebook|fb", [[run("digit", 14, 17), "|", run("word", 24, 40)]], facebook],
  ["instagram_secret", "instagram secret", [[run("hex", 32)]], facebook],
  ["twitter_secret", "twitter secret", [[run("alnum", 40, 50)]], twitter],
  ["twitter_access_token", "twitter token", [[run("digit", 5, 20), "-", run("alnum", 30, 50)]], twitter],
  ["twitch_secret", "twitch", [[run("lowerAlnum", 30)]], "https://dev.twitch.tv/docs/authentication/"],
  ["spotify_secret", "spotify", [[run("hex", 32)]], "https://developer.spotify.com/documentation/web-api"],
  ["linkedin_old_secret", "linkedin", [[run("alnum", 16)]]],
  ["box_secret", "box|boxdev", [[run("alnum", 32)]], "https://developer.box.com/"],
  ["reddit_secret", "reddit", [[run("word", 27, 30)]], "https://github.com/reddit-archive/reddit/wiki/OAuth2"],
  ["onelogin_secret", "onelogin", [[run("hex", 64)]]],
  ["frontegg_secret", "frontegg", [uuid]],
  ["pipedrive_token", "pipedrive", [[run("hex", 40)]]],
  ["strava_secret", "strava", [[run("hex", 40)]], "https://developers.strava.com/docs/authentication/"],
  ["fitbit_secret", "fitbit", [[run("hex", 32)]]],
  ["kakao_key", "kakao", [[run("hex", 32)], [run("alnum", 32)]]],
  ["tiktok_secret", "tiktok", [[run("alnum", 32, 40)]]],
  ["here_key", "hereapi|heremaps|here", [[run("word", 43)]]],
  ["docusign_secret", "docusign", [uuid]],
  ["eventbrite_token", "eventbrite", [[run("upperAlnum", 20)]]],
]; // prettier-ignore

/** What goes by its name alone. */
export const identityNames = (): readonly NamedKind[] => namedKinds(2, names());
